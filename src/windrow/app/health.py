"""Whether a process lives and is ready, for whoever restarts it or sends it work: `/livez` and `/readyz`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

_LONGEST_REQUEST = 4096
_PATIENCE = 5.0


@asynccontextmanager
async def answering(host: str, port: int, is_ready: Callable[[], bool]) -> AsyncIterator[int]:
    """Answer on this port (0: a free one, which is yielded) as long as the body runs."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(head.split(b" ", 2)[1:2], is_ready))
                await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(answer, host, port, limit=_LONGEST_REQUEST)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _response(asked: list[bytes], is_ready: Callable[[], bool]) -> bytes:
    match asked:
        case [b"/livez"]:
            status, said = "200 OK", "alive"
        case [b"/readyz"] if is_ready():
            status, said = "200 OK", "ready"
        case [b"/readyz"]:
            status, said = "503 Service Unavailable", "not ready"
        case _:
            status, said = "404 Not Found", "there are /livez and /readyz"
    body = f"{said}\n".encode()
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body
