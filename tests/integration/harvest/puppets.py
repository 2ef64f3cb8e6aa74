"""Processes on strings: real code on real Postgres that stops before every statement, and goes on when it is told to.

Each puppet is a coroutine that uses a `SteppedDatabase`. Before each of its statements and commits it waits; the test
lets one of them through, and then looks which of all the puppets wait, which have ended, and which are held up inside the
database by somebody else's lock. So any interleaving of transactions can be played, and played again.

A puppet that is not moved is a process that hangs; one that is moved again later is a zombie. `crash` is kill -9: nothing
more of it reaches the database, and what it had not committed is undone.
"""

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any

import psycopg
from psycopg import AsyncConnection, AsyncCursor

from windrow.postgres import Database

# after so many turns of the loop without anything new, nobody has anything to do
_TURNS = 25
_WAITING = "SELECT pid FROM pg_stat_activity WHERE pid = ANY (%s) AND wait_event_type = 'Lock'"

_current: ContextVar["Puppet | None"] = ContextVar("puppet", default=None)


class Crashed(BaseException):
    """kill -9, as the killed process would see it if it could."""


class Puppet:
    """One process. `waiting` are the places at which it has stopped; there may be several, since it may have several tasks."""

    def __init__(self, name: str, work: Coroutine[Any, Any, Any]) -> None:
        self.name = name
        self.waiting: dict[asyncio.Future[None], str] = {}
        self.at_work: dict[int, int] = {}
        self.moves = 0
        self.dead = False
        self._work = work
        self.task: asyncio.Task[Any] | None = None

    def start(self) -> None:
        """Runs up to its first statement."""
        token = _current.set(self)
        self.task = asyncio.get_running_loop().create_task(self._work)
        _current.reset(token)

    async def stop(self, place: str) -> None:
        """Called from within: wait to be moved."""
        if self.dead:
            raise Crashed
        moved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting[moved] = place
        self.moves += 1
        try:
            await moved
        finally:
            self.waiting.pop(moved, None)

    def move(self, choice: int = 0) -> str:
        """Let one of its tasks go on; where that had stopped."""
        moved, place = list(self.waiting.items())[choice % len(self.waiting)]
        del self.waiting[moved]
        moved.set_result(None)
        return place

    def crash(self) -> None:
        self.dead = True
        for moved in list(self.waiting):
            moved.set_exception(Crashed())
        self.waiting.clear()

    @property
    def ended(self) -> bool:
        return self.task is not None and self.task.done()

    @property
    def places(self) -> list[str]:
        return list(self.waiting.values())


async def stop(place: str) -> None:
    """A place at which a puppet can be stopped, apart from its statements. Anybody else goes on."""
    if puppet := _current.get():
        await puppet.stop(place)


class _Cursor(AsyncCursor[Any]):
    async def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        return await _stepped(self.connection, query, super().execute, query, *args, **kwargs)

    async def executemany(self, query: Any, *args: Any, **kwargs: Any) -> None:
        await _stepped(self.connection, query, super().executemany, query, *args, **kwargs)


class _Connection(AsyncConnection[Any]):
    async def commit(self) -> None:
        await _stepped(self, "COMMIT", super().commit)


async def _stepped(connection: Any, query: Any, act: Any, *args: Any, **kwargs: Any) -> Any:
    puppet = _current.get()
    if puppet is None:
        return await act(*args, **kwargs)
    words = query.decode() if isinstance(query, bytes) else query if isinstance(query, str) else query.as_string()
    if not words.startswith("BEGIN"):  # nothing can happen between a transaction's begin and its first statement
        await puppet.stop(" ".join(words.split())[:60])
    pid = connection.info.backend_pid
    puppet.at_work[pid] = puppet.at_work.get(pid, 0) + 1
    try:
        return await act(*args, **kwargs)
    finally:
        puppet.moves += 1
        puppet.at_work.pop(pid)


class SteppedDatabase(Database):
    """The real thing, but for the stops."""

    def __init__(self, url: str, *, size: int) -> None:
        super().__init__(url, size=size)
        self._pool.connection_class = _Connection  # type: ignore[assignment]
        self._pool.kwargs = {**self._pool.kwargs, "cursor_factory": _Cursor}  # type: ignore[dict-item]


class Stage:
    """All the puppets of a test, and the one connection that watches them."""

    def __init__(self, watcher: AsyncConnection[Any]) -> None:
        self._watcher = watcher
        self.puppets: list[Puppet] = []

    @classmethod
    async def open(cls, url: str) -> "Stage":
        return cls(await AsyncConnection.connect(url, autocommit=True))

    async def close(self) -> None:
        await self._watcher.close()

    async def enter(self, name: str, work: Coroutine[Any, Any, Any]) -> Puppet:
        puppet = Puppet(name, work)
        self.puppets.append(puppet)
        puppet.start()
        await self.settle()
        return puppet

    async def move(self, puppet: Puppet, choice: int = 0) -> str:
        place = puppet.move(choice)
        await self.settle()
        return place

    async def crash(self, puppet: Puppet) -> None:
        """Also one that is held up inside the database: its statement is ended, as its connection's end would."""
        puppet.crash()
        for pid in list(puppet.at_work):
            await self._watcher.execute("SELECT pg_cancel_backend(%s)", [pid])
        await self.settle()

    def movable(self) -> list[Puppet]:
        return [puppet for puppet in self.puppets if puppet.waiting]

    async def settle(self) -> None:
        """Until nobody does anything by himself any more."""
        while True:
            before = self._moves()
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if self._moves() != before:
                continue
            pids = [pid for puppet in self.puppets for pid in puppet.at_work]
            if not pids or (await self._held_up(pids) and self._moves() == before):
                return

    async def _held_up(self, pids: list[int]) -> bool:
        """Whether all these wait for a lock of somebody else's."""
        found = await (await self._watcher.execute(_WAITING, [pids])).fetchall()
        return len(found) == len(set(pids))

    def _moves(self) -> int:
        return sum(puppet.moves for puppet in self.puppets) + sum(puppet.ended for puppet in self.puppets)


__all__ = ["Crashed", "Puppet", "Stage", "SteppedDatabase", "psycopg", "stop"]
