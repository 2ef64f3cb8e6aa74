"""`/runs`: what was read, when, and how it ended."""

from datetime import datetime
from urllib.parse import urlencode

from windrow.console.pages.conditions import OUTCOMES
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.harvest import run as store
from windrow.harvest.run import Mark

PAGE = 50
SHOWN = ("running", "done", "failed", "cancelled", "superseded")


class Runs:
    """The list, the latest first."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = visit.request.query_params, visit.principal.scope
        endpoint = asked.get("endpoint", "").strip().replace("\0", "")[:64]
        outcome = asked.get("outcome") if asked.get("outcome") in SHOWN else None
        after = _place(asked.get("before", ""))
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await store.page(
                tx,
                scope.project_id,
                endpoint=endpoint or None,
                standing=outcome,
                after=after,
                limit=PAGE + 1,
            )
        shown = found[:PAGE]
        filters = {"endpoint": endpoint, "outcome": outcome or ""}
        context = {
            "rows": shown,
            "outcomes": OUTCOMES,
            "offered": SHOWN,
            "endpoint": endpoint,
            "outcome": outcome,
            "more": urlencode({**filters, "before": _written(Mark.at(shown[-1]))}) if len(found) > PAGE else None,
            "first": after is None,
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View("runs/list.html", "Runs", "runs", context, "runs/list_live.html", f"/live/runs{query}")


def _written(mark: Mark) -> str:
    return f"{mark.begun_at.isoformat()} {mark.run_id}"


def _place(text: str) -> Mark | None:
    """Where the page before ended; whatever is no such place is the beginning."""
    moment, _, run_id = text.partition(" ")
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return Mark(found, run_id.replace("\0", "")[:200]) if found.tzinfo else None
