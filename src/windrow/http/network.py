"""The only way to a socket: a name is resolved once, every address is checked, and a checked address is connected to.

A second resolution between check and connection is what a rebinding name waits for; here there is none.
"""

import asyncio
import ssl
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

import httpcore2

from windrow.contracts.errors import Code, Fatal
from windrow.http.addresses import Address, AddressRules
from windrow.http.resolving import Resolve, permitted, system_resolve


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
        try:
            async with asyncio.timeout_at(ends):
                return await permitted(host, port, self._rules, self._resolve)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"the name {host} was not resolved in time") from error

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
