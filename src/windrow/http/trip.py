"""A call under way: the time it has left, what it did so far, and what is said of it in the end."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from windrow.contracts.errors import Code, RetryableTransient, WindrowError
from windrow.http.call import Call
from windrow.http.reply import Reply
from windrow.http.response import Redirect
from windrow.http.urls import shown
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import http


class Trip:
    """The state of one call."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.began = time.monotonic()
        self.status = 0
        self.requests = 0
        self.hiccups = 0
        self.wire_bytes = 0
        self.reply: Reply | None = None
        self.redirects: tuple[Redirect, ...] = ()
        self._left = call.timeout

    @asynccontextmanager
    async def on_the_clock(self) -> AsyncIterator[None]:
        """Time inside counts against the call, over all its requests; waiting for a turn happens outside."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self._left) as clock:
                yield
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise RetryableTransient(
                f"{shown(self.call.hop.url)} took longer than {self.call.timeout:g} s",
                code=Code.TIMEOUT,
                hint="ask for less at a time, or give the call more time",
            ) from error
        finally:
            self._left -= loop.time() - began

    def sends(self) -> None:
        """Count a request; the first one begins the trip, however long it waited for its turn."""
        if self.requests == 0:
            self.began = time.monotonic()
        self.requests += 1

    def received(self, reply: Reply) -> None:
        """Remember what an answer brought."""
        self.wire_bytes += reply.wire_bytes


@contextmanager
def observed(source: str, call: Call) -> Iterator[Trip]:
    """A trip that is traced, timed and counted by what comes of it."""
    trip = Trip(call)
    outcome = "ok"
    with span("http.request", source=source, method=call.hop.method, url=shown(call.hop.url)) as current:
        try:
            yield trip
        except WindrowError as error:
            outcome = str(error.code)
            if error.code is Code.ADDRESS_REFUSED:
                emit("http.address_refused", source=source, url=shown(call.hop.url), reason=error.message)
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except BaseException:
            # the caller's own trouble while it was reading a stream
            outcome = "abandoned"
            raise
        finally:
            http.REQUESTS.add(1, source=source, outcome=outcome)
            http.SECONDS.record(time.monotonic() - trip.began, source=source)
            http.RECEIVED_BYTES.add(trip.wire_bytes, source=source)
            for name in ("status", "requests"):
                current.set_attribute(name, getattr(trip, name))
            current.set_attribute("received_bytes", trip.wire_bytes)
