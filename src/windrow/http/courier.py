"""How a call is carried out: turn, request, verdict; hiccups again at once, a refused proof once more, redirects onwards."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta

import httpx2

from windrow.contracts.errors import Code, RateLimited, RetryableTransient, ValidationFailure, WindrowError
from windrow.http.failures import HICCUPS, HttpFailure, HttpForbidden, failure, translated, wrong_kind
from windrow.http.gate import Gate
from windrow.http.headers import unsecret
from windrow.http.hops import REDIRECTS, Hop, redirected
from windrow.http.policy import HttpPolicy
from windrow.http.reply import Reply
from windrow.http.response import Redirect, Response
from windrow.http.retry_after import http_date, retry_after
from windrow.http.trip import Trip
from windrow.http.urls import door_of, shown
from windrow.telemetry import emit
from windrow.telemetry.catalogue import http

ClassifyResponse = Callable[[Response], WindrowError | None]


class Courier:
    """Carries the calls of one client."""

    def __init__(
        self,
        policy: HttpPolicy,
        transport: httpx2.AsyncBaseTransport,
        classify_response: ClassifyResponse | None,
        jitter: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._policy, self._transport = policy, transport
        self._gate = Gate(policy.rate, policy.per_host, policy.timeouts.queue)
        self._classify, self._jitter, self._now = classify_response, jitter, now

    async def deliver(self, trip: Trip, kept: AsyncExitStack | None = None) -> Response:
        """The accepted answer. With `kept`, its body is left unread in `trip.reply`, to be closed with that stack."""
        auth = trip.call.auth
        hop = trip.call.hop.proving(await auth()) if auth else trip.call.hop
        doubted = False
        while True:
            try:
                response = await self._patiently(hop, trip, kept)
            except HttpForbidden as refusal:
                if refusal.code is not Code.UNAUTHORIZED or auth is None or doubted or not hop.proven:
                    raise
                doubted = True
                hop = hop.proving(await auth(refused=True))
                continue
            if trip.call.accepts(response.status):
                return response
            hop = self._onwards(hop, response, trip)

    async def _patiently(self, hop: Hop, trip: Trip, kept: AsyncExitStack | None) -> Response:
        """One request, sent again at once after a hiccup (D17)."""
        while True:
            try:
                return await self._judged(hop, trip, kept)
            except RetryableTransient as error:
                delay = self._hiccup_delay(error, hop, trip)
                if delay is None:
                    raise
                trip.hiccups += 1
                self._say_hiccup(error, hop, trip, delay)
            await asyncio.sleep(delay.total_seconds())

    async def _judged(self, hop: Hop, trip: Trip, kept: AsyncExitStack | None) -> Response:
        """One request whose answer is accepted or a redirect to follow; everything else is raised."""
        response = await self._sent(hop, trip, kept)
        verdict = self._verdict(response, trip)
        if verdict is None:
            return response
        if isinstance(verdict, RateLimited):
            self._hold(hop, response, verdict)
        raise verdict

    async def _sent(self, hop: Hop, trip: Trip, kept: AsyncExitStack | None) -> Response:
        """Wait for a turn, send, and take in the answer as far as it is wanted."""
        async with AsyncExitStack() as stack:
            queued = time.monotonic()
            await stack.enter_async_context(self._gate.admitted(door_of(hop.url), follow_up=trip.requests > 0))
            http.QUEUE_SECONDS.record(time.monotonic() - queued, source=self._policy.source)
            await stack.enter_async_context(trip.on_the_clock())
            trip.sends()
            reply = await self._opened(hop, trip, stack)
            if not trip.call.accepts(reply.status):
                return self._response(hop, trip, reply, await reply.explanation())
            if kept is None:
                return self._response(hop, trip, reply, await reply.body())
            await kept.enter_async_context(stack.pop_all())
            trip.reply = reply
            return self._response(hop, trip, reply, b"")

    async def _opened(self, hop: Hop, trip: Trip, stack: AsyncExitStack) -> Reply:
        with translated(hop.url):
            raw = await self._transport.handle_async_request(hop.request(self._policy.timeouts))
            reply = Reply(raw, trip.call.limits)
            stack.callback(trip.received, reply)
            stack.push_async_callback(reply.aclose)
            reply.check_headers()
        trip.status = reply.status
        return reply

    def _response(self, hop: Hop, trip: Trip, reply: Reply, body: bytes) -> Response:
        secrets = hop.secrets + trip.call.secrets
        return Response(reply.status, str(hop.url), reply.headers, trip.redirects, body, unsecret(secrets))

    def _verdict(self, response: Response, trip: Trip) -> WindrowError | None:
        """What speaks against an answer; None for an accepted one and for a redirect."""
        if trip.call.accepts(response.status):
            has_body = response.body != b"" or (trip.reply is not None and not response.not_modified)
            right = not has_body or trip.call.accepts_kind(response.media_type)
            return None if right else wrong_kind(response, trip.call.accept)
        if response.status in REDIRECTS and "location" in response.headers:
            return None
        known = self._classify(response) if self._classify else None
        return known or failure(response, self._retry_after(response))

    def _retry_after(self, response: Response) -> float | None:
        there = http_date(response.headers.get("date")) or self._now()
        return retry_after(response.headers.get("retry-after"), there, self._policy.retry_after_ceiling)

    def _hold(self, hop: Hop, response: Response, verdict: RateLimited) -> None:
        seconds = min(verdict.retry_after or 0.0, self._policy.retry_after_ceiling.total_seconds())
        self._gate.hold(door_of(hop.url), seconds)
        emit(
            "http.limited",
            source=self._policy.source,
            host=door_of(hop.url),
            retry_after_seconds=seconds,
            status=response.status,
        )

    def _onwards(self, hop: Hop, response: Response, trip: Trip) -> Hop:
        """The next request of a redirect, while there may be one."""
        if len(trip.redirects) >= self._policy.max_redirects:
            raise ValidationFailure(
                f"{shown(trip.call.hop.url)} redirects more than {self._policy.max_redirects} times",
                code=Code.REFUSED,
                hint="give the address that it ends at",
            )
        following = redirected(hop, response.status, response.headers["location"])
        trip.redirects += (Redirect(response.status, str(hop.url), str(following.url)),)
        return following

    def _hiccup_delay(self, error: RetryableTransient, hop: Hop, trip: Trip) -> timedelta | None:
        """The short wait before the request is sent again, or None if this is no hiccup or there were enough."""
        seconds = timedelta(seconds=time.monotonic() - trip.began)
        if not trip.call.may_repeat(hop) or not _is_hiccup(error) or seconds > self._policy.hiccup_window:
            return None
        return self._policy.hiccups.delay(trip.hiccups + 1, self._jitter())

    def _say_hiccup(self, error: RetryableTransient, hop: Hop, trip: Trip, delay: timedelta) -> None:
        http.HICCUPS.add(1, source=self._policy.source, code=str(error.code))
        emit(
            "http.retried",
            source=self._policy.source,
            host=door_of(hop.url),
            code=str(error.code),
            retry_attempt=trip.hiccups,
            retry_in_seconds=delay.total_seconds(),
            reason=error.message,
        )


def _is_hiccup(error: RetryableTransient) -> bool:
    if isinstance(error, HttpFailure):
        return error.status in HICCUPS and not isinstance(error, RateLimited)
    return error.code is Code.NETWORK
