"""How a delivery ends: acknowledged, to be tried again, or a dead letter. All of them name the claim, and do nothing without it.

A consumer that acknowledges in the transaction of its own writes has their effect exactly once: `ack` answers False
when the claim has gone to another, and then the caller rolls back.
"""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any

from windrow.contracts.errors import WindrowError, classify
from windrow.messages.message import Delivery
from windrow.messages.verdict import Failure, delay_after, failure
from windrow.postgres import Transaction, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import messages, process

Q = load(__package__, "settle.sql")


class Outcome(StrEnum):
    """What became of a delivery that failed."""

    RETRIED = "retried"
    DEAD_LETTERED = "dead_lettered"
    LOST = "lost"  # the claim has gone to another, who settles it


async def ack(tx: Transaction, *deliveries: Delivery) -> bool:
    """Settle as delivered, in the caller's transaction. False: a claim was lost, so roll back what was done for it.

    Best as the last statement before the commit, since it keeps the strand's row locked until then.
    """
    positions = [delivery.position for delivery in deliveries]
    held = await tx.execute(Q.ack, **fences(deliveries), positions=positions) if deliveries else 0
    if held != len(deliveries):
        for delivery in deliveries:
            _say_lost(delivery)
        return False
    tx.after_commit(lambda: _count_delivered(deliveries))
    return True


async def nack(
    tx: Transaction, delivery: Delivery, error: BaseException, *, jitter: Callable[[], float] = random.random
) -> Outcome:
    """Settle as failed: tried again after the policy's delay, or a dead letter when the budget is spent."""
    ours = classify(error)
    delay = delay_after(ours, delivery.attempt, delivery.policy, jitter())
    if delay is None:
        return await bury(tx, delivery, ours)
    kept = failure(ours)
    settled = await tx.execute(
        Q.retry, **fence(delivery), delay=delay, error_class=kept.error_class, code=kept.code, reason=kept.reason
    )
    return _told(
        tx, delivery, Outcome.RETRIED if settled else Outcome.LOST, lambda: _say_retried(delivery, kept, delay)
    )


async def bury(tx: Transaction, delivery: Delivery, error: WindrowError) -> Outcome:
    """Settle as a dead letter; the key goes on with its next message."""
    kept = failure(error)
    settled = await tx.execute(
        Q.bury,
        **fence(delivery),
        position=delivery.position,
        message_id=delivery.message.message_id,
        attempts=delivery.attempt,
        error_class=kept.error_class,
        code=kept.code,
        reason=kept.reason,
    )
    return _told(tx, delivery, Outcome.DEAD_LETTERED if settled else Outcome.LOST, lambda: _say_dead(delivery, kept))


async def release(tx: Transaction, delivery: Delivery) -> bool:
    """Give it back untried: due at once, and no attempt is counted. False: the claim was no longer held."""
    return await tx.execute(Q.release, **fence(delivery)) == 1


def fence(delivery: Delivery) -> dict[str, Any]:
    """What a statement about this claim must name."""
    return {"subscription": delivery.subscription, "key": delivery.message.key, "claim": delivery.claim}


def fences(deliveries: Sequence[Delivery]) -> dict[str, Any]:
    """The same for several, as columns."""
    return {
        "subscriptions": [delivery.subscription for delivery in deliveries],
        "keys": [delivery.message.key for delivery in deliveries],
        "claims": [delivery.claim for delivery in deliveries],
    }


def _told(tx: Transaction, delivery: Delivery, outcome: Outcome, say: Callable[[], None]) -> Outcome:
    if outcome is Outcome.LOST:
        _say_lost(delivery)
    else:
        tx.after_commit(say)
    return outcome


def _count_delivered(deliveries: Sequence[Delivery]) -> None:
    for delivery in deliveries:
        messages.DELIVERED.add(1, topic=delivery.message.topic, mode=delivery.mode)


def _say_retried(delivery: Delivery, kept: Failure, delay: timedelta) -> None:
    _count_failed(delivery, kept)
    process.RETRIES.add(1, runtime="relay", error_class=kept.error_class, code=kept.code)
    emit(
        "message.retried",
        **_about(delivery),
        retry_attempt=delivery.attempt,
        error_class=kept.error_class,
        code=kept.code,
        retry_in_seconds=delay.total_seconds(),
        reason=kept.reason,
    )


def _say_dead(delivery: Delivery, kept: Failure) -> None:
    _count_failed(delivery, kept)
    messages.DEAD_LETTERED.add(1, topic=delivery.message.topic, mode=delivery.mode, code=kept.code)
    emit(
        "message.dead_lettered",
        **_about(delivery),
        attempts=delivery.attempt,
        error_class=kept.error_class,
        code=kept.code,
        reason=kept.reason,
    )


def _count_failed(delivery: Delivery, kept: Failure) -> None:
    labels = {"topic": delivery.message.topic, "mode": delivery.mode}
    messages.FAILED.add(1, **labels, error_class=kept.error_class, code=kept.code)


def _say_lost(delivery: Delivery) -> None:
    emit("claim.lost", **_about(delivery), claimed_by=delivery.claimed_by)


def _about(delivery: Delivery) -> dict[str, Any]:
    return {
        "tenant_id": delivery.message.tenant_id,
        "topic": delivery.message.topic,
        "subscription": delivery.subscription,
        "message_id": str(delivery.message.message_id),
    }
