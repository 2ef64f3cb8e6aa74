"""The port: what a kind of object storage must be able to do for one tenant. Keys arrive checked.

A driver lets what its library raises go up, except where only it knows what is meant: a missing object
(`errors.not_found`), and a guard that did not hold (`errors.exists`, `errors.changed`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a listing shows it. `etag` is opaque: it changes when the bytes do, and guards a later put."""

    key: str
    size: int
    etag: str
    updated: datetime


@dataclass(frozen=True, slots=True)
class Head(Listed):
    """An object as one is told who asks for it alone."""

    content_type: str


@dataclass(frozen=True, slots=True)
class Anything:
    """Put whatever is there."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Put only where nothing is."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Put only over the bytes that had this etag."""

    etag: str


Guard = Anything | Absent | Matches


class Method(StrEnum):
    """What a signed URL lets its holder do."""

    GET = "GET"
    PUT = "PUT"


# key, method, how long it is good for, and how many bytes may be written at the most
Sign = Callable[[str, Method, timedelta, int | None], Awaitable[str]]


class Upload(Protocol):
    """An object under way: nothing is seen of it before `commit`, and after `abort` nothing ever was."""

    async def write(self, data: bytes) -> None: ...
    async def commit(self) -> None: ...
    async def abort(self) -> None: ...


class Download(Protocol):
    """An opened object: its head, and its bytes piece by piece, from where it was opened."""

    @property
    def head(self) -> Head: ...
    def chunks(self) -> AsyncIterator[bytes]: ...
    async def aclose(self) -> None: ...


class Driver(Protocol):
    """One tenant's objects in one kind of storage."""

    @property
    def kind(self) -> str: ...
    async def put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str: ...
    async def upload(self, key: str, content_type: str) -> Upload: ...
    async def download(self, key: str, start: int) -> Download: ...
    async def head(self, key: str) -> Head | None: ...
    async def delete(self, key: str) -> None: ...
    async def copy(self, source: str, target: str, guard: Anything | Absent) -> None: ...
    async def move(self, source: str, target: str) -> None: ...
    def pages(self, prefix: str, after: str | None) -> AsyncIterator[Sequence[Listed]]: ...
    @property
    def sign(self) -> Sign: ...
