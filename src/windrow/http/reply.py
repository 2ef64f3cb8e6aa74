"""The answer as it arrives: headers first, then a body that is counted, decoded and capped on its way."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import httpx2

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.http.decoding import decoder_for
from windrow.http.failures import translated
from windrow.http.policy import MIB, Limits

# bodies that only explain a failure or a redirect are read this far
EXPLANATION_BYTES = 64 * 1024
# a short body may be dense by nature: a page of equal rows is not a bomb
_DENSE_IS_FINE_BELOW = 8 * MIB


class Reply:
    """One answer whose body has not been read yet. `wire_bytes` counts what came in."""

    def __init__(self, raw: httpx2.Response, limits: Limits) -> None:
        self._raw, self._limits = raw, limits
        self.status = raw.status_code
        self.headers: Mapping[str, str] = raw.headers
        self.wire_bytes = 0
        self._reading: AsyncGenerator[bytes, None] | None = None

    @property
    def announced(self) -> int | None:
        """The length that the answer announces for its body on the wire."""
        length = self.headers.get("content-length", "")
        return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else None

    def check_headers(self) -> None:
        """Refuse an answer that has too much to say before its body."""
        pairs = self._raw.headers.raw
        size = sum(len(name) + len(value) for name, value in pairs)
        if size > self._limits.header_bytes or len(pairs) > self._limits.headers:
            raise self._too_large(f"it has {len(pairs)} headers of {size} bytes in all")

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """The decoded body, never more than the limits allow. It can be read once."""
        self._reading = self._chunks()
        return self._reading

    async def aclose(self) -> None:
        """Stop reading, and give the connection back or close it."""
        try:
            if self._reading is not None:
                await self._reading.aclose()
        finally:
            await self._raw.aclose()

    async def body(self) -> bytes:
        """The whole body."""
        async with aclosing(self.chunks()) as chunks:
            return b"".join([chunk async for chunk in chunks])

    async def explanation(self) -> bytes:
        """The beginning of a body that nobody asked for; what goes wrong with it is not worth an error of its own."""
        parts: list[bytes] = []
        size = 0
        try:
            async with aclosing(self.chunks()) as chunks:
                async for chunk in chunks:
                    parts.append(chunk)
                    size += len(chunk)
                    if size >= EXPLANATION_BYTES:
                        break
        except WindrowError:
            pass
        return b"".join(parts)[:EXPLANATION_BYTES]

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        with translated(self._raw.request.url):
            self._check_announced()
            async with aclosing(self._decoded()) as pieces:
                async for piece in pieces:
                    yield piece

    async def _decoded(self) -> AsyncGenerator[bytes, None]:
        decoder = decoder_for(self.headers.get("content-encoding", ""))
        body_bytes = 0
        async with aclosing(self._raw.aiter_raw()) as wire:
            async for data in wire:
                self.wire_bytes += len(data)
                self._check_wire()
                for piece in decoder.feed(data):
                    body_bytes += len(piece)
                    self._check_body(body_bytes)
                    if piece:
                        yield piece
        decoder.finish()

    def _check_announced(self) -> None:
        has_body = self._raw.request.method != "HEAD" and self.status not in (204, 304)
        if has_body and self.announced is not None and self.announced > self._limits.wire_bytes:
            raise self._too_large(f"it announces {self.announced} bytes")

    def _check_wire(self) -> None:
        if self.wire_bytes > self._limits.wire_bytes:
            raise self._too_large(f"more than {self._limits.wire_bytes} bytes came in")

    def _check_body(self, body_bytes: int) -> None:
        if body_bytes > self._limits.body_bytes:
            raise self._too_large(f"it unpacks to more than {self._limits.body_bytes} bytes")
        if body_bytes > _DENSE_IS_FINE_BELOW and body_bytes > self.wire_bytes * self._limits.ratio:
            raise self._too_large(f"it unpacks to more than {self._limits.ratio} times its size")

    def _too_large(self, why: str) -> ValidationFailure:
        return ValidationFailure(
            f"the answer is too large: {why}",
            code=Code.TOO_LARGE,
            hint="ask for less at a time, or have the operator raise the limit",
        )
