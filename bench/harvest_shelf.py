"""The rows of the harvest benchmark, made beforehand."""

import tempfile
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from bench.harvest_rows import rows


class Shelf:
    """Rows made beforehand, in a file: to make them is not measured, and to hold them is not the loader's memory."""

    def __init__(self, first: int, count: int) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the shelf
        encoder = msgspec.msgpack.Encoder()
        for row in rows(first, count):
            packed = encoder.encode(row)
            self._file.write(len(packed).to_bytes(4) + packed)
        self._file.flush()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """From the first one on, again and again."""
        self._file.seek(0)
        decoder = msgspec.msgpack.Decoder()
        while head := self._file.read(4):
            yield decoder.decode(self._file.read(int.from_bytes(head)))
