"""Failed runs: each tells its channel, and the one that makes them too many for its tenant pages (OR-41).

Between two failures the number within the window only falls. So the failure that finds exactly the tolerated number
before it is the one that crosses the threshold: the first time, and again after a recovery, and never in between.
No alarm needs to be remembered for that; the failures of a tenant only have to be counted one after the other.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windrow.notify.escalation import FailedRun, escalated
from windrow.notify.notice import Channel, Notice, Severity
from windrow.notify.telling import tell
from windrow.postgres import Transaction, load

Q = load(__package__, "failures.sql")

# longer than any window: a run that is noted again, by a retry, is recognised for as long
_KEEP = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """OR-41: more than so many failed runs within the window page."""

    runs: int = 3
    window: timedelta = timedelta(hours=24)


OR_41 = Tolerance()


async def note(tx: Transaction, run: FailedRun, tolerance: Tolerance = OR_41) -> bool:
    """Tell of a failed run, in the transaction that ends it; whether it pages. The same run again changes nothing.

    Best late in the transaction: the tenant's other failures wait until it commits.
    """
    await tx.execute(Q.take_turns)
    failed_at = await tx.value(
        Q.note,
        run_id=run.run_id,
        project=run.project_id,
        endpoint=run.endpoint_id,
        code=run.code,
        keep=max(_KEEP, tolerance.window),
    )
    if failed_at is None:
        return False
    await tell(tx, escalated(run))
    # one more than needed tells "just crossed" from "crossed before"
    found = await tx.rows(Q.latest, at=failed_at, window=tolerance.window, limit=tolerance.runs + 2)
    if len(found) != tolerance.runs + 1:
        return False
    await tell(tx, paged(run, found, tolerance))
    return True


async def failed_lately(tx: Transaction, tolerance: Tolerance = OR_41) -> int:
    """How many runs of the tenant have failed within the window that ends now; of very many, a hundred."""
    count: int = await tx.value(Q.lately, window=tolerance.window, limit=max(100, tolerance.runs + 1))
    return count


def paged(last: FailedRun, failed: Iterable[dict[str, Any]], tolerance: Tolerance) -> Notice:
    """The page: how many, and of which endpoints."""
    times = Counter((row["project_id"], row["endpoint_id"], row["code"]) for row in failed)
    hours = tolerance.window.total_seconds() / 3600
    endpoints = {endpoint for _, endpoint, _ in times}
    return Notice(
        channel=Channel.PAGER,
        title=f"{times.total()} runs failed within {hours:g} hours",
        text="\n".join(
            f"{project}/{endpoint}: {code}, {count} x" for (project, endpoint, code), count in sorted(times.items())
        ),
        severity=Severity.CRITICAL,
        run_id=last.run_id,
        error_class=last.error_class,
        code=last.code,
        hint=f"`windrow runs --endpoint {endpoints.pop()}` shows them" if len(endpoints) == 1 else "see `windrow runs`",
        dedupe_key=f"failures/{last.run_id}",
    )
