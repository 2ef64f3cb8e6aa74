"""`/quarantine/{key}`: the records that have the same thing wrong, one by one."""

from typing import Any

from windrow.console.pages.desk import Desk
from windrow.console.pages.desk import told as said
from windrow.console.pages.quarantine.asked import STATES, Asked, key_of, written
from windrow.console.pages.quarantine.telling import WHY, excerpt, told
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.harvest import quarantine
from windrow.harvest.quarantine import COUNTED, Mark

PAGE = 20


class Alike:
    """One group. It does not renew itself: what somebody decides about holds still."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope, key = Asked.of(visit), visit.principal.scope, key_of(visit)
        async with self._database.tenant(scope.tenant_id) as tx:
            groups = await quarantine.groups(
                tx, scope.project_id, endpoint=asked.endpoint, state=asked.state, key=key, limit=1
            )
            found = await quarantine.page(
                tx,
                scope.project_id,
                endpoint=asked.endpoint,
                state=asked.state,
                key=key,
                after=asked.after,
                limit=PAGE + 1,
            )
        entries = found[:PAGE]
        context: dict[str, Any] = {
            "key": key,
            "group": groups[0] if groups else None,
            "entries": entries,
            "more": asked.query(after=written(Mark.at(entries[-1]))) if len(found) > PAGE else None,
            "after": written(asked.after) if asked.after else None,
            "most": COUNTED,
            "asked": asked,
            "states": STATES,
            "why": WHY,
            "excerpt": excerpt,
            "told": told(said(visit)),
            "act": _act(visit),
        }
        title = f"Refused: {_title(groups[0].reasons[0])}" if groups and groups[0].reasons else "Refused records"
        return View("quarantine/alike.html", title, "quarantine", context)


def _act(visit: Visit) -> str | None:
    """Which form was sent: an entry's, or that for all."""
    if not visit.form:
        return None
    named = visit.request.path_params
    return f"{named['endpoint']}/{named['entry_id']}" if "entry_id" in named else "all"


def _title(reason: dict[str, str]) -> str:
    return f"{reason.get('path', '')} {reason.get('message', '')}".strip()[:80]
