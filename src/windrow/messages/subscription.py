"""Subscriptions: who wants a topic's messages, on which terms, and from where on."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Actor, checked_name
from windrow.messages.claims import policy_of, unknown_subscription
from windrow.messages.verdict import DELIVERY
from windrow.postgres import Transaction, audit, load
from windrow.telemetry import emit

Q = load(__package__, "subscription.sql")

ACK_DEADLINE = timedelta(seconds=30)
BEGINNING = 1
_LONGEST_DEADLINE = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A wish for a topic's messages: pushed to the sink of that name, or pulled where there is none."""

    name: str
    topic: str
    sink: str | None = None
    ack_deadline: timedelta = ACK_DEADLINE
    policy: RetryPolicy = DELIVERY

    def __post_init__(self) -> None:
        checked_name("subscription", self.name)
        checked_name("topic", self.topic)
        if self.sink is not None:
            checked_name("sink", self.sink)
        if not timedelta(0) < self.ack_deadline <= _LONGEST_DEADLINE:
            raise _refusal(f"an ack deadline of {self.ack_deadline} is out of bounds", "use up to 12 hours")
        _check_policy(self.policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionStatus:
    """A subscription as it fares: messages still to receive, keys in somebody's hand, keys whose last attempt failed."""

    name: str
    topic: str
    sink: str | None
    ack_deadline: timedelta
    retry_attempts: int | None
    pending: int
    in_hand: int
    failing: int
    dead_letters: int
    oldest_at: datetime | None


async def subscribe(tx: Transaction, subscription: Subscription, *, since: int | datetime | None = None) -> bool:
    """See that the subscription is there on these terms; whether it is new.

    A new one receives what is routed from now on, or everything kept from `since` on (BEGINNING: all of it).
    """
    await tx.execute(Q.declare_topic, topic=subscription.topic)
    await tx.value(Q.hold_topic, topic=subscription.topic)
    found = await find(tx, subscription.name)
    if found and found.topic != subscription.topic:
        raise _refusal(
            f"subscription {found.name!r} is one of topic {found.topic!r}",
            "choose another name, or remove that one first",
        )
    await tx.execute(Q.write, **_columns(subscription))
    if not found and since is not None:
        await _set_back(tx, subscription, since)
    return found is None


async def find(tx: Transaction, name: str) -> Subscription | None:
    """The subscription of that name, or None."""
    row = await tx.row(Q.find, name=name)
    return _subscription(row) if row else None


async def subscriptions(tx: Transaction, topic: str | None = None) -> list[SubscriptionStatus]:
    """Every subscription of the tenant, or of one topic."""
    return await tx.into(SubscriptionStatus, Q.listed, topic=topic)


async def replay(tx: Transaction, name: str, *, since: int | datetime, actor: Actor, reason: str | None = None) -> int:
    """Deliver again whatever this subscription was given from a position or moment on; how many messages.

    Its dead letters from there on are among them. What somebody has in hand is taken from him: his `ack` will be refused.
    """
    subscription = await _held(tx, name)
    position, count = await _set_back(tx, subscription, since)
    details = {"topic": subscription.topic, "position": position, "messages": count}
    await audit.record(tx, actor, "subscription.replay", f"subscription/{name}", reason=reason, details=details)
    said: dict[str, Any] = {"subscription": name, "topic": subscription.topic, "position": position, "messages": count}
    tx.after_commit(lambda: emit("subscription.replayed", **said, actor=actor.name))
    return count


async def unsubscribe(tx: Transaction, name: str, *, actor: Actor, reason: str | None = None) -> None:
    """Remove the subscription, with what it still had to receive and its dead letters."""
    subscription = await _held(tx, name)
    await tx.execute(Q.remove, name=name, topic=subscription.topic)
    details = {"topic": subscription.topic, "sink": subscription.sink}
    await audit.record(tx, actor, "subscription.remove", f"subscription/{name}", reason=reason, details=details)


async def _held(tx: Transaction, name: str) -> Subscription:
    if first := await find(tx, name):
        await tx.value(Q.hold_topic, topic=first.topic)
        # it may have been removed while we waited
        if found := await find(tx, name):
            return found
    raise unknown_subscription(name)


async def _set_back(tx: Transaction, subscription: Subscription, since: int | datetime) -> tuple[int | None, int]:
    """Under the topic's lock: where it begins again, and how many messages follow."""
    position = since if isinstance(since, int) else await _position_at(tx, subscription.topic, since)
    if position is None:
        return None, 0
    if position < BEGINNING:
        raise _refusal(f"{position} is no position", "positions begin at 1: see `windrow topics peek`")
    count: int = await tx.value(Q.set_back, name=subscription.name, topic=subscription.topic, position=position)
    return position, count


async def _position_at(tx: Transaction, topic: str, moment: datetime) -> int | None:
    if moment.tzinfo is None:
        raise _refusal("a moment without a time zone", "add one: 2030-01-31T12:00:00Z")
    position: int | None = await tx.value(Q.position_at, topic=topic, moment=moment)
    return position


def _columns(subscription: Subscription) -> dict[str, Any]:
    policy = subscription.policy
    return {
        "name": subscription.name,
        "topic": subscription.topic,
        "sink": subscription.sink,
        "ack_deadline": subscription.ack_deadline,
        "first": policy.first,
        "ceiling": policy.ceiling,
        "attempts": policy.attempts,
        "factor": policy.factor,
        "spread": policy.spread,
    }


def _subscription(row: dict[str, Any]) -> Subscription:
    return Subscription(
        name=row["name"],
        topic=row["topic"],
        sink=row["sink"],
        ack_deadline=row["ack_deadline"],
        policy=policy_of(row),
    )


def _check_policy(policy: RetryPolicy) -> None:
    rules = {
        "a budget is at least one attempt": policy.attempts is None or policy.attempts >= 1,
        "the first delay is at least nothing and at most the ceiling": timedelta(0) <= policy.first <= policy.ceiling,
        "delays grow by a factor of 1 or more": policy.factor >= 1,
        "the spread is from 0 to 1": 0 <= policy.spread <= 1,
    }
    for rule, kept in rules.items():
        if not kept:
            raise _refusal(f"the retry policy is refused: {rule}", "see contracts.retry.RetryPolicy")


def _refusal(message: str, hint: str) -> ValidationFailure:
    return ValidationFailure(message, code=Code.INVALID, hint=hint)
