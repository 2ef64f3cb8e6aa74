"""The only way to a socket: a name is resolved once, every address is checked, and a checked address is connected to.

A second resolution between check and connection is what a rebinding name waits for; here there is none.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore2

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.http.addresses import Address, AddressRules, refused
from windrow.http.urls import literal

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
# a name with a hundred addresses, all of them dead, is not worth a hundred tries
TRIED = 4


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as the system knows them, best first."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class OwnedStream(httpcore2.AsyncNetworkStream):
    """A connection that is closed when its handshake is given up: the library does so for errors, not for a cancellation."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """TCP connections to addresses that the rules permit, and to nothing else: unix sockets are left unimplemented."""

    def __init__(
        self,
        rules: AddressRules,
        resolve: Resolve = system_resolve,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._rules, self._resolve = rules, resolve
        self._network = network or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the host by one of its addresses, after all of them were found to be permitted."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + (timeout or 60.0)
        addresses = await self._permitted(host, port, ends)
        for place, address in enumerate(addresses, start=1):
            # an address that swallows packets must leave time for the next
            share = max(ends - loop.time(), 0.001) / (len(addresses) - place + 1)
            try:
                return await self._connected(address, host, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if place == len(addresses):
                    raise
        raise AssertionError("a name without addresses was refused before")

    async def _permitted(self, host: str, port: int, ends: float) -> list[Address]:
        """The addresses to try; one that is not permitted condemns the name, since another answer may follow."""
        alone = literal(host)
        addresses = [alone] if alone is not None else await self._resolved(host, port, ends)
        for address in addresses:
            if (reason := self._rules.why_refused(host, port, address)) is not None:
                raise refused(host, port, address, reason)
        return addresses[:TRIED]

    async def _resolved(self, host: str, port: int, ends: float) -> list[Address]:
        try:
            async with asyncio.timeout_at(ends):
                found = [ip_address(text) for text in await self._resolve(host, port)]
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"the name {host} was not resolved in time") from error
        except OSError as error:
            raise _unresolved(host) from error
        except UnicodeError as error:
            raise ValidationFailure(f"{host!r} is not a host name", hint="check the host") from error
        if not found:
            raise _unresolved(host)
        return found

    async def _connected(
        self,
        address: Address,
        host: str,
        port: int,
        timeout: float,
        local_address: str | None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None,
    ) -> httpcore2.AsyncNetworkStream:
        stream = await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)
        peer = stream.get_extra_info("server_addr")
        if peer is None or ip_address(peer[0]) != address or peer[1] != port:
            await stream.aclose()
            raise Fatal(
                f"the connection to {host}:{port} ended at {peer} instead of {address}",
                code=Code.ADDRESS_REFUSED,
                hint="something on this machine redirects connections; check its network rules",
            )
        return OwnedStream(stream)


def _unresolved(host: str) -> RetryableTransient:
    return RetryableTransient(f"the name {host} could not be resolved", code=Code.NETWORK, hint="check the host name")
