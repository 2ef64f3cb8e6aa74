"""Where an export goes: a folder of the tenant's objects, or a directory of this machine."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from windrow.contracts.errors import ValidationFailure, classify
from windrow.objects import ObjectStore
from windrow.objects.threads import in_thread

Write = Callable[[bytes], Awaitable[None]]
_UNFINISHED = ".unfinished"


class Destination(Protocol):
    """Named files without folders. One that is written is there as a whole or not at all."""

    def writing(self, name: str, media_type: str) -> AbstractAsyncContextManager[Write]: ...

    async def read(self, name: str) -> bytes | None:
        """A small file, or None."""

    async def stamp(self, name: str) -> str | None:
        """What is different after anybody has written the file again; None if it is not there."""

    async def delete(self, name: str) -> None: ...

    def names(self) -> AsyncIterator[str]: ...


@dataclass(frozen=True, slots=True)
class Folder:
    """Objects below a prefix."""

    store: ObjectStore
    prefix: str

    @asynccontextmanager
    async def writing(self, name: str, media_type: str) -> AsyncIterator[Write]:
        async with self.store.open_writer(self._key(name), content_type=media_type) as writer:
            yield writer.write

    async def read(self, name: str) -> bytes | None:
        if await self.store.head(self._key(name)) is None:
            return None
        return await self.store.get(self._key(name))

    async def stamp(self, name: str) -> str | None:
        head = await self.store.head(self._key(name))
        # of some stores an etag covers the bytes alone, and the same bytes are no other file
        return f"{head.etag} {head.size}" if head else None

    async def delete(self, name: str) -> None:
        await self.store.delete(self._key(name))

    async def names(self) -> AsyncIterator[str]:
        async for listed in self.store.list(self.prefix):
            name = listed.key.removeprefix(f"{self.prefix}/")
            if "/" not in name:
                yield name

    def __str__(self) -> str:
        return f"objects {self.prefix}/"

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}"


@dataclass(frozen=True, slots=True)
class Directory:
    """Files of a directory, which is made where it is missing."""

    path: Path

    @asynccontextmanager
    async def writing(self, name: str, media_type: str) -> AsyncIterator[Write]:  # noqa: ARG002 - files have none
        unfinished = self.path / f"{name}{_UNFINISHED}"
        with _translated():
            file = self._begin(unfinished)  # not in a thread: whoever is cancelled meanwhile would lose an open file
            try:
                yield lambda data: _written(file, data)
                await in_thread(_settle, file, self.path / name)
            except BaseException:
                file.close()
                unfinished.unlink(missing_ok=True)
                raise

    async def read(self, name: str) -> bytes | None:
        with _translated(), suppress(FileNotFoundError):
            return await in_thread((self.path / name).read_bytes)
        return None

    async def stamp(self, name: str) -> str | None:
        with _translated(), suppress(FileNotFoundError):
            found = await in_thread((self.path / name).stat)
            return f"{found.st_ino} {found.st_mtime_ns} {found.st_size}"
        return None

    async def delete(self, name: str) -> None:
        with _translated():
            await in_thread((self.path / name).unlink, missing_ok=True)

    async def names(self) -> AsyncIterator[str]:
        with _translated():
            found = await in_thread(_listed, self.path)
        for name in found:
            yield name

    def __str__(self) -> str:
        return f"directory {self.path}"

    def _begin(self, unfinished: Path) -> IO[bytes]:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValidationFailure(
                f"{self.path} cannot be a directory: something else is there", hint="name another place"
            ) from None
        return unfinished.open("wb")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise classify(error) from error


async def _written(file: IO[bytes], data: bytes) -> None:
    await in_thread(file.write, data)


def _settle(file: IO[bytes], path: Path) -> None:
    """On the disk first, then under its name, and the name on the disk too."""
    with file:
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _listed(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir()) if path.exists() else []
