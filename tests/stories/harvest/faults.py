"""Faults from outside: every way out of a process gets a point before and after it, and at one of them something happens.

Put in place before any of our code runs, around the two libraries by which a process touches the world: psycopg, all of
whose statements go through `AsyncConnection.wait`, and the calls of the source, which each connector announces. Points
have names, `before outbox/append #3`, since two tasks of a process may reach theirs in either order.

    before    nothing of it has left the process; what came before it was answered
    sent      it has left, and nobody will hear the answer: of a COMMIT
    after     it was answered, and nothing was done about that yet: where no transaction goes on, and of a call of the source
"""

import os
import re
import signal
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, AsyncCursor
from psycopg.pq import TransactionStatus
from psycopg.waiting import Wait

import windrow
from windrow.postgres.queries import Queries


class Act(StrEnum):
    """What happens at a point."""

    KILL = "kill"  # kill -9, by itself
    STOP = "stop"  # it sleeps until somebody wakes it: a zombie
    SEVER = "sever"  # its connection breaks


@dataclass(frozen=True)
class Fault:
    """What happens, and at which point."""

    act: Act
    at: str


class Points:
    """Counts the points as they are reached; `last_words` is called before the process dies or stops."""

    def __init__(self, fault: Fault | None, note: Callable[[str], None], last_words: Callable[[Act], None]) -> None:
        self._fault, self._note, self._last_words = fault, note, last_words
        self._reached: Counter[str] = Counter()

    def name(self, moment: str, what: str) -> str:
        self._reached[f"{moment} {what}"] += 1
        return f"{moment} {what} #{self._reached[f'{moment} {what}']}"

    def reach(self, moment: str, what: str, connection: AsyncConnection[Any] | None = None) -> None:
        name = self.name(moment, what)
        self._note(name)
        self.act(name, connection)

    def act(self, name: str, connection: AsyncConnection[Any] | None) -> None:
        if self._fault is None or self._fault.at != name:
            return
        match self._fault.act:
            case Act.KILL:
                self._last_words(Act.KILL)
                os.kill(os.getpid(), signal.SIGKILL)
            case Act.STOP:
                self._last_words(Act.STOP)
                os.kill(os.getpid(), signal.SIGSTOP)
            case Act.SEVER if connection is not None:
                _sever(connection)

    @contextmanager
    def watch(self, call: str) -> Iterator[None]:
        """Around a call of the source."""
        self.reach("before", call)
        yield
        self.reach("after", call)

    def install(self) -> None:
        """Around psycopg, for the rest of this process."""
        _instrument(self)

    async def around(
        self,
        connection: AsyncConnection[Any],
        generator: Generator[Any, Any, Any],
        wait: Callable[[Generator[Any, Any, Any]], Awaitable[Any]],
    ) -> Any:
        """One exchange with the server."""
        what = _saying.get()
        if what in _ENDS and _is_idle(connection):
            return await wait(generator)  # nothing to end, nothing is sent
        self.reach("before", what, connection)
        if what in _ENDS:
            sent = self.name("sent", what)
            self._note(sent)
            generator = self._until_sent(generator, sent, connection)
        answered = await wait(generator)
        if _is_idle(connection):
            self.reach("after", what, connection)
        return answered

    def _until_sent(
        self, generator: Generator[Any, Any, Any], sent: str, connection: AsyncConnection[Any]
    ) -> Generator[Any, Any, Any]:
        """Drives psycopg's exchange; the first time that it only wants to read, all is sent."""
        reading = False
        try:
            wanted = next(generator)
            while True:
                if wanted == Wait.R and not reading:
                    reading = True
                    self.act(sent, connection)
                wanted = generator.send((yield wanted))
        except StopIteration as ended:
            return ended.value


# what this task is saying to the server
_saying: ContextVar[str] = ContextVar("saying", default="psycopg")


_ENDS = ("commit", "rollback")


def _is_idle(connection: AsyncConnection[Any]) -> bool:
    return connection.pgconn.transaction_status == TransactionStatus.IDLE


def _instrument(points: Points) -> None:
    """psycopg is the outside world here: its methods are wrapped, and nothing of ours is."""
    connection: Any = AsyncConnection
    wait, connect = connection.wait, connection.connect.__func__

    async def watched_wait(self: Any, generator: Any, *args: Any, **more: Any) -> Any:
        return await points.around(self, generator, lambda wrapped: wait(self, wrapped, *args, **more))

    async def watched_connect(cls: Any, *args: Any, **more: Any) -> Any:
        points.reach("before", "connect")
        connected = await connect(cls, *args, **more)
        points.reach("after", "connect")
        return connected

    connection.wait, connection.connect = watched_wait, classmethod(watched_connect)
    _label(AsyncCursor, "execute", lambda query, *_: _named(query))
    _label(AsyncCursor, "executemany", lambda query, *_: _named(query))
    for end in _ENDS:
        _label(AsyncConnection, end, lambda *_, end=end: end)


def _label(owner: Any, method: str, label: Callable[..., str]) -> None:
    original = getattr(owner, method)

    async def labelled(self: Any, *args: Any, **more: Any) -> Any:
        token = _saying.set(label(*args))
        try:
            return await original(self, *args, **more)
        finally:
            _saying.reset(token)

    setattr(owner, method, labelled)


def _sever(connection: AsyncConnection[Any]) -> None:
    """What was sent has been sent; nothing more goes either way."""
    wire = socket.socket(fileno=os.dup(connection.fileno()))
    try:
        wire.shutdown(socket.SHUT_RDWR)
    finally:
        wire.close()


def _queries() -> Iterator[tuple[re.Pattern[bytes], str]]:
    """The text of each named query, with whatever is filled in, and its name: `outbox/append`."""
    root = Path(windrow.__file__).parent
    for file in sorted(root.rglob("*.sql")):
        text = file.read_text()
        if file.parent.name == "migrations" or not re.match(r"-- [a-z_]+: ", text):
            continue
        for query in Queries(str(file), text):
            filled = re.sub(rb"\\{[a-z_]+\\}", b".*", re.escape(query.text))
            yield re.compile(filled, re.DOTALL), f"{file.parent.name}/{query.name}"


_KNOWN = list(_queries())
_names: dict[bytes, str] = {}


def _named(query: Any) -> str:
    text = query if isinstance(query, bytes) else query.encode() if isinstance(query, str) else query.as_bytes()
    if text not in _names:
        found = (name for pattern, name in _KNOWN if pattern.fullmatch(text))
        _names[text] = next(found, " ".join(text.decode().split())[:50])
    return _names[text]
