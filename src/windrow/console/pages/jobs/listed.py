"""`/jobs`: what is to be done, how far it is, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from windrow.console.pages.charts import Chart, columns
from windrow.console.pages.desk import Desk
from windrow.console.pages.jobs.words import MEANINGS, TONES
from windrow.console.pages.rendering import View
from windrow.console.pages.tickets import new_ticket
from windrow.console.session import Visit
from windrow.contracts.errors import WindrowError
from windrow.jobs import glance, reading
from windrow.jobs.glance import Ended
from windrow.jobs.job import Status
from windrow.telemetry import redact

PAGE = 50
LONGEST = 120
# from the bottom of a column to its top
_STACKED = (Status.DONE, Status.CANCELLED, Status.FAILED)


@dataclass(frozen=True, slots=True)
class Asked:
    """What of the list is wanted; whatever is no such thing is not asked for."""

    status: Status | None
    kind: str | None
    before: str | None

    @classmethod
    def by(cls, visit: Visit) -> "Asked":
        asked = visit.request.query_params
        status = Status(asked["status"]) if asked.get("status") in set(Status) else None
        return cls(status, asked.get("kind", "").replace("\0", "")[:64] or None, _place(asked.get("before")))

    def query(self, **other: str | None) -> str:
        """The way to the same list, but for what is named."""
        said = {"status": self.status, "kind": self.kind} | other
        return urlencode({name: value for name, value in said.items() if value})


class Jobs:
    """The list, the newest first."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = Asked.by(visit), visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            standing = await glance.standing(tx, scope.project_id, kind=asked.kind)
            found = await glance.listed(
                tx, scope.project_id, status=asked.status, kind=asked.kind, before=asked.before, limit=PAGE + 1
            )
            ended = await glance.ended(tx, scope.project_id)
            kinds = await glance.kinds(tx, scope.project_id)
        shown = found[:PAGE]
        context = {
            "rows": [(job, shortened(job.source) if job.source else None) for job in shown],
            "asked": asked,
            "standing": standing,
            "most": glance.MOST,
            "kinds": kinds if len(kinds) > 1 or asked.kind else [],
            "tones": TONES,
            "meanings": MEANINGS,
            "day": day(ended, datetime.now(UTC)) if ended else None,
            "more": asked.query(before=shown[-1].job_id) if len(found) > PAGE else None,
            "first": asked.before is None,
            "ticket": new_ticket(),
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View("jobs/list.html", "Jobs", "jobs", context, "jobs/list_live.html", f"/live/jobs{query}")


def shortened(source: str) -> str:
    """What a job works on; redacted before it is cut, or half of a secret would be none any more."""
    shown = redact(source)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def day(ended: Sequence[Ended], now: datetime) -> tuple[Chart, dict[str, int]]:
    """How jobs ended in the last day, drawn and counted."""
    by_hour: dict[datetime, dict[str, int]] = {}
    counts: dict[str, int] = {}
    for each in ended:
        by_hour.setdefault(each.hour, {})[each.status] = each.jobs
        counts[each.status] = counts.get(each.status, 0) + each.jobs
    this = now.replace(minute=0, second=0, microsecond=0)
    series = [_ordered(by_hour.get(this - timedelta(hours=back), {})) for back in range(23, -1, -1)]
    said = ", ".join(f"{count} {status}" for status, count in _ordered(counts).items())
    return columns(series, f"Jobs that ended in the last 24 hours: {said}.", width=480, height=64), _ordered(counts)


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    return {status: counts[status] for status in _STACKED if status in counts}


def _place(text: str | None) -> str | None:
    """Where the page before ended; whatever is no such place is the beginning."""
    try:
        return reading.checked_id(text) if text else None
    except WindrowError:
        return None
