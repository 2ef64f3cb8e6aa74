"""Quarantine: records that were refused, with every reason, where they were in the source, and a redacted excerpt.

Written in the transaction of the page they came with. The same record refused again is the same entry, seen once more.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from psycopg.types.json import Jsonb

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import Identity
from windrow.contracts.page import Page, Refused
from windrow.contracts.quarantine import Reason
from windrow.contracts.scope import Actor
from windrow.outbox.lane import Slice
from windrow.postgres import Transaction, audit, load, uuid_array
from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "quarantine.sql")

LARGEST_RECORD = 256 * 1024
LONGEST_EXCERPT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """An entry as people see it."""

    id: str
    project_id: str
    endpoint_id: str
    state: str
    lane: str
    run_id: str
    observation: int
    position: str
    external_id: str | None
    item_id: str | None
    reasons: list[dict[str, str]]
    excerpt: str
    record: str | None
    times: int
    first_at: datetime
    last_at: datetime


async def overtake(tx: Transaction, piece: Slice, observation: int, item_ids: Sequence[str]) -> None:
    """These items are published: what was refused of them before is old news, which nobody may retry any more.

    Without this a retry could bring back what the source has taken back since: where the source says again what the
    catalog holds, that writes nothing, and the catalog alone could not tell.
    """
    await tx.execute(
        Q.overtake,
        project=piece.lane.key["project"],
        endpoint=piece.lane.endpoint_id,
        observation=observation,
        item_ids=uuid_array(item_ids),
    )


async def quarantine(
    tx: Transaction, piece: Slice, identity: Identity, page: Page, observation: int, refused: Sequence[Refused]
) -> None:
    """Keep what was refused of a page."""
    for one in refused:
        record = page.records[one.index] if one.index < len(page.records) else None
        text = _kept(record)
        position = f"{page.position} #{one.index}"
        named = one.external_id or text or position
        await tx.execute(
            Q.keep,
            **piece.lane.key,
            id=hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            run_id=piece.run_id,
            observation=observation,
            position=_plain(PROCESS.text(position))[:500],
            external_id=one.external_id,
            item_id=identity.item_id(one.external_id) if one.external_id else None,
            reasons=_told(one.reasons),
            excerpt=_excerpt(record, text),
            record=text,
        )


async def listed(
    tx: Transaction,
    *,
    project: str | None = None,
    endpoint: str | None = None,
    state: str | None = "open",
    limit: int = 50,
) -> list[Quarantined]:
    """The latest first."""
    return await tx.into(Quarantined, Q.listed, project=project, endpoint=endpoint, state=state, limit=limit)


async def find(tx: Transaction, project: str, identity: str) -> Quarantined:
    """One entry, by its id or the beginning of it."""
    found = await tx.into(Quarantined, Q.find, project=project, id=identity)
    if len(found) != 1:
        raise ValidationFailure(
            f"{len(found) or 'no'} quarantined records begin with {identity[:40]!r}",
            code=Code.NOT_FOUND,
            hint="`windrow quarantine list` shows their ids",
        )
    return found[0]


async def settle(tx: Transaction, entry: Quarantined, state: str) -> bool:
    """The entry is dealt with (`retried`, `dropped`); False if it was seen again in between."""
    return (
        await tx.execute(
            Q.settle, project=entry.project_id, endpoint=entry.endpoint_id, id=entry.id, state=state, times=entry.times
        )
        == 1
    )


async def drop(tx: Transaction, entry: Quarantined, *, actor: Actor, reason: str) -> bool:
    """An operator's word: the record is given up, until it is refused again. False if it was dealt with in between."""
    if not await settle(tx, entry, "dropped"):
        return False
    await audit.record(
        tx,
        actor,
        "quarantine.drop",
        f"quarantine/{entry.endpoint_id}",
        project_id=entry.project_id,
        reason=reason,
        details={"entries": [entry.id]},
    )
    tx.after_commit(lambda: emit("quarantine.dropped", endpoint_id=entry.endpoint_id, entry=entry.id, actor=actor.name))
    return True


async def refuse_again(tx: Transaction, entry: Quarantined, reasons: Sequence[Reason]) -> None:
    """The entry stays, with what is wrong with it today."""
    await tx.execute(
        Q.refuse_again,
        project=entry.project_id,
        endpoint=entry.endpoint_id,
        id=entry.id,
        times=entry.times,
        reasons=_told(reasons),
    )


def _told(reasons: Sequence[Reason]) -> Jsonb:
    return Jsonb(PROCESS.value([_as_text(reason) for reason in reasons]))


def _as_text(reason: Any) -> dict[str, str]:
    return {name: _plain(str(value)) for name, value in msgspec.to_builtins(reason).items()}


def _kept(record: Any) -> str | None:
    """The record as JSON for a later retry, redacted; None where it cannot be kept whole."""
    try:
        text = json.dumps(PROCESS.value(msgspec.to_builtins(record)), allow_nan=False)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None
    return text if len(text) <= LARGEST_RECORD else None


def _excerpt(record: Any, text: str | None) -> str:
    if text is None:
        try:
            text = PROCESS.text(repr(record)[: 4 * LONGEST_EXCERPT])
        except RecursionError:
            text = f"a {type(record).__name__} that is nested too deeply to be shown"
    return _plain(text[:LONGEST_EXCERPT]) + ("…" if len(text) > LONGEST_EXCERPT else "")


def _plain(text: str) -> str:
    """Without what Postgres cannot hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
