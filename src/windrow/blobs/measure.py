"""Bytes on their way, counted and hashed; stopped as soon as there are too many."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from windrow.blobs import refusals
from windrow.blobs.blob import Blob
from windrow.objects import ObjectStore

# a network brings small pieces, and each piece that is written is a visit to a thread
PIECE = 512 * 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """How much it was, and what its hash is."""

    size: int
    sha256: str


class Measure:
    """Takes the bytes of one upload; `ended` says what they were, or refuses them."""

    def __init__(self, most: int) -> None:
        self._most, self._size, self._hash = most, 0, hashlib.sha256()

    async def pieces(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The same bytes in larger pieces."""
        held = bytearray()
        async for chunk in chunks:
            self._size += len(chunk)
            if self._size > self._most:
                raise refusals.too_large(self._most)
            held += chunk
            if len(held) >= PIECE:
                yield await self._hashed(bytes(held))
                held.clear()
        if held:
            yield await self._hashed(bytes(held))

    def ended(self, blob: Blob) -> Measured:
        """What it was, if that is what was announced."""
        found = Measured(self._size, self._hash.hexdigest())
        if blob.announced_size not in (None, found.size):
            raise refusals.other_bytes("size", blob.announced_size, found.size)
        if blob.announced_sha256 not in (None, found.sha256):
            raise refusals.other_bytes("sha256", blob.announced_sha256, found.sha256)
        return found

    async def _hashed(self, piece: bytes) -> bytes:
        self._hash.update(piece)
        # half a megabyte takes a fraction of a millisecond; others get their turn in between
        await asyncio.sleep(0)
        return piece


async def measured(store: ObjectStore, key: str, blob: Blob, most: int) -> Measured:
    """What an object holds, if that is what was announced. Read, since a store's own word for a hash differs by store."""
    measure = Measure(most)
    async with store.open_reader(key) as reader:
        if reader.head.size > most:
            raise refusals.too_large(most)
        async for _ in measure.pieces(aiter(reader)):
            pass
    return measure.ended(blob)
