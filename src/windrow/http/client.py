"""The one way out: `async with HttpClient(policy) as client: response = await client.get(url)`."""

import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Self, Unpack

import httpx2

from windrow.contracts.errors import Fatal
from windrow.http.addresses import AddressRules
from windrow.http.call import Call, Options, call
from windrow.http.courier import ClassifyResponse, Courier
from windrow.http.decoding import ACCEPTED
from windrow.http.download import Download
from windrow.http.headers import Auth
from windrow.http.network import GuardedNetwork
from windrow.http.policy import HttpPolicy
from windrow.http.resolving import Resolve, system_resolve
from windrow.http.response import Response
from windrow.http.transport import GuardedTransport
from windrow.http.trip import observed
from windrow.http.urls import checked_url, joined, origin_of


def _now() -> datetime:
    return datetime.now(UTC)


class HttpClient:
    """Requests to one source, by its policy.

    With a `base_url`, addresses may be relative to it, and `auth` is asked for the headers that go to its origin and
    nowhere else. `classify_response` may know better than the status what a failure is.
    """

    def __init__(
        self,
        policy: HttpPolicy | None = None,
        *,
        base_url: str | None = None,
        auth: Auth | None = None,
        classify_response: ClassifyResponse | None = None,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve = system_resolve,
        jitter: Callable[[], float] = random.random,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.policy = policy or HttpPolicy()
        self._base = _based(base_url) if base_url else None
        if auth is not None and self._base is None:
            raise Fatal("a client with credentials needs a base_url", hint="say to which origin the credentials belong")
        self._auth = auth
        self._transport = GuardedTransport(GuardedNetwork(AddressRules(self.policy.allow), resolve), tls)
        self._courier = Courier(self.policy, self._transport, classify_response, jitter, now)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    async def get(self, url: str, **options: Unpack[Options]) -> Response:
        """Fetch what is at an address."""
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Unpack[Options]) -> Response:
        """Send something to an address; sent again after a hiccup only if `idempotent`."""
        return await self.request("POST", url, **options)

    async def request(self, method: str, url: str, **options: Unpack[Options]) -> Response:
        """Send a request and read the answer. Raises one of our errors for everything but an accepted status."""
        with observed(self.policy.source, self._call(method, url, options, ACCEPTED)) as trip:
            return await self._courier.deliver(trip)

    @asynccontextmanager
    async def stream(
        self, url: str, *, max_bytes: int, method: str = "GET", **options: Unpack[Options]
    ) -> AsyncIterator[Download]:
        """An answer whose body is read by the caller, up to `max_bytes`; hiccups are retried until it begins."""
        options["limits"] = replace(self.policy.limits, wire_bytes=max_bytes, body_bytes=max_bytes)
        # plain, so that the announced size is the size of the file
        with observed(self.policy.source, self._call(method, url, options, "identity")) as trip:
            async with AsyncExitStack() as kept:
                head = await self._courier.deliver(trip, kept)
                assert trip.reply is not None
                yield Download(head.status, head.url, head.headers, head.redirects, reply=trip.reply)

    def _call(self, method: str, url: str, options: Options, coding: str) -> Call:
        address = joined(self._base, url) if self._base else checked_url(url)
        at_home = self._base is not None and origin_of(address) == origin_of(self._base)
        auth = options.get("auth", self._auth if at_home else None)
        return call(method, address, auth, self.policy, options, coding)


def _based(url: str) -> httpx2.URL:
    base = checked_url(url)
    return base if base.path.endswith("/") else base.copy_with(path=base.path + "/")
