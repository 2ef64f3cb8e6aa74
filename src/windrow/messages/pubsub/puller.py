"""A puller: takes messages of one Pub/Sub subscription and has them handled, so many at a time, each key in its order."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from windrow.contracts.errors import Code, RateLimited, RetryableTransient, ValidationFailure, WindrowError, classify
from windrow.contracts.retry import RetryPolicy
from windrow.messages.patience import keep_on
from windrow.messages.pubsub.calls import PubSub
from windrow.messages.pubsub.hand import Hand, holding
from windrow.messages.pubsub.received import PulledMessage, strands
from windrow.messages.verdict import failure
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import messages

# True: it is handled. False, or one of our errors: it is not
Handler = Callable[[PulledMessage], Awaitable[bool]]

# what is given back comes again at once: while nothing succeeds, we ask more and more slowly
_SLOWER = RetryPolicy(timedelta(seconds=0.2), timedelta(seconds=30), attempts=None, spread=0.5)
# as far as Pub/Sub lets a deadline be put off; a hold of no seconds would give back
_LONGEST_HOLD = timedelta(minutes=10)
_SHORTEST_HOLD = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullLimits:
    """How much is in hand at once, how far its deadline is put off at a time (up to 10 minutes), how long Pub/Sub may wait
    with an empty answer, and how long handlers have when the puller ends."""

    concurrency: int = 8
    hold: timedelta = timedelta(seconds=60)
    wait: timedelta = timedelta(seconds=30)
    poll: timedelta = timedelta(seconds=0.5)
    grace: timedelta = timedelta(seconds=10)

    def __post_init__(self) -> None:
        if not _SHORTEST_HOLD <= self.hold <= _LONGEST_HOLD:
            raise ValidationFailure(f"a hold of {self.hold} is out of bounds", hint="use 1 second to 10 minutes")


class Puller:
    """Hands each message to the handler, and extends its deadline while that works."""

    def __init__(
        self,
        pubsub: PubSub,
        subscription: str,
        handle: Handler,
        *,
        limits: PullLimits | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._pubsub, self._subscription, self._handle = pubsub, subscription, handle
        self._limits, self._jitter = limits or PullLimits(), jitter
        self._wakeup = Wakeup()
        self._at_work: set[asyncio.Task[None]] = set()
        self._room = self._limits.concurrency
        self._failures = 0

    async def run(self) -> None:
        """Until cancelled; then what is under way may finish, and what does not is given back."""
        step = f"pull from {self._subscription}"
        async with asyncio.TaskGroup() as group:
            try:
                await keep_on(step, lambda: self._fill(group), self._wakeup, self._limits.poll, self._jitter)
            except asyncio.CancelledError:
                if self._at_work:
                    await asyncio.wait(self._at_work, timeout=self._limits.grace.total_seconds())
                raise

    async def run_once(self) -> int:
        """One round: take what is there, as much as fits, and have it handled; how many messages."""
        async with asyncio.TaskGroup() as group:
            return await self._fill(group)

    async def _fill(self, group: asyncio.TaskGroup) -> int:
        if not self._room:
            return 0  # a handler that ends wakes us
        if self._failures and (pause := _SLOWER.delay(self._failures, self._jitter())):
            await asyncio.sleep(pause.total_seconds())
        taken = await self._pubsub.pull(self._subscription, limit=self._room, wait=self._limits.wait.total_seconds())
        for strand in strands(taken):
            self._begin(group, strand)
        return len(taken)

    def _begin(self, group: asyncio.TaskGroup, strand: list[PulledMessage]) -> None:
        self._room -= len(strand)
        task = group.create_task(self._work_off(strand))
        self._at_work.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            self._at_work.discard(task)
            self._room += len(strand)
            self._wakeup.ring()

        task.add_done_callback(ended)

    async def _work_off(self, strand: list[PulledMessage]) -> None:
        """In order. What follows a message that was given back is given back with it: Pub/Sub will bring them again in order."""
        left, after = deque(strand), 0.0
        async with holding(self._pubsub, self._subscription, strand, self._limits.hold) as hand:
            try:
                while left and not is_cancelled():
                    error = await self._attempt(hand, left[0])
                    if error:
                        after = _asked(error)
                        break
                    left.popleft()
            finally:
                if left:
                    await hand.give_back(*left, after=after)

    async def _attempt(self, hand: Hand, message: PulledMessage) -> WindrowError | None:
        """None when it is settled; else why it is given back."""
        with (
            bound(correlation_id=message.attributes.get("correlationId")),
            span("message.handle", subscription=self._subscription, message_id=message.message_id) as traced,
        ):
            began = time.monotonic()
            error = await self._handled(message)
            is_dropped = isinstance(error, ValidationFailure) and message.attempt is None
            outcome = "dropped" if is_dropped else "given_back" if error else "handled"
            traced.set_attribute("outcome", outcome)
            messages.HANDLING_SECONDS.record(time.monotonic() - began, outcome=outcome)
            messages.PULLED.add(1, outcome=outcome)
            if error:
                self._say(is_dropped, message, error)
            self._failures = self._failures + 1 if outcome == "given_back" else 0
            if outcome == "given_back":
                return error
            await hand.acknowledge(message)
        return None

    async def _handled(self, message: PulledMessage) -> WindrowError | None:
        try:
            if await self._handle(message):
                return None
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            return RetryableTransient("the handler gave up by itself", code=Code.UNKNOWN)
        except Exception as raised:
            return classify(raised)
        return RetryableTransient("the handler asks for it again", code=Code.UNAVAILABLE)

    def _say(self, is_dropped: bool, message: PulledMessage, error: WindrowError) -> None:
        kept = failure(error)
        emit(
            "pulled.dropped" if is_dropped else "pulled.given_back",
            subscription=self._subscription,
            message_id=message.message_id,
            error_class=kept.error_class,
            code=kept.code,
            reason=kept.reason,
        )


def _asked(error: WindrowError) -> float:
    """For how long nobody should have it: as long as a source asks for patience, else not at all."""
    asked = (error.retry_after or 0.0) if isinstance(error, RateLimited) else 0.0
    return min(max(asked, 0.0), _LONGEST_HOLD.total_seconds())
