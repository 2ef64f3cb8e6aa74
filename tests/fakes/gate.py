"""What stands before a Temporal of somebody else: TLS, client certificates, API keys. HTTP/2 on the wire."""

import asyncio
import ssl
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.fakes.certificates import Authority, Certified

_PREFACE = 24
_HEADERS, _SETTINGS, _DATA = 1, 4, 0
_ACK = _END_STREAM = 1
_UNAUTHENTICATED = 16


class Gate:
    """`async with Gate(server, folder) as gate`: TLS outside, plain to the server behind; `seen` is what clients sent.

    Without a server behind it, every call is answered with `UNAUTHENTICATED`.
    """

    def __init__(self, behind: str | None, shown: Certified, folder: Path, *, clients: Authority | None = None) -> None:
        self._behind = behind
        self.seen = bytearray()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*shown.written(folder))
        self._context.set_alpn_protocols(["h2"])
        if clients is not None:
            self._context.load_verify_locations(cadata=clients.cert.decode())
            self._context.verify_mode = ssl.CERT_REQUIRED
        self._handlers: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    def has_seen_header(self, value: str) -> bool:
        """Whether a client sent a header of this value, compressed as HTTP/2 does."""
        return huffman(value) in self.seen

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.current_task()
        assert handler is not None
        self._handlers.add(handler)
        try:
            await (self._forward(reader, writer) if self._behind else self._refuse(reader, writer))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._handlers.discard(handler)
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._behind is not None
        host, _, port = self._behind.rpartition(":")
        back_reader, back_writer = await asyncio.open_connection(host, int(port))
        try:
            ways = [asyncio.create_task(self._pass(reader, back_writer, self.seen))]
            ways.append(asyncio.create_task(self._pass(back_reader, writer, bytearray())))
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            back_writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: bytearray) -> None:
        while data := await reader.read(65536):
            seen += data
            writer.write(data)
            await writer.drain()

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(_PREFACE)
        writer.write(_frame(_SETTINGS, 0, 0))
        while True:
            head = await reader.readexactly(9)
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            self.seen += await reader.readexactly(int.from_bytes(head[:3], "big"))
            if kind == _SETTINGS and not flags & _ACK:
                writer.write(_frame(_SETTINGS, _ACK, 0))
            elif kind in (_HEADERS, _DATA) and flags & _END_STREAM:
                writer.write(_frame(_HEADERS, _END_STREAM | 4, stream, _refusal()))
            await writer.drain()


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _refusal() -> bytes:
    """Status 200 from the static table, then what gRPC needs, written out."""
    headers = {"content-type": "application/grpc", "grpc-status": str(_UNAUTHENTICATED), "grpc-message": "who are you"}
    written = b"".join(
        b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in headers.items()
    )
    return b"\x88" + written


def huffman(text: str) -> bytes:
    """RFC 7541, for the characters with the shortest codes: they count up, from one length to the next."""
    codes, code = dict[str, str](), 0
    for length, symbols in (
        (5, "012aceiost"),
        (6, " %-./3456789=A_bdfghlmnpru"),
        (7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"),
    ):
        for symbol in symbols:
            codes[symbol] = f"{code:0{length}b}"
            code += 1
        code <<= 1
    bits = "".join(codes[symbol] for symbol in text)
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")
