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

from psycopg import AsyncConnection, AsyncCursor
from psycopg.pq import TransactionStatus

from windrow.postgres import Database

# after so many turns of the loop without anything new, nobody has anything to do
_TURNS = 12
# and a statement that takes longer than this is looked at: it may be waiting for somebody
_LONG = 0.003
# not by what the backends say they wait for: one that has just been granted its lock may not have woken up yet
_WAITING = "SELECT DISTINCT pid, pg_blocking_pids(pid) FROM pg_locks WHERE NOT granted AND pid = ANY (%s)"

_current: ContextVar["Puppet | None"] = ContextVar("puppet", default=None)


class Crashed(BaseException):
    """kill -9, as the killed process would see it if it could."""


class Puppet:
    """One process. `waiting` are the places at which it has stopped; there may be several, since it may have several tasks."""

    def __init__(self, name: str, work: Coroutine[Any, Any, Any]) -> None:
        self.name = name
        self.waiting: dict[asyncio.Future[None], str] = {}
        self.at_work: set[int] = set()
        self.answered = asyncio.Event()
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
        await _stop(query)
        return await super().execute(query, *args, **kwargs)

    async def executemany(self, query: Any, *args: Any, **kwargs: Any) -> None:
        await _stop(query)
        await super().executemany(query, *args, **kwargs)


class _Connection(AsyncConnection[Any]):
    async def commit(self) -> None:
        if self.info.transaction_status is not TransactionStatus.IDLE:  # on its way back into the pool
            await _stop("COMMIT")
        await super().commit()

    async def wait(self, *args: Any, **kwargs: Any) -> Any:
        """All that goes to the server and back."""
        puppet = _current.get()
        if puppet is None or self.info.backend_pid in puppet.at_work:
            return await super().wait(*args, **kwargs)
        pid = self.info.backend_pid
        puppet.at_work.add(pid)
        try:
            return await super().wait(*args, **kwargs)
        finally:
            puppet.at_work.discard(pid)
            puppet.moves += 1
            puppet.answered.set()


async def _stop(query: Any) -> None:
    words = query.decode() if isinstance(query, bytes) else query if isinstance(query, str) else query.as_string()
    if not words.startswith("BEGIN"):  # nothing can happen between a transaction's begin and its first statement
        await stop(" ".join(words.split())[:60])


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
        self._since: dict[tuple[Puppet, int], int] = {}

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
        while puppet.at_work:
            for pid in list(puppet.at_work):
                await self._watcher.execute("SELECT pg_cancel_backend(%s)", [pid])
            await self._something(puppet)
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
            busy = [puppet for puppet in self.puppets if puppet.at_work]
            if not busy:
                return
            await self._something(*busy)
            if self._moves() == before and await self._are_held_up(busy) and self._moves() == before:
                return

    async def _something(self, *busy: Puppet) -> None:
        """Until one of them has its answer, or it takes long."""
        answered = [asyncio.create_task(puppet.answered.wait()) for puppet in busy]
        for puppet in busy:
            puppet.answered.clear()
        await asyncio.wait(answered, timeout=_LONG, return_when=asyncio.FIRST_COMPLETED)
        for task in answered:
            task.cancel()

    async def _are_held_up(self, busy: list[Puppet]) -> bool:
        """Whether all that these do is to wait for a lock of somebody else's.

        Who of several is let through when it is released is up to the machine, and would not be so again: only one may
        wait for the same, and who comes after it is killed.
        """
        pids = {pid: puppet for puppet in busy for pid in puppet.at_work}
        found = await (await self._watcher.execute(_WAITING, [list(pids)])).fetchall()
        if len(found) != len(pids):
            return False
        queue = sorted(found, key=lambda row: self._since.setdefault((pids[row[0]], row[0]), len(self._since)))
        awaited: set[int] = set()
        for pid, others in queue:
            if awaited.intersection(others):
                await self.crash(pids[pid])
                return False
            awaited.update(others)
        return True

    def _moves(self) -> int:
        return sum(puppet.moves for puppet in self.puppets) + sum(puppet.ended for puppet in self.puppets)
