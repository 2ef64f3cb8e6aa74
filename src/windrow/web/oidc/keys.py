"""The keys of an issuer, as it publishes them: read when they are needed, kept, and read again.

They are read again when they have grown old and when a token names a key that is not among them: but one reading at a
time, shared by all who wait for it, and no sooner than a pause after the one before, so that a flood of invented names
costs the key server and us next to nothing. While the key server is away, what was read last goes on being used; what
it has withdrawn is not, from the next reading that succeeds.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from types import TracebackType
from typing import Self

from windrow.contracts.errors import Code, RetryableTransient, WindrowError, classify
from windrow.http import HttpClient, Limits
from windrow.http.urls import shown
from windrow.telemetry import emit
from windrow.telemetry.catalogue import oidc as telemetry
from windrow.web.oidc.algorithms import Ways
from windrow.web.oidc.freshness import Freshness
from windrow.web.oidc.published import keys_of
from windrow.web.oidc.trusted import trusted_url

PAUSE = timedelta(seconds=10)
# for the whole reading, whatever it waits for: requests of callers wait with it
PATIENCE = timedelta(seconds=5)
# what is kept counts as fresh for so long after a reading that failed: else, beside a key server that hangs, every caller
# would wait for every reading
GRACE = timedelta(minutes=1)
LARGEST_DOCUMENT = 256 * 1024
_LIMITS = Limits(wire_bytes=LARGEST_DOCUMENT, body_bytes=LARGEST_DOCUMENT)


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: Mapping[str, Ways]
    read_at: float
    fresh_until: float


class KeySet:
    """`async with KeySet(http, url) as keys: … await keys.key(name)`; leaving it ends a reading under way."""

    def __init__(
        self,
        http: HttpClient,
        url: str,
        *,
        freshness: Freshness | None = None,
        pause: timedelta = PAUSE,
        patience: timedelta = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http, self._url, self._clock = http, trusted_url(url, "the issuer's keys"), clock
        self._freshness = freshness or Freshness()
        self._pause, self._patience = pause.total_seconds(), patience.total_seconds()
        self._kept: _Kept | None = None
        self._trouble: WindrowError = RetryableTransient("they were not read")
        self._reading: asyncio.Task[None] | None = None
        self._not_before = -math.inf

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End a reading under way."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    @property
    def url(self) -> str:
        return self._url

    async def key(self, name: str) -> Ways | None:
        """The key of that name, None where the issuer publishes none such.

        Raises RetryableTransient as long as the keys could not be read at all.
        """
        if not self._is_fresh(name):
            await self._read_again()
        if self._kept is None:
            raise self._never_read()
        return self._kept.keys.get(name)

    def _is_fresh(self, name: str) -> bool:
        kept = self._kept
        return kept is not None and name in kept.keys and self._clock() < kept.fresh_until

    async def _read_again(self) -> None:
        """Wait for the reading under way, or begin one if the last began long enough ago; else there is nothing to do."""
        if self._reading is None and self._clock() >= self._not_before:
            self._not_before = self._clock() + self._pause
            self._reading = asyncio.create_task(self._read())
        if self._reading is not None:
            # unlike awaiting it, this neither cancels it with one caller nor hands its end to all of them
            await asyncio.wait([self._reading])

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                answer = await self._http.get(self._url, accept=("application/json",), limits=_LIMITS)
            self._keep(keys_of(answer.body), self._freshness.of(answer.headers))
        except Exception as error:
            self._go_on_without(classify(error))
        finally:
            self._reading = None

    def _keep(self, keys: Mapping[str, Ways], fresh_seconds: float) -> None:
        before = self._kept.keys.keys() if self._kept else set[str]()
        now = self._clock()
        self._kept = _Kept(keys, now, now + fresh_seconds)
        telemetry.READINGS.add(1, outcome="read")
        if keys.keys() != before:
            added, removed = len(keys.keys() - before), len(before - keys.keys())
            emit("issuer_keys.changed", url=shown(self._url), keys=len(keys), added=added, removed=removed)

    def _go_on_without(self, trouble: WindrowError) -> None:
        kept, now = self._kept, self._clock()
        self._trouble = trouble
        if kept is not None:
            until = max(kept.fresh_until, now + GRACE.total_seconds())
            self._kept = replace(kept, fresh_until=until)
        telemetry.READINGS.add(1, outcome=trouble.code)
        emit(
            "key_reading.failed",
            url=shown(self._url),
            code=trouble.code,
            reason=trouble.message,
            keys=len(kept.keys) if kept else 0,
            age_seconds=round(now - kept.read_at) if kept else None,
        )

    def _never_read(self) -> RetryableTransient:
        # whatever the trouble is, it is ours: the caller's token may be good
        return RetryableTransient(
            f"the issuer's keys cannot be had: {self._trouble.message}", code=Code.UNAVAILABLE, hint=self._trouble.hint
        )
