"""A pump: takes what is due for one sink, in all tenants in turn, and delivers it, so many at a time."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from windrow.contracts.errors import Code, RetryableTransient, WindrowError, classify
from windrow.messages.claims import claim
from windrow.messages.message import Delivery
from windrow.messages.patience import keep_on, say_stalled
from windrow.messages.settle import ack, nack, release
from windrow.messages.sink import Sink
from windrow.postgres import Database, load
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, span
from windrow.telemetry.catalogue import messages

Q = load(__package__, "pump.sql")

# of the ack deadline: what is left is for settling, before another relay takes the message
_SHARE = 0.8
_RELEASE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayLimits:
    """How much a relay does at once, how often it looks unasked, and how long it waits for deliveries when it ends."""

    concurrency: int = 8
    route_batch: int = 1000
    poll: timedelta = timedelta(seconds=1)
    grace: timedelta = timedelta(seconds=10)


class Pump:
    """Delivers to one sink."""

    def __init__(
        self,
        name: str,
        sink: Sink,
        database: Database,
        wakeup: Wakeup,
        *,
        relay: str,
        limits: RelayLimits,
        jitter: Callable[[], float],
    ) -> None:
        self._name, self._sink, self._database, self._wakeup = name, sink, database, wakeup
        self._relay, self._limits, self._jitter = relay, limits, jitter
        self._in_flight: set[asyncio.Task[None]] = set()
        self._served: tuple[str, str] = ("", "")

    async def run(self) -> None:
        """Deliver until cancelled; then what is under way may finish, and what does not is given back."""
        async with asyncio.TaskGroup() as group:
            try:
                await keep_on(
                    f"deliver to {self._name}", lambda: self._fill(group), self._wakeup, self._limits.poll, self._jitter
                )
            except asyncio.CancelledError:
                if self._in_flight:
                    await asyncio.wait(self._in_flight, timeout=self._limits.grace.total_seconds())
                raise

    def wake(self) -> None:
        """There may be something to deliver."""
        self._wakeup.ring()

    async def run_once(self) -> int:
        """One round: take what is due, as much as fits, deliver it, and wait for the outcome; how many attempts."""
        async with asyncio.TaskGroup() as group:
            return await self._fill(group)

    async def _fill(self, group: asyncio.TaskGroup) -> int:
        """Begin as many deliveries as there is room for; every subscription that has some gets its share, in turn."""
        room = begun = self._limits.concurrency - len(self._in_flight)
        if not room:
            return 0  # a delivery that ends wakes us
        async with self._database.system() as tx:
            due = [(row["tenant_id"], row["name"]) for row in await tx.rows(Q.due, sink=self._name)]
        share = max(1, room // max(1, len(due)))
        for tenant_id, subscription in in_turn(due, self._served):
            if not room:
                break
            self._served = (tenant_id, subscription)
            async with self._database.tenant(tenant_id) as tx:
                taken = await claim(tx, subscription, by=self._relay, limit=min(share, room))
            for delivery in taken:
                self._begin(group, delivery)
            room -= len(taken)
        return begun - room

    def _begin(self, group: asyncio.TaskGroup, delivery: Delivery) -> None:
        task = group.create_task(self._attempt(delivery))
        self._in_flight.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._in_flight.discard(task)
        self.wake()  # there is room, and the key may have its next

    async def _attempt(self, delivery: Delivery) -> None:
        message = delivery.message
        about = {"topic": message.topic, "subscription": delivery.subscription, "message_id": str(message.message_id)}
        with (
            bound(tenant_id=message.tenant_id, correlation_id=message.attributes.get("correlation_id")),
            span("message.deliver", **about, attempt=delivery.attempt) as traced,
        ):
            try:
                error = await self._deliver(delivery)
                traced.set_attribute("outcome", str(error.code) if error else "delivered")
                await self._settle(delivery, error)
            except WindrowError as trouble:
                # it was delivered, perhaps; the claim runs out, and it comes again with the same id
                say_stalled(f"settle for {self._name}", trouble)
            except asyncio.CancelledError:
                await self._give_back(delivery)
                raise

    async def _deliver(self, delivery: Delivery) -> WindrowError | None:
        began = time.monotonic()
        error: WindrowError | None = None
        limit = delivery.ack_deadline.total_seconds() * _SHARE
        try:
            async with asyncio.timeout(limit) as waiting:
                await self._sink.deliver(delivery)
        except TimeoutError as raised:
            ours = RetryableTransient(f"no answer within {limit:g} s", code=Code.TIMEOUT)
            error = ours if waiting.expired() else classify(raised)
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            error = RetryableTransient("the sink gave up by itself", code=Code.UNKNOWN)
        except Exception as raised:
            error = classify(raised)
        outcome = error.error_class if error else "delivered"
        messages.DELIVERY_SECONDS.record(time.monotonic() - began, topic=delivery.message.topic, outcome=outcome)
        return error

    async def _settle(self, delivery: Delivery, error: WindrowError | None) -> None:
        async with self._database.tenant(delivery.message.tenant_id) as tx:
            if error is None:
                await ack(tx, delivery)
            else:
                await nack(tx, delivery, error, jitter=self._jitter)

    async def _give_back(self, delivery: Delivery) -> None:
        try:
            async with asyncio.timeout(_RELEASE_SECONDS), self._database.tenant(delivery.message.tenant_id) as tx:
                await release(tx, delivery)
        except (WindrowError, TimeoutError) as trouble:
            say_stalled(f"give back to {self._name}", classify(trouble))


def in_turn(due: list[tuple[str, str]], served: tuple[str, str]) -> list[tuple[str, str]]:
    """The sorted subscriptions, beginning after the one that was served last."""
    return [one for one in due if one > served] + [one for one in due if one <= served]
