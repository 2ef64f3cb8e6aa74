"""httpx2's one-method port, over a pool of connections that only `GuardedNetwork` makes.

There is no `httpx2.AsyncClient` above it: cookie jars, environment proxies, netrc and redirects on their own are what an
outbound client for other people's addresses must not have.
"""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import cache
from typing import Protocol, cast

import httpcore2
import httpx2

from windrow.http.closing import to_the_end
from windrow.http.network import GuardedNetwork

CONNECTIONS = 64
KEEP_ALIVE_SECONDS = 30.0


@cache
def system_tls() -> ssl.SSLContext:
    """The machine's own certificates, read once a process; the environment does not choose them."""
    return httpx2.create_ssl_context(trust_env=False)


class _PoolStream(Protocol):
    def __aiter__(self) -> AsyncGenerator[bytes, None]: ...

    async def aclose(self) -> None: ...


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, stream: _PoolStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # closed by hand: a generator left to the collector would keep its connection until then
        async with aclosing(self._stream.__aiter__()) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        # the pool shields this from anyio's cancellation, not from asyncio's: half done, it never gives the place back
        await to_the_end(self._stream.aclose())


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends one request over a pooled connection; raises what httpcore2 and `GuardedNetwork` raise."""

    def __init__(self, network: GuardedNetwork, tls: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls or system_tls(),
            max_connections=CONNECTIONS,
            max_keepalive_connections=CONNECTIONS,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=network,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send, and return as soon as the headers are there."""
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        stream = _Stream(cast("_PoolStream", answer.stream))
        return httpx2.Response(answer.status, headers=answer.headers, stream=stream, request=request)

    async def aclose(self) -> None:
        """Close every connection, also those in use."""
        await self._pool.aclose()

    @property
    def open_connections(self) -> int:
        """How many connections are open, in use or kept for the next request."""
        return len(self._pool.connections)
