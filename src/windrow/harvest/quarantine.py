"""Quarantine: records that were refused, with every reason, where they were in the source, and a redacted excerpt.

Written in the transaction of the page they came with. The same record refused again is the same entry, seen once more.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from psycopg.types.json import Jsonb

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import Identity
from windrow.contracts.page import Page, Refused
from windrow.contracts.quarantine import Reason
from windrow.contracts.scope import Actor
from windrow.harvest.excerpt import excerpt, kept, plain
from windrow.outbox.lane import Slice
from windrow.postgres import Transaction, audit, load, uuid_array
from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "quarantine.sql")

# of what is wrong in the same way, so many are counted; and so many ways to be wrong are looked at
COUNTED, SHAPES = 1000, 300
_PLACE = re.compile(r"/[0-9]+(?=/|$)")


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


class Mark(NamedTuple):
    """Where a page of entries ends."""

    last_at: datetime
    endpoint_id: str
    id: str

    @classmethod
    def at(cls, entry: Quarantined) -> "Mark":
        return cls(entry.last_at, entry.endpoint_id, entry.id)

    @classmethod
    def before(cls, entry: Quarantined) -> "Mark":
        """In front of it, and of all that were refused at the same moment."""
        return cls(entry.last_at, "", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Records with the same thing wrong, whatever their values: the latest as an example, and at most `COUNTED` counted.

    The reasons are those of the example, with `*` for a place in a list.
    """

    key: str
    reasons: list[dict[str, str]]
    count: int
    endpoints: int
    last_at: datetime
    example: Quarantined


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
        text = kept(record)
        position = f"{page.position} #{one.index}"
        named = one.external_id or text or position
        await tx.execute(
            Q.keep,
            **piece.lane.key,
            id=hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            run_id=piece.run_id,
            observation=observation,
            position=plain(PROCESS.text(position))[:500],
            external_id=one.external_id,
            item_id=identity.item_id(one.external_id) if one.external_id else None,
            reasons=_told(one.reasons),
            excerpt=excerpt(record, text),
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


async def page(
    tx: Transaction,
    project: str,
    *,
    endpoint: str | None = None,
    state: str | None = "open",
    key: str | None = None,
    after: Mark | None = None,
    limit: int,
) -> list[Quarantined]:
    """To look at, the latest first. Of a record, which may be large, only whether it was kept: empty, or None."""
    place = _after(after)
    return await tx.into(
        Quarantined, Q.page, project=project, endpoint=endpoint, state=state, key=key, limit=limit, **place
    )


async def groups(
    tx: Transaction,
    project: str,
    *,
    endpoint: str | None = None,
    state: str = "open",
    key: str | None = None,
    limit: int,
) -> list[Group]:
    """What is wrong with how many, the most frequent first; of one key, only that."""
    rows = await tx.rows(
        Q.groups,
        project=project,
        endpoint=endpoint,
        state=state,
        key=key,
        most=SHAPES,
        counted=COUNTED,
        limit=limit,
    )
    return [_group(**row) for row in rows]


async def of_group(
    tx: Transaction, project: str, key: str, *, endpoint: str | None = None, after: Mark | None = None, limit: int
) -> list[Quarantined]:
    """To act upon: open entries with the same thing wrong, whole, the latest first."""
    return await tx.into(
        Quarantined, Q.of_group, project=project, key=key, endpoint=endpoint, limit=limit, **_after(after)
    )


async def waiting(
    tx: Transaction, project: str, key: str, *, endpoint: str | None = None, after: Mark | None = None
) -> int:
    """How many of a group are open, beyond a mark; at most `COUNTED` are counted."""
    found: int = await tx.value(
        Q.waiting, project=project, key=key, endpoint=endpoint, counted=COUNTED, **_after(after)
    )
    return found


async def entry(tx: Transaction, project: str, endpoint: str, identity: str) -> Quarantined:
    """One entry of an endpoint, whole, by its whole id."""
    found = await tx.into(Quarantined, Q.entry, project=project, endpoint=endpoint, id=identity)
    if not found:
        raise ValidationFailure(
            f"{endpoint} has no quarantined record {identity[:40]}",
            code=Code.NOT_FOUND,
            hint="the list of what is in quarantine shows those that are there",
        )
    return found[0]


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
    await _record_dropped(tx, entry.project_id, entry.endpoint_id, [entry.id], actor=actor, reason=reason)
    return True


async def drop_group(
    tx: Transaction,
    project: str,
    key: str,
    *,
    until: datetime,
    actor: Actor,
    reason: str,
    endpoint: str | None = None,
    limit: int = COUNTED,
) -> int:
    """Give up at most so many with the same thing wrong, as they were at that moment; how many there were."""
    rows = await tx.rows(Q.drop_group, project=project, key=key, endpoint=endpoint, until=until, limit=limit)
    dropped: dict[str, list[str]] = {}
    for row in rows:
        dropped.setdefault(row["endpoint_id"], []).append(row["id"])
    for name, ids in dropped.items():
        await _record_dropped(tx, project, name, ids, actor=actor, reason=reason)
    return len(rows)


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


async def _record_dropped(
    tx: Transaction, project: str, endpoint: str, ids: list[str], *, actor: Actor, reason: str
) -> None:
    details = {"entries": ids}
    await audit.record(
        tx, actor, "quarantine.drop", f"quarantine/{endpoint}", project_id=project, reason=reason, details=details
    )
    tx.after_commit(lambda: emit("quarantine.dropped", endpoint_id=endpoint, entries=len(ids), actor=actor.name))


def _after(mark: Mark | None) -> dict[str, Any]:
    last_at, endpoint_id, identity = mark or (None, None, None)
    return {"last_at": last_at, "last_endpoint": endpoint_id, "last_id": identity}


def _group(key: str, entries: int, endpoints: int, **row: Any) -> Group:
    example = Quarantined(**row)
    reasons = _distinct([{**each, "path": _PLACE.sub("/*", each.get("path", ""))} for each in example.reasons])
    return Group(key=key, reasons=reasons, count=entries, endpoints=endpoints, last_at=example.last_at, example=example)


def _distinct(reasons: list[dict[str, str]]) -> list[dict[str, str]]:
    return [each for index, each in enumerate(reasons) if each not in reasons[:index]]


def _told(reasons: Sequence[Reason]) -> Jsonb:
    return Jsonb(PROCESS.value([_as_text(reason) for reason in reasons]))


def _as_text(reason: Any) -> dict[str, str]:
    return {name: plain(str(value)) for name, value in msgspec.to_builtins(reason).items()}
