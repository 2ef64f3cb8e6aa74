"""Quarantine retried: kept records go through today's connector and contract once more, and what passes is published.

With the observation that each was read with, so that whatever the source has said since stands above it; through a lane of
its own, in the order of the observations. Publishing and marking the entries is one transaction: a crash loses nothing and
doubles nothing.

Old news must not undo newer that left no trace because it changed nothing (docs/explanation/protocol.md, "Unchanged is
news"). A record of the live lane whose item is known would have been overtaken by newer news; where that cannot be relied
upon, a retry only adds what the catalog does not hold.
"""

import json
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from windrow.connectors.connector import Connector
from windrow.contracts.errors import classify
from windrow.contracts.identity import Identity, batch_id
from windrow.contracts.page import Page
from windrow.contracts.quarantine import Reason, Why
from windrow.contracts.scope import Actor
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.quarantine import Quarantined, refuse_again, settle
from windrow.harvest.refine import Refined, refine
from windrow.harvest.run import Counts, Outcome
from windrow.outbox import batch as outbox
from windrow.outbox import claim
from windrow.outbox import lane as lanes
from windrow.outbox.lane import LIVE, Lane, Slice
from windrow.postgres import Database, Transaction, audit, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import harvest as told
from windrow.telemetry.redaction import REDACTED

Q = load(__package__, "retrying.sql")

PREFIX = "backfill:quarantine-"
# so many records of a quarter of a megabyte are what one transaction may hold
AT_ONCE = 100


class Verdict(StrEnum):
    """What became of an entry."""

    PUBLISHED = "published"
    REFUSED = "refused"  # it fails again, and stays with its new reasons
    NOT_KEPT = "not kept"  # there is no whole record to try
    KNOWN = "known"  # the catalog holds the item, and nobody can say which news is newer
    CHANGED = "changed"  # it was dealt with, or refused once more, in between


@dataclass(slots=True)
class Attempt:
    """An entry and what today's code makes of its record."""

    entry: Quarantined
    verdict: Verdict
    refined: Refined = field(default_factory=Refined)
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Retried:
    """What a retry came to. Without anything published there is no lane."""

    run_id: str
    lane: Lane | None
    attempts: list[Attempt]

    def count(self, verdict: Verdict) -> int:
        return sum(attempt.verdict is verdict for attempt in self.attempts)


Witness = Callable[[Transaction, list[Attempt]], Awaitable[None]]


async def unwitnessed(_tx: Transaction, _attempts: list[Attempt]) -> None:
    """Nobody else writes anything down."""


async def retry(
    database: Database,
    connector: Connector[Any],
    endpoint: Endpoint,
    entries: Sequence[Quarantined],
    *,
    actor: Actor,
    reason: str | None = None,
    witness: Witness = unwitnessed,
    draw: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
) -> Retried:
    """Try entries of one endpoint again, at most `AT_ONCE`; all that passes is published together, or nothing. The witness is
    told in the same transaction, at its end: what it writes down stands with it, and what it raises undoes it."""
    name = draw()
    lane = Lane(endpoint.scope, endpoint.endpoint_id, f"{PREFIX}{name}")
    run_id = f"{endpoint.endpoint_id}-quarantine-{name}"
    identity = Identity(endpoint.scope, endpoint.endpoint_id)
    attempts = [_attempt(connector, identity, entry) for entry in sorted(entries, key=lambda entry: entry.observation)]
    async with database.tenant(endpoint.scope.tenant_id) as tx:
        names = await claim.hold_still(tx, endpoint.scope, endpoint.endpoint_id)
        await _withhold_known(tx, attempts, only_live=all(each == LIVE or each.startswith(PREFIX) for each in names))
        await _mark(tx, attempts)
        passed = [attempt for attempt in attempts if attempt.verdict is Verdict.PUBLISHED]
        if passed:
            await _publish(tx, connector, lane, run_id, passed)
        done = Retried(run_id, lane if passed else None, attempts)
        await _record(tx, endpoint, done, actor, reason)
        await witness(tx, attempts)
    return done


async def finish(database: Database, done: Retried) -> dict[str, int]:
    """Once the lane is persisted: what became of the items, with the run; and the lane, of no more use, is forgotten."""
    assert done.lane, "something was published"
    async with database.tenant(done.lane.scope.tenant_id) as tx:
        settled = runs.as_document(await runs.verify(tx, done.run_id))
        if not settled["pending"]:
            await runs.end_run(tx, done.run_id, Outcome.DONE, settled=settled)
            await lanes.forget(tx, done.lane)
    return settled


