"""Steps 5 and 6: a page becomes one or more batches, and the cursor moves behind it. One fenced transaction.

the epoch must be ours            else Superseded: stop, touch nothing
the cursor must be where we left  else Conflict: somebody moved it inside our epoch
this very request was answered    the page is published already: skip it
"""

from dataclasses import dataclass
from datetime import datetime

from windrow import endpoints, kv
from windrow.catalog import listing
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.identity import Identity, batch_id
from windrow.contracts.page import Cursor, Page
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.cursors import Cursors, Pinned, Position
from windrow.harvest.pacing import CEILING
from windrow.harvest.quarantine import overtake, quarantine
from windrow.harvest.refine import Refined
from windrow.outbox import batch as outbox
from windrow.outbox import lane as lanes
from windrow.outbox.lane import LIVE, Slice
from windrow.postgres import Database, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page that is ready to be published. Whoever asks after it, through any lane, has at least the horizon as his number."""

    page: Page
    refined: Refined
    before: Cursor
    number: int
    observation: int
    horizon: int
    fetched_at: datetime
    asked: float
    pinned: Pinned | None = None

    @property
    def counts(self) -> runs.Counts:
        refined = self.refined
        return runs.Counts(
            pages=1,
            fetched=len(refined.rows) + refined.repeats + len(refined.refused),
            published=len(refined.rows),
            repeats=refined.repeats,
            quarantined=len(refined.refused),
            bytes=sum(map(len, refined.rows)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Where the cursor is now, under which labels the page went out, and what the run has read with it.

    A page without anything has a label, and no batch.
    """

    position: Position
    batch_ids: tuple[str, ...]
    batches: int
    totals: runs.Counts
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Publishes the pages of one slice."""

    database: Database
    piece: Slice
    endpoint: Endpoint
    spec: ConnectorSpec
    cursors: Cursors
    identity: Identity
    batch_bytes: int = CEILING

    async def publish(self, position: Position, sheet: Sheet) -> Published:
        """All of the page, and the cursor behind it; or nothing."""
        async with self.database.tenant(self.endpoint.scope.tenant_id) as tx:
            await lanes.hold(tx, self.piece, sheet.observation)
            parts = split(sheet.refined.rows, self.batch_bytes)
            labels: list[str] = []
            version = position.version
            begin = batches = 0
            for part, rows in enumerate(parts):
                hashes = sheet.refined.hashes[begin : begin + len(rows)]
                begin += len(rows)
                labels.append(batch_id(self.endpoint.endpoint_id, self.piece.lane.name, [sheet.before, part], hashes))
                outcome = await self.cursors.advance(
                    tx,
                    version,
                    sheet.page.cursor,
                    batch_id=labels[-1],
                    item_count=len(rows),
                    spec_ref=self.spec.spec_ref,
                    request_id=f"{self.piece.run_id}/{self.piece.epoch}/{sheet.number}/{part}",
                    pinned=sheet.pinned,
                )
                match outcome:
                    case kv.Stale() as stale:
                        raise stale.conflict(self.cursors.key)
                    case kv.Replayed(made):
                        # all of a page is one transaction: if its first part is there, so is the rest
                        totals = await runs.counts_of(tx, self.piece.run_id)
                        return Published(
                            position=Position(sheet.page.cursor, made + len(parts) - 1, sheet.pinned),
                            batch_ids=tuple(labels),
                            batches=sum(map(bool, parts)),
                            totals=totals,
                            replayed=True,
                        )
                    case kv.Stored(made):
                        version = made
                last = part == len(parts) - 1
                generation = await self._list(tx, position, sheet, version) if last else None
                if rows or generation is not None:
                    await outbox.append(tx, self.piece, version, self._draft(sheet, labels[-1], rows, generation))
                    batches += 1
            await overtake(tx, self.piece, sheet.observation, sheet.refined.item_ids)
            await quarantine(tx, self.piece, self.identity, sheet.page, sheet.observation, sheet.refined.refused)
            totals = await runs.count(tx, self.piece.run_id, sheet.counts)
        return Published(
            position=Position(sheet.page.cursor, version, sheet.pinned),
            batch_ids=tuple(labels),
            batches=batches,
            totals=totals,
        )

    async def refuse(self, sheet: Sheet) -> None:
        """Keep what was refused of a page that is not published at all; the cursor stays."""
        async with self.database.tenant(self.endpoint.scope.tenant_id) as tx:
            await lanes.hold(tx, self.piece, sheet.observation)
            await quarantine(tx, self.piece, self.identity, sheet.page, sheet.observation, sheet.refined.refused)

    def _draft(self, sheet: Sheet, label: str, rows: list[bytes], generation: int | None) -> outbox.Draft:
        return outbox.Draft(
            batch_id=label,
            observation=sheet.observation,
            source_system=self.spec.source_system,
            connector=self.spec.name,
            connector_version=self.spec.version,
            spec_ref=self.spec.spec_ref,
            fetched_at=sheet.fetched_at,
            items=len(rows),
            # of the whole page: the subscriber only asks whether there are any
            relations=sheet.refined.relations,
            tombstones=sheet.refined.tombstones,
            payload=b"[" + b",".join(rows) + b"]",
            generation=generation,
        )

    async def _list(self, tx: Transaction, before: Position, sheet: Sheet, seq: int) -> int | None:
        """Note the page in the listing that is under way; the generation if that is whole now. Only live lists."""
        if self.piece.lane.name != LIVE:
            return None
        place = listing.Place(self.endpoint.scope.project_id, self.endpoint.endpoint_id)
        lane = self.piece.lane.name
        generation = (
            await listing.open_listing(
                tx,
                place,
                lane=lane,
                run_id=self.piece.run_id,
                filters=self.endpoint.filters,
                observation=sheet.observation,
                horizon=min(sheet.horizon, sheet.observation),
            )
            if sheet.page.opens
            else await listing.under_way(tx, place, lane, cursor_version=before.version, filters=self.endpoint.filters)
        )
        if generation is None:
            return None
        if why := await self._flaw(tx, sheet):
            await listing.abandon(tx, place, generation, why)
            return None
        await listing.add_page(tx, place, generation, seq, self._present(sheet.refined))
        if not sheet.page.whole:
            return None
        await listing.make_whole(tx, place, generation)
        return generation

    def _present(self, refined: Refined) -> list[str]:
        """What the page showed: a record that was refused is there all the same."""
        refused = [self.identity.item_id(one.external_id) for one in refined.refused if one.external_id]
        return refined.item_ids + refused

    async def _flaw(self, tx: Transaction, sheet: Sheet) -> str | None:
        """Why the listing cannot be trusted from this page on."""
        if any(one.external_id is None for one in sheet.refined.refused):
            return f"records were refused that nobody can name ({sheet.page.position})"
        if sheet.page.whole:
            now = await endpoints.find(tx, self.endpoint.scope, self.endpoint.endpoint_id)
            if now is None or now.filters != self.endpoint.filters:
                return "the endpoint's filters were changed while it was under way"
        return None


def split(rows: list[bytes], ceiling: int = CEILING) -> list[list[bytes]]:
    """The rows in parts of at most so many bytes; a single row is always below that. No rows: one empty part."""
    parts: list[list[bytes]] = [[]]
    size = 1  # as a JSON array: a bracket, and a comma or the last bracket behind each row
    for row in rows:
        if parts[-1] and size + len(row) + 1 > ceiling:
            parts.append([])
            size = 1
        parts[-1].append(row)
        size += len(row) + 1
    return parts
