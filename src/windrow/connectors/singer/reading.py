"""A pass: the tap runs while pages are asked for, and is heard no further than that."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import msgspec

from windrow.connectors.context import Context
from windrow.connectors.singer.catalog import Chosen
from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.cursor import Place, checked
from windrow.connectors.singer.failures import crashed, endless, hung, slow
from windrow.connectors.singer.following import Following
from windrow.connectors.singer.messages import Message, parse
from windrow.connectors.singer.process import Limits, Running
from windrow.contracts.errors import WindrowError
from windrow.contracts.page import Page
from windrow.vault import Secret

# so often in one pass a tap may begin again in vain
_MOST_AGAIN = 50
# how soon a run that was asked to end is noticed while a tap is silent
_LOOK = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """What a pass needs: how to run the tap from a state, what it was asked for, and what it was told in confidence."""

    run: Callable[[dict[str, Any] | None], Awaitable[Running]]
    config: SingerConfig
    chosen: Chosen | None
    context: Context
    limits: Limits
    secrets: list[Secret] = field(repr=False)


class _Silence(Enum):
    """Instead of a message."""

    LATE = "late"
    END = "end"


class Reading:
    """One pass of a tap, from where a cursor stands."""

    def __init__(self, tap: Tap, place: Place, *, opens: bool) -> None:
        self._tap, self._opens = tap, opens
        self._name = tap.config.tap
        self._following = self._from(place)
        self._running: Running | None = None
        self._failure: WindrowError | None = None
        # heard, and not on a page yet: a page ends when the next record is there, so a STATE between them is its own
        self._ahead: tuple[dict[str, Any], int] | None = None

    async def close(self) -> None:
        """End the tap, wherever it is."""
        if self._running is not None:
            running, self._running = self._running, None
            await running.end()

    async def page(self, size: int) -> Page:
        """The next page. What a tap gave before it failed is given, and then the failure is told."""
        if self._failure is not None:
            raise self._failure
        if self._running is None:
            await self._begin()
        began, opens = self._following.place, self._opens
        records, last = await self._gather(size)
        self._opens = False
        return Page(
            records=records,
            cursor=self._cursor(last=last),
            position=f"record {began.given + 1}" if records else f"behind record {began.given}",
            last=last,
            opens=opens,
            whole=last and self._following.whole,
        )

    async def _begin(self) -> None:
        """Run the tap, and pass over what was given already; if it is not the same any more, it is given again."""
        place = self._following.place
        self._running = await self._tap.run(place.state)
        if not place.skip or await self._passed_over(place):
            return
        await self.close()
        self._tap.context.say("tap.repeated", tap=self._name, records=place.skip)
        if place.again >= _MOST_AGAIN:
            raise endless(self._name, _MOST_AGAIN)
        self._following = self._from(msgspec.structs.replace(place, skip=0, mark="", again=place.again + 1))
        self._running = await self._tap.run(place.state)

    async def _passed_over(self, place: Place) -> bool:
        """Whether the tap gives again what was given behind its state."""
        limit = self._tap.limits.resume_seconds
        until = asyncio.get_running_loop().time() + limit
        while self._following.trail.length < place.skip:
            message = await self._next(until)
            if self._failure is not None:
                raise self._failure
            if message is _Silence.LATE:
                raise slow(self._name, limit)
            if message is _Silence.END:
                return False
            if heard := self._following.hear(message):
                self._following.trail.take(heard[0])
        return self._following.trail.mark == place.mark

    async def _gather(self, size: int) -> tuple[list[dict[str, Any]], bool]:
        """Up to so many records, and whether they are the last."""
        following, limits = self._following, self._tap.limits
        records: list[dict[str, Any]] = []
        room, before = limits.page_bytes, following.place.state
        # a page with something on it does not wait for ever for more
        until = asyncio.get_running_loop().time() + limits.page_seconds
        while True:
            if self._ahead is not None:
                if len(records) == size or room <= 0:
                    return records, False
                record, length = self._ahead
                self._ahead, room = None, room - length
                following.give(record)
                records.append(record)
            moved = bool(records) or following.place.state != before
            message = await self._next(until if moved else None)
            if self._failure is not None and not moved:
                raise self._failure
            if isinstance(message, _Silence):
                return records, message is _Silence.END and self._failure is None
            self._ahead = following.hear(message)

    async def _next(self, until: float | None) -> Message | _Silence:
        """The next message, if it comes until then, and before the tap counts as hung."""
        assert self._running is not None
        now = asyncio.get_running_loop().time
        given_up = now() + self._tap.limits.silence_seconds
        while True:
            try:
                async with asyncio.timeout_at(min(now() + _LOOK, given_up, until or given_up)):
                    line = await self._running.line()
                    if line is None:
                        await self._over(self._running)
                        return _Silence.END
            except TimeoutError:
                if self._tap.context.cancelled():
                    raise asyncio.CancelledError from None
                if until is not None and now() >= until:
                    return _Silence.LATE
                if now() >= given_up:
                    raise hung(self._name, self._tap.limits.silence_seconds, self._running.words) from None
                continue
            if (message := parse(line)) is not None:
                return message

    async def _over(self, running: Running) -> None:
        ended = await running.ended()
        if not ended.well:
            self._failure = crashed(self._name, ended, memory=self._tap.context.permits.taps.memory)

    def _from(self, place: Place) -> Following:
        return Following(place, self._tap.config, self._tap.chosen, self._tap.context.say)

    def _cursor(self, *, last: bool) -> Any:
        following = self._following
        place = (
            Place(config=following.place.config, state=following.final, listed=following.place.listed)
            if last
            else msgspec.structs.replace(following.place, open=True, mark=following.trail.mark)
        )
        checked(place.state, self._tap.secrets)
        return place.written()
