"""Undoing `Content-Encoding` a piece at a time, so that a small body cannot become a large one unseen."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure

# what we ask for; other codings would need libraries whose output cannot be bounded as well
ACCEPTED = "gzip, deflate"
PIECE = 64 * 1024
_MEMBERS = 1000
_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class Decoder(Protocol):
    """Turns bytes of the wire into bytes of the body."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes decode to, in pieces of bounded size."""

    def finish(self) -> None:
        """Fail if the body was cut short."""


class Identity:
    """A body that is sent as it is."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        """The transport has counted the bytes already."""


class Inflater:
    """gzip, in one member or several, and deflate with or without its zlib header."""

    def __init__(self, coding: str) -> None:
        self._gzip = coding == "gzip"
        self._head = b""
        self._inflate = zlib.decompressobj(_GZIP) if self._gzip else None
        self._members = 1
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._head, data = b"", self._head + data
        if self._inflate is None and len(data) < 2:
            self._head = data
            return
        try:
            yield from self._inflated(data)
        except zlib.error as error:
            raise ValidationFailure(
                f"the compressed body is damaged: {error}",
                code=Code.INVALID_VALUE,
                hint="the source sends a body that is not what its Content-Encoding says",
            ) from error

    def finish(self) -> None:
        unfinished = self._inflate is not None and not self._inflate.eof
        if self._head or (unfinished and self._started):
            raise RetryableTransient("the compressed body ends too early", code=Code.NETWORK)

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        if self._inflate is None:
            self._inflate = zlib.decompressobj(_ZLIB if _has_zlib_header(data) else _RAW)
        while not self._inflate.eof or self._next_member(data):
            piece = self._inflate.decompress(data, PIECE)
            yield piece
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
            # a full piece may leave output behind even where all input is taken
            if not data and len(piece) < PIECE:
                return

    def _next_member(self, data: bytes) -> bool:
        """Whether more gzip follows. What follows a deflate stream, and padding after gzip, is not part of the body."""
        if not self._gzip or not data.startswith(b"\x1f"):
            return False
        self._members += 1
        if self._members > _MEMBERS:
            raise ValidationFailure("the compressed body has too many parts", code=Code.TOO_LARGE)
        self._inflate = zlib.decompressobj(_GZIP)
        return True


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder for a `Content-Encoding`: at most one coding, and only those we asked for."""
    codings = [name.strip().lower().removeprefix("x-") for name in content_encoding.split(",")]
    applied = [name for name in codings if name not in ("", "identity")]
    if not applied:
        return Identity()
    if len(applied) > 1 or applied[0] not in ("gzip", "deflate"):
        raise ValidationFailure(
            f"the body is encoded as {content_encoding[:60]!r}, and {ACCEPTED} were asked for",
            code=Code.CONTENT_TYPE,
            hint="the source does not honour Accept-Encoding; have it send plain or gzip bodies",
        )
    return Inflater(applied[0])
