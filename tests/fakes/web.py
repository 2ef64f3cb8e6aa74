"""The outside world on loopback: an HTTP server that answers what a test tells it to, byte for byte if need be."""

import asyncio
import json
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    """A request as it came in; `connection` counts the connections of the server."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Exchange:
    """A request, and the wire to answer it on."""

    request: Received
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Break the connection as a crashing peer does."""
        plain: socket.socket = self.writer.get_extra_info("socket")
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.writer.transport.abort()


Answer = bytes | Callable[[Exchange], Awaitable[None]]


def answer(status: int = 200, body: bytes | Any = b"", headers: dict[str, str] | None = None) -> bytes:
    """A whole answer; a body that is not bytes is sent as JSON."""
    given = {name.lower(): value for name, value in (headers or {}).items()}
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
        given.setdefault("content-type", "application/json")
    if status not in (204, 304):
        given.setdefault("content-length", str(len(body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status} Anything\r\n{head}\r\n".encode() + body


async def reset(exchange: Exchange) -> None:
    """An answer that never comes: the connection breaks."""
    exchange.reset()


@dataclass
class Web:
    """`async with Web() as web: web.on("/path", answer(…), answer(…))`; the last answer of a path is given again and again."""

    host: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    open: int = 0

    def __post_init__(self) -> None:
        self._answers: dict[str, list[Answer]] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._left = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self.host, 0, ssl=self.tls, limit=1024 * 1024)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def door(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def url(self, path: str = "/", *, host: str | None = None) -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{host}:{self.port}{path}" if host else f"{scheme}://{self.door}{path}"

    def on(self, path: str, *answers: Answer) -> None:
        """What to answer to requests for a path, one after the other."""
        self._answers[path] = list(answers)

    async def empty(self) -> None:
        """Wait until no connection is open any more."""
        while self.open:
            self._left.clear()
            await self._left.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.current_task()
        assert handler is not None
        self._handlers.add(handler)
        self.connections += 1
        self.open += 1
        number = self.connections
        try:
            while request := await self._request(reader, number):
                self.requests.append(request)
                await self._answer(Exchange(request, reader, writer))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self._left.set()
            self._handlers.discard(handler)
            writer.transport.abort()

    async def _request(self, reader: asyncio.StreamReader, connection: int) -> Received | None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Received(method, target, headers, body, connection)

    async def _answer(self, exchange: Exchange) -> None:
        prepared = self._answers.get(exchange.request.path, [answer(404, b"no such page")])
        given = prepared.pop(0) if len(prepared) > 1 else prepared[0]
        if isinstance(given, bytes):
            await exchange.send(given)
            if b"connection: close" in given.lower():
                exchange.writer.write_eof()
        else:
            await given(exchange)
