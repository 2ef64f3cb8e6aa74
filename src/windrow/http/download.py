"""A body too large for memory: read piece by piece, or saved to a file that is there whole or not at all."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from windrow.contracts.errors import classify
from windrow.http.closing import to_the_end
from windrow.http.policy import MIB
from windrow.http.reply import Reply
from windrow.http.response import Head

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Saved:
    """A file that was written: how large it is and its SHA-256."""

    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, repr=False)
class Download(Head):
    """An answer whose body is still to come; it can be read once, inside `async with client.stream(…)`."""

    reply: Reply = field(kw_only=True, compare=False)

    @property
    def size(self) -> int | None:
        """The length that the source announces, if it does."""
        return self.reply.announced

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.reply.chunks()

    async def save(self, path: Path) -> Saved:
        """Write the body to `path`. The name appears only once the body is complete; not yet flushed to the disk."""
        part = path.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with _created(part) as sink:
                size, digest = await self._pour(sink)
            await _off_loop(part.replace, path)
        except OSError as error:
            raise classify(error) from error
        finally:
            await _off_loop(part.unlink, missing_ok=True)
        return Saved(path, size, digest)

    async def _pour(self, sink: BinaryIO) -> tuple[int, str]:
        digest, block, size = hashlib.sha256(), bytearray(), 0
        async with aclosing(self.reply.chunks()) as chunks:
            async for chunk in chunks:
                block += chunk
                if len(block) >= MIB:
                    size += await _off_loop(_write, sink, digest, bytes(block))
                    block.clear()
        size += await _off_loop(_write, sink, digest, bytes(block))
        await _off_loop(sink.flush)
        return size, digest.hexdigest()


def _created(path: Path) -> BinaryIO:
    # not in a thread: an opened file whose opener was cancelled would have no owner
    return path.open("xb")


def _write(sink: BinaryIO, digest: "hashlib._Hash", block: bytes) -> int:
    digest.update(block)
    return sink.write(block)


async def _off_loop(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    # to its end even when we are cancelled: a file must not be closed under a write
    return await to_the_end(asyncio.to_thread(function, *args, **kwargs))
