"""What the harvester says: log lines, metrics."""

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from windrow.contracts.errors import WindrowError
from windrow.harvest.abridged import storable_text
from windrow.outbox.lane import Slice
from windrow.telemetry import emit, redact
from windrow.telemetry.catalogue import harvest as told

if TYPE_CHECKING:
    from windrow.harvest.publish import Published, Sheet
    from windrow.harvest.slice import SliceReport

_SHOWN = 5


def started(piece: Slice, at: "SliceReport") -> None:
    emit(
        "harvest.started",
        run_id=piece.run_id,
        lane=piece.lane.name,
        epoch=piece.epoch,
        cursor=at.cursor,
        page_size=at.page_size,
    )


def published(directive: str, sheet: "Sheet", made: "Published", at: "SliceReport", attempt: int) -> None:
    """A page is out. Of a replay only the answer was lost: it is told and counted now, once."""
    counts = sheet.counts
    if made.replayed:
        emit("harvest.replayed", batch_id=made.batch_ids[0], cursor=at.cursor, item_count=counts.published)
    emit(
        "harvest.published",
        batch_id=made.batch_ids[0],
        cursor=at.cursor,
        cursor_token=at.cursor,
        item_count=counts.published,
        repeats=counts.repeats,
        quarantined=counts.quarantined,
        bytes=counts.bytes,
        retry_attempt=attempt,
    )
    told.BATCHES.add(made.batches, directive=directive)
    told.ITEMS.add(counts.published, directive=directive)
    told.LATENCY.record(time.perf_counter() - sheet.asked, directive=directive)
    quarantined(directive, sheet)


def quarantined(directive: str, sheet: "Sheet") -> None:
    """What was refused of a page, in one line: the first few with their reasons."""
    refused = sheet.refined.refused
    if not refused:
        return
    shown = [
        {
            "index": one.index,
            "reasons": [f"{reason.why} {reason.path} {reason.message}" for reason in one.reasons[:_SHOWN]],
        }
        for one in refused[:_SHOWN]
    ]
    emit("harvest.quarantined", position=sheet.page.position, quarantined=len(refused), reasons=shown)
    for one in refused:
        told.QUARANTINED.add(1, directive=directive, why=one.reasons[0].why)


def neared_ceiling(size: int, ceiling: int, position: str) -> None:
    emit("harvest.neared_ceiling", bytes=size, ceiling=ceiling, position=position)


def resized(before: int, after: int, reason: str) -> None:
    emit("harvest.resized", page_size=after, before=before, reason=reason)


def retried(error: WindrowError, failures: int, delay: timedelta) -> None:
    emit(
        "harvest.retried",
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        retry_attempt=failures,
        retry_in_seconds=delay.total_seconds(),
    )


def superseded(piece: Slice) -> None:
    emit("harvest.superseded", run_id=piece.run_id, lane=piece.lane.name, epoch=piece.epoch)


def ended(at: "SliceReport", seconds: float) -> None:
    emit(
        "harvest.ended",
        outcome=at.outcome,
        cursor=at.cursor,
        pages=at.totals.pages,
        item_count=at.totals.published,
        quarantined=at.totals.quarantined,
        bytes=at.totals.bytes,
        seconds=round(seconds, 3),
    )


def failed(error: WindrowError, at: "SliceReport") -> None:
    emit(
        "harvest.failed",
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        cursor=at.cursor,
        pages=at.totals.pages,
        error=error.__cause__,
    )


def snapshot(run_id: str, error: WindrowError, at: "SliceReport") -> dict[str, Any]:
    """How far a run came that did not end well."""
    return {
        "run_id": run_id,
        "cursor": at.cursor,
        "pages": at.totals.pages,
        "fetched": at.totals.fetched,
        "published": at.totals.published,
        "quarantined": at.totals.quarantined,
        "error_class": error.error_class,
        "code": str(error.code),
        "reason": storable_text(redact(error.message)[:500]),
    }
