"""`/quarantine`: what is wrong with how many records, the most frequent first."""

from windrow.console.pages.desk import Desk
from windrow.console.pages.quarantine.asked import STATES, Asked
from windrow.console.pages.quarantine.telling import WHY, excerpt
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.harvest import quarantine
from windrow.harvest.quarantine import COUNTED

MOST = 50


class Groups:
    """Refused records by what is wrong with them."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = Asked.of(visit), visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await quarantine.groups(
                tx, scope.project_id, endpoint=asked.endpoint, state=asked.state, limit=MOST + 1
            )
        groups = found[:MOST]
        context = {
            "groups": groups,
            "more": len(found) > MOST,
            "largest": groups[0].count if groups else 1,
            "most": COUNTED,
            "asked": asked,
            "states": STATES,
            "why": WHY,
            "excerpt": excerpt,
        }
        live, stream = "quarantine/list_live.html", f"/live/quarantine{asked.query()}"
        return View("quarantine/list.html", "Quarantine", "quarantine", context, live, stream)
