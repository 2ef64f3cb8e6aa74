"""An issuer, known by its name: what it says of itself is read when somebody first needs it, kept, and read again."""

import asyncio
import math
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

from windrow.contracts.errors import Code, RetryableTransient, WindrowError, classify
from windrow.http import HttpClient, Limits
from windrow.http.urls import shown
from windrow.telemetry import emit
from windrow.web.oidc.algorithms import Ways
from windrow.web.oidc.discovery import Provider, described_at, provider_of
from windrow.web.oidc.keys import GRACE, LARGEST_DOCUMENT, PATIENCE, PAUSE, KeySet

FRESH = timedelta(hours=1)
_LIMITS = Limits(wire_bytes=LARGEST_DOCUMENT, body_bytes=LARGEST_DOCUMENT)


class Issuer:
    """`async with Issuer(http, name) as issuer`. It is asked for nothing before it is needed, by one caller at a time, and
    after a failure not again for a pause: meanwhile what was read last goes on being used."""

    def __init__(
        self,
        http: HttpClient,
        name: str,
        *,
        pause: timedelta = PAUSE,
        patience: timedelta = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self._url = name, described_at(name)
        self._http, self._clock = http, clock
        self._pause, self._patience = pause.total_seconds(), patience.total_seconds()
        self._turn = asyncio.Lock()
        self._read_at = self._not_before = -math.inf
        self._provider: Provider | None = None
        self._trouble: WindrowError = RetryableTransient("it was not asked")
        self._keys: KeySet | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._keys is not None:
            await self._keys.aclose()

    @property
    def last_said(self) -> Provider | None:
        """What was read last, without asking."""
        return self._provider

    async def provider(self) -> Provider:
        """What it says of itself. Raises RetryableTransient as long as that could not be read at all."""
        # while somebody reads it again, the others go on with what is kept
        if self._provider is None or not self._turn.locked():
            async with self._turn:
                if self._clock() >= self._not_before:
                    await self._read()
        if self._provider is None:
            # whatever the trouble is, it is ours: whoever asks may be somebody the issuer knows
            raise RetryableTransient(
                f"the issuer cannot be had: {self._trouble.message}", code=Code.UNAVAILABLE, hint=self._trouble.hint
            )
        return self._provider

    async def key(self, name: str) -> Ways | None:
        """The key of that name, where the issuer says that its keys are, by what the issuer says that it signs with."""
        provider = await self.provider()
        url = provider.keys
        if self._keys is None or self._keys.url != url:
            before, self._keys = self._keys, KeySet(self._http, url)
            if before is not None:
                await before.aclose()
        ways = await self._keys.key(name)
        if ways and not provider.signs_with(ways):
            provider = await self._anew()
        return None if ways is None else provider.signs_with(ways)

    async def _anew(self) -> Provider:
        """What it says now: it may have begun to sign in another way. But no sooner than a pause after the last time, since
        whoever names such a key has us ask."""
        self._not_before = min(self._not_before, self._read_at + self._pause)
        return await self.provider()

    async def _read(self) -> None:
        self._read_at = self._clock()
        try:
            async with asyncio.timeout(self._patience):
                answer = await self._http.get(self._url, accept=("application/json",), limits=_LIMITS)
            self._provider = provider_of(answer.body, self.name)
            self._not_before = self._clock() + FRESH.total_seconds()
        except Exception as error:
            self._go_on_without(classify(error))

    def _go_on_without(self, trouble: WindrowError) -> None:
        kept = self._provider is not None
        self._trouble = trouble
        self._not_before = self._clock() + (GRACE.total_seconds() if kept else self._pause)
        emit("issuer_reading.failed", url=shown(self._url), code=trouble.code, reason=trouble.message, kept=kept)
