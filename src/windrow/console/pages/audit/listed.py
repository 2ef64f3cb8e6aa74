"""`/audit`: the trail, the newest first."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from windrow.console.pages.audit.subjects import page_of
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.postgres import audit
from windrow.postgres.audit import Entry

PAGE = 50
LONGEST = 200
REFUSED = "access.refuse"
SINCE = {
    "hour": ("the last hour", timedelta(hours=1)),
    "day": ("the last day", timedelta(days=1)),
    "week": ("the last week", timedelta(days=7)),
    "month": ("the last 30 days", timedelta(days=30)),
}
_LARGEST = 2**63 - 1


class Trail:
    """Who did what."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        scope, asked, before = visit.principal.scope, _asked(visit), _before(visit)
        since = SINCE.get(asked["since"])
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await audit.history(
                tx,
                subject=asked["subject"] or None,
                actor=asked["actor"] or None,
                action=asked["action"] or None,
                since=datetime.now(UTC) - since[1] if since else None,
                before=before,
                limit=PAGE + 1,
            )
            actions = await audit.actions(tx)
        shown = found[:PAGE]
        filters = {name: value for name, value in asked.items() if value}
        context: dict[str, Any] = {
            "lines": [(entry, page_of(entry, scope.project_id), _details(entry)) for entry in shown],
            "asked": asked,
            "actions": actions,
            "choices": {word: words for word, (words, _) in SINCE.items()},
            "refusal": REFUSED,
            "filtered": bool(filters),
            "first": before is None,
            "again": _query(filters),
            "others": _query({name: value for name, value in filters.items() if name != "action"}),
            "more": urlencode({**filters, "before": shown[-1].id}) if len(found) > PAGE else None,
        }
        return View(
            "audit/list.html", "Audit", "audit", context, "audit/list_live.html", f"/live/audit{_query(filters)}"
        )


def _asked(visit: Visit) -> dict[str, str]:
    """What is filtered by; an empty text is no filter."""
    query = visit.request.query_params
    asked = {name: query.get(name, "").strip().replace("\0", "")[:LONGEST] for name in ("actor", "action", "subject")}
    since = query.get("since", "")
    return asked | {"since": since if since in SINCE else ""}


def _before(visit: Visit) -> int | None:
    text = visit.request.query_params.get("before", "")
    return min(int(text), _LARGEST) if text.isascii() and text.isdecimal() and len(text) < 20 else None


def _query(filters: dict[str, str]) -> str:
    return f"?{urlencode(filters)}" if filters else ""


def _details(entry: Entry) -> str | None:
    """What else was written down, laid out in lines."""
    return json.dumps(entry.details, indent=2, ensure_ascii=False) if entry.details else None
