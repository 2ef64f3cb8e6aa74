"""Subscriptions and dead letters at a glance: what waits, since when, what fails. Bounded, so that a page can ask for it often."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from windrow.postgres import Transaction, load
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "glance.sql")

# nothing is counted beyond, and of a subscription not more keys than this are looked at
MOST, MOST_STRANDS = 1000, 100
_MOST_NAMES = 300
_LONGEST_WHY = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionGlance:
    """A subscription: messages ahead of it (and whether there are more than were counted), keys in hand and keys that
    fail, with why the last one did; dead letters."""

    name: str
    topic: str
    sink: str | None
    pending: int
    more: bool
    oldest_at: datetime | None
    in_hand: int
    failing: int
    failed_at: datetime | None
    why: str | None
    dead_letters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterGroup:
    """Dead letters of one kind: of one subscription, with one code; and what the latest of them died of."""

    topic: str
    subscription: str
    code: str
    letters: int
    latest_at: datetime
    reason: str


async def subscriptions_at_a_glance(tx: Transaction, topics: Sequence[str] | None = None) -> list[SubscriptionGlance]:
    """Every subscription of the tenant, or of these topics; by topic and name."""
    found = await tx.into(
        SubscriptionGlance,
        Q.subscriptions,
        topics=list(topics) if topics is not None else None,
        most=MOST,
        strands=MOST_STRANDS,
        limit=_MOST_NAMES,
    )
    return [replace(one, why=PROCESS.text(one.why)[:_LONGEST_WHY] if one.why else None) for one in found]


async def dead_by_hour(tx: Transaction) -> dict[datetime, int]:
    """How many letters died in which hour of the last day, where any did."""
    return {row["hour"]: row["letters"] for row in await tx.rows(Q.dead_by_hour, most=5 * MOST)}


async def letter_groups(
    tx: Transaction, *, subscription: str | None = None, topic: str | None = None
) -> list[LetterGroup]:
    """The latest dead letters, grouped by what they died of; the largest group first."""
    return await tx.into(LetterGroup, Q.groups, subscription=subscription, topic=topic, most=MOST)