def _attempt(connector: Connector[Any], identity: Identity, entry: Quarantined) -> Attempt:
    # what was blanked out must not come back as the source's word
    if entry.record is None or REDACTED in entry.record:
        return Attempt(entry, Verdict.NOT_KEPT)
    page = Page(records=[json.loads(entry.record)], cursor=None, position=entry.position, last=True)
    try:
        refined = refine(connector.transform(page), identity)
    except Exception as error:
        failed = Reason(why=Why.TRANSFORM, path="", message=classify(error).message[:500])
        return Attempt(entry, Verdict.REFUSED, reasons=(failed,))
    if refined.refused:
        return Attempt(entry, Verdict.REFUSED, reasons=tuple(each for one in refined.refused for each in one.reasons))
    return Attempt(entry, Verdict.PUBLISHED, refined)


async def _withhold_known(tx: Transaction, attempts: list[Attempt], *, only_live: bool) -> None:
    """Old news does not overwrite, unless newer would have overtaken it."""
    ids = [item_id for attempt in attempts for item_id in attempt.refined.item_ids]
    known = {row["item_id"] for row in await tx.rows(Q.known, item_ids=ids)}
    for attempt in attempts:
        safe = {attempt.entry.item_id} if only_live and attempt.entry.lane == LIVE else set()
        if known.intersection(attempt.refined.item_ids) - safe:
            attempt.verdict = Verdict.KNOWN


async def _mark(tx: Transaction, attempts: list[Attempt]) -> None:
    for attempt in attempts:
        if attempt.verdict is Verdict.PUBLISHED and not await settle(tx, attempt.entry, "retried"):
            attempt.verdict = Verdict.CHANGED
        elif attempt.verdict is Verdict.REFUSED:
            await refuse_again(tx, attempt.entry, attempt.reasons)


async def _publish(tx: Transaction, connector: Connector[Any], lane: Lane, run_id: str, passed: list[Attempt]) -> None:
    """A batch an observation, in order; then the lane is closed: nothing else will come through it."""
    piece = await lanes.begin(tx, lane, run_id)
    await runs.begin_run(tx, lane, run_id)
    counts = Counts()
    for seq, observation in enumerate(sorted({attempt.entry.observation for attempt in passed}), 1):
        group = [attempt for attempt in passed if attempt.entry.observation == observation]
        merged = _merged(group)
        await outbox.append(tx, piece, seq, _draft(connector, piece, group, merged))
        counts += Counts(
            pages=1,
            fetched=len(merged.rows) + merged.repeats,
            published=len(merged.rows),
            repeats=merged.repeats,
            bytes=sum(map(len, merged.rows)),
        )
    await runs.count(tx, run_id, counts)
    await runs.end_run(tx, run_id, Outcome.DONE)
    await lanes.close(tx, lane)
    directive = connector.spec.name
    tx.after_commit(lambda: told.BATCHES.add(counts.pages, directive=directive))
    tx.after_commit(lambda: told.ITEMS.add(counts.published, directive=directive))


def _merged(group: list[Attempt]) -> Refined:
    """The rows of several records as one batch; of an item that is in two of them, the last one counts."""
    rows: dict[str, tuple[bytes, str]] = {}
    merged = Refined()
    for refined in (attempt.refined for attempt in group):
        merged.repeats += refined.repeats + sum(item_id in rows for item_id in refined.item_ids)
        merged.relations += refined.relations
        merged.tombstones += refined.tombstones
        rows |= dict(zip(refined.item_ids, zip(refined.rows, refined.hashes, strict=True), strict=True))
    merged.item_ids = list(rows)
    merged.rows, merged.hashes = [row for row, _ in rows.values()], [known_as for _, known_as in rows.values()]
    return merged


def _draft(connector: Connector[Any], piece: Slice, group: list[Attempt], merged: Refined) -> outbox.Draft:
    spec, entries = connector.spec, [attempt.entry for attempt in group]
    return outbox.Draft(
        batch_id=batch_id(piece.lane.endpoint_id, "quarantine", [entry.id for entry in entries], merged.hashes),
        observation=entries[0].observation,
        source_system=spec.source_system,
        connector=spec.name,
        connector_version=spec.version,
        spec_ref=spec.spec_ref,
        fetched_at=max(entry.last_at for entry in entries),
        items=len(merged.rows),
        relations=merged.relations,
        tombstones=merged.tombstones,
        payload=b"[" + b",".join(merged.rows) + b"]",
    )


async def _record(tx: Transaction, endpoint: Endpoint, done: Retried, actor: Actor, reason: str | None) -> None:
    counts: dict[str, Any] = {verdict.name.lower(): done.count(verdict) for verdict in Verdict}
    await audit.record(
        tx,
        actor,
        "quarantine.retry",
        f"quarantine/{endpoint.endpoint_id}",
        project_id=endpoint.scope.project_id,
        reason=reason,
        details={"entries": [attempt.entry.id for attempt in done.attempts], "run_id": done.run_id, **counts},
    )
    lane = str(done.lane) if done.lane else endpoint.endpoint_id
    tx.after_commit(lambda: emit("quarantine.retried", lane=lane, actor=actor.name, **counts))
