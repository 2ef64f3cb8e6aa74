"""Claims: a message is in one hand at a time, until a deadline that its holder may extend."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from windrow.contracts.errors import Code, Conflict, ValidationFailure, WindrowError
from windrow.contracts.retry import RetryPolicy
from windrow.messages.message import Delivery, Message
from windrow.messages.patience import say_stalled
from windrow.messages.settle import bury, fences
from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit

Q = load(__package__, "claims.sql")


async def claim(tx: Transaction, subscription: str, *, by: str, limit: int = 1) -> list[Delivery]:
    """Take up to `limit` messages, at most one of each key. Commit soon: the ack deadline is running."""
    while True:
        rows = await tx.rows(Q.claim, subscription=subscription, by=by, limit=limit)
        if not rows and not await tx.value(Q.is_subscribed, subscription=subscription):
            raise unknown_subscription(subscription)
        taken = [_delivery(row) for row in rows]
        for row, delivery in zip(rows, taken, strict=True):
            if row["expired"]:
                tx.after_commit(partial(_say_expired, delivery, row["expired_by"]))
        spent = [delivery for delivery in taken if _is_spent(delivery)]
        for delivery in spent:
            # this claim was none: nobody was given the message
            await bury(tx, replace(delivery, attempt=delivery.attempt - 1), _unanswered(delivery))
        handed = [delivery for delivery in taken if delivery not in spent]
        # when all of them were spent there may be others, and an empty answer means that there are none
        if handed or not taken:
            return handed


async def extend(tx: Transaction, *deliveries: Delivery, by: timedelta | None = None) -> bool:
    """More time from now on: the subscription's ack deadline when not said. False: a claim was lost."""
    longest = by or max((delivery.ack_deadline for delivery in deliveries), default=timedelta(0))
    held = await tx.execute(Q.extend, **fences(deliveries), by=longest) if deliveries else 0
    return held == len(deliveries)


@asynccontextmanager
async def holding(database: Database, *deliveries: Delivery) -> AsyncIterator[asyncio.Event]:
    """Extend the claims of one tenant for as long as the body works; the event is set once one of them was lost."""
    lost = asyncio.Event()
    extending = asyncio.create_task(_keep_extending(database, deliveries, lost))
    try:
        yield lost
    finally:
        extending.cancel()
        await asyncio.wait({extending})
    if not extending.cancelled():
        extending.result()


async def _keep_extending(database: Database, deliveries: tuple[Delivery, ...], lost: asyncio.Event) -> None:
    while deliveries and not lost.is_set() and not is_cancelled():
        await asyncio.sleep(min(delivery.ack_deadline for delivery in deliveries).total_seconds() / 3)
        try:
            async with database.tenant(deliveries[0].message.tenant_id) as tx:
                if not await extend(tx, *deliveries):
                    lost.set()
        except WindrowError as error:
            say_stalled("extend", error)  # there are two more beats before the deadline, and the fence holds anyway


def unknown_subscription(name: str) -> WindrowError:
    """For a name that is none."""
    return ValidationFailure(
        f"there is no subscription {name[:80]!r}", code=Code.NOT_FOUND, hint="see `windrow topics list`"
    )


def _is_spent(delivery: Delivery) -> bool:
    return delivery.policy.attempts is not None and delivery.attempt > delivery.policy.attempts


def _unanswered(delivery: Delivery) -> WindrowError:
    return Conflict(
        f"claimed {delivery.attempt - 1} times, and the last claim ran out without an answer", code=Code.LEASE_LOST
    )


def _say_expired(delivery: Delivery, by: str) -> None:
    emit(
        "claim.expired",
        tenant_id=delivery.message.tenant_id,
        topic=delivery.message.topic,
        subscription=delivery.subscription,
        message_id=str(delivery.message.message_id),
        claimed_by=by,
        attempts=delivery.attempt - 1,
    )


def _delivery(row: dict[str, Any]) -> Delivery:
    message = Message(
        tenant_id=row["tenant_id"],
        topic=row["topic"],
        message_id=row["message_id"],
        key=row["key"],
        payload=row["payload"],
        attributes=row["attributes"],
        published_at=row["published_at"],
    )
    return Delivery(
        message=message,
        subscription=row["subscription"],
        sink=row["sink"],
        position=row["position"],
        attempt=row["attempts"],
        claim=row["claim"],
        claimed_by=row["claimed_by"],
        ack_deadline=row["ack_deadline"],
        policy=policy_of(row),
    )


def policy_of(row: dict[str, Any]) -> RetryPolicy:
    """The retry policy in a subscription's columns."""
    return RetryPolicy(
        first=row["retry_first"],
        ceiling=row["retry_ceiling"],
        attempts=row["retry_attempts"],
        factor=row["retry_factor"],
        spread=row["retry_spread"],
    )
