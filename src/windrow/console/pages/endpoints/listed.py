"""`/endpoints`: every source, how it is, when it was and will be read."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfoNotFoundError

from windrow.console.pages.conditions import CONDITIONS
from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints.due import next_due
from windrow.console.pages.lately import lately
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import ValidationFailure
from windrow.postgres import load
from windrow.postgres.pool import Row

Q = load(__package__, "endpoints.sql")

PAGE = 50
LONGEST = 64
# no condition of an endpoint that is harvested, and asked for like one
REMOVED = "removed"
SEEK = ("/endpoints", "Search endpoints")


class Endpoints:
    """The list: searched, filtered, a page at a time."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked = visit.request.query_params
        if asked.get("condition") == REMOVED:
            return await self._removed(visit)
        sought = asked.get("q", "").strip().lower()[:LONGEST]
        condition = asked.get("condition") if asked.get("condition") in CONDITIONS else None
        scope = visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await tx.rows(
                Q.listed,
                project=scope.project_id,
                after=asked.get("after", "").replace("\0", "")[:LONGEST],
                condition=condition,
                sought=sought.replace("\0", "") or None,
                limit=PAGE + 1,
            )
            shown = found[:PAGE]
            counts = await tx.rows(Q.counts, project=scope.project_id)
            runs = await tx.rows(Q.lately, project=scope.project_id, endpoints=[row["endpoint_id"] for row in shown])
        filters = {"q": sought, "condition": condition or ""}
        context = {
            "rows": _described(shown, runs),
            "counts": _ordered(counts),
            "known": CONDITIONS,
            "sought": sought,
            "condition": condition,
            "more": urlencode({**filters, "after": shown[-1]["endpoint_id"]}) if len(found) > PAGE else None,
            "first": "after" not in asked,
        }
        return _view(visit, "endpoints/list_live.html", context)

    async def _removed(self, visit: Visit) -> View:
        asked, scope = visit.request.query_params, visit.principal.scope
        sought = asked.get("q", "").strip().lower()[:LONGEST]
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await tx.rows(
                Q.removed,
                project=scope.project_id,
                after=asked.get("after", "").replace("\0", "")[:LONGEST],
                sought=sought.replace("\0", "") or None,
                limit=PAGE + 1,
            )
        rows = found[:PAGE]
        further = {"condition": REMOVED, "q": sought, "after": rows[-1]["endpoint_id"]} if len(found) > PAGE else None
        context = {"rows": rows, "sought": sought, "more": urlencode(further) if further else None}
        return _view(visit, "endpoints/list_removed.html", context)


def _view(visit: Visit, live: str, context: dict[str, Any]) -> View:
    query = f"?{visit.request.url.query}" if visit.request.url.query else ""
    return View("endpoints/list.html", "Endpoints", "endpoints", context, live, f"/live/endpoints{query}", SEEK)


def _described(shown: Sequence[Row], runs: Sequence[Row]) -> list[dict[str, Any]]:
    now = datetime.now(UTC)
    by_endpoint = {name: list(group) for name, group in groupby(runs, itemgetter("endpoint_id"))}
    return [
        {**row, "lately": lately(by_endpoint.get(row["endpoint_id"], [])), "due": due(row, now), "lag": lag(row, now)}
        for row in shown
    ]


def due(row: Row, now: datetime) -> datetime | None:
    """When it is read next by itself: by the retry that waits, or by the schedule; None if nothing begins by itself."""
    if row["condition"] == "waiting" and row["next_retry_at"]:
        moment: datetime = row["next_retry_at"]
        return moment
    if row["schedule"] is None or row["condition"] in ("paused", "halted"):
        return None
    try:
        return next_due(row["schedule"], row["time_zone"], now)
    except (ValidationFailure, ZoneInfoNotFoundError):
        return None  # stored under rules that were other ones


def lag(row: Row, now: datetime) -> float:
    """For how many seconds the catalog has not been known to equal the source."""
    since: datetime = row["well_at"] or row["created_at"]
    return (now - since).total_seconds()


def _ordered(counts: Sequence[Row]) -> dict[str, int]:
    found = {row["condition"]: row["endpoints"] for row in counts}
    return {word: found[word] for word in CONDITIONS if word in found}
