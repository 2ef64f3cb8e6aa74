"""When a request may go out: at the source's pace, a few at a time per host, and not while a host has told us to wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from windrow.contracts.errors import Code, RateLimited, RetryableTransient
from windrow.http.policy import RateLimit

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class Pace:
    """A token bucket. Waiting is in order of arrival, and a waiter that is cancelled takes nothing."""

    def __init__(self, rate: RateLimit, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self._rate, self._clock, self._sleep = rate, clock, sleep
        self._tokens, self._seen = float(rate.burst), clock()
        self._line = asyncio.Lock()

    async def turn(self) -> None:
        """Wait for a token and take it."""
        async with self._line:
            while (wait := self._wait()) > 0:
                await self._sleep(wait)
            self._tokens -= 1

    def charge(self) -> None:
        """Take a token without waiting: a retry or a redirect is paid for by whoever comes next."""
        self._wait()
        self._tokens -= 1

    def _wait(self) -> float:
        now = self._clock()
        self._tokens = min(self._tokens + (now - self._seen) * self._rate.per_second, float(self._rate.burst))
        self._seen = now
        # a sleep of exactly the missing part may end a rounding error short of a whole token
        return max(0.0, (1 - self._tokens) / self._rate.per_second) if self._tokens < 1 - 1e-9 else 0.0


class Slots:
    """At most so many at a time for each key; a key nobody uses is forgotten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._in_use: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def one(self, key: str) -> AsyncIterator[None]:
        semaphore, users = self._in_use.get(key) or (asyncio.Semaphore(self._size), 0)
        self._in_use[key] = semaphore, users + 1
        try:
            async with semaphore:
                yield
        finally:
            semaphore, users = self._in_use.pop(key)
            if users > 1:
                self._in_use[key] = semaphore, users - 1


class Gate:
    """The way out of a client: who may send, and when."""

    def __init__(self, rate: RateLimit | None, per_host: int, patience: float, clock: Clock = time.monotonic) -> None:
        self._pace = Pace(rate, clock) if rate else None
        self._slots = Slots(per_host)
        self._patience, self._clock = patience, clock
        self._held: dict[str, float] = {}

    @asynccontextmanager
    async def admitted(self, host: str, *, follow_up: bool = False) -> AsyncIterator[None]:
        """Hold a slot of the host, at the source's pace. A follow-up of the same call does not stand in line again."""
        self._check_hold(host)
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(self._patience):
                    await held.enter_async_context(self._slots.one(host))
                    await self._turn(follow_up)
            except TimeoutError as error:
                raise self._crowded(host) from error
            # somebody before us in the line may have been told to wait
            self._check_hold(host)
            yield

    def hold(self, host: str, seconds: float) -> None:
        """Send nothing to a host for a while: it said when to come back."""
        now = self._clock()
        self._held = {name: until for name, until in self._held.items() if until > now}
        self._held[host] = max(self._held.get(host, 0.0), now + seconds)

    async def _turn(self, follow_up: bool) -> None:
        if self._pace is None:
            return
        if follow_up:
            self._pace.charge()
        else:
            await self._pace.turn()

    def _check_hold(self, host: str) -> None:
        left = self._held.get(host, 0.0) - self._clock()
        if left > 0:
            raise RateLimited(f"{host} asked us to wait; {left:.0f} s are left", retry_after=left)

    def _crowded(self, host: str) -> RetryableTransient:
        return RetryableTransient(
            f"no request to {host} could be sent within {self._patience:g} s",
            code=Code.TIMEOUT,
            hint="too many requests wait for this source: raise its rate or its requests per host",
        )
