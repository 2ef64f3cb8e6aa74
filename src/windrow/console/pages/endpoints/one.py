"""`/endpoints/{name}`: one source, why it is as it is, and what can be done about it."""

import uuid
from datetime import UTC, datetime
from typing import Any

from windrow.console.pages.conditions import CONDITIONS, OUTCOMES
from windrow.console.pages.desk import Desk, done
from windrow.console.pages.endpoints.listed import SEEK, due, lag
from windrow.console.pages.lately import lately
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code, WindrowError
from windrow.contracts.scope import checked_name
from windrow.orchestration import controls
from windrow.postgres import audit, load
from windrow.web.problem import Refusal

Q = load(__package__, "endpoints.sql")

STEPS, CHANGES = 12, 8

# what was done, as the page says it afterwards: only these words, whatever an address asks for
DONE = {
    "trigger": "A run was asked for. It begins as soon as a worker is free.",
    "trigger-again": "That run had been asked for already: there is one.",
    "pause": "Paused. Nothing begins by itself any more; what is under way ends. Every writer may resume it.",
    "resume": "Resumed. It is read by its schedule again. Every writer may pause it.",
    "reschedule": "Rescheduled. Runs from here on follow the new schedule. Every writer may change it back.",
    "away": "Temporal could not be told yet. Nothing else is to be done: it is made to agree within a minute.",
}


class EndpointPage:
    """One endpoint."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._temporal_pages = desk.database, desk.temporal_pages

    async def look(self, visit: Visit) -> View:
        scope, name = visit.principal.scope, named(visit)
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await tx.row(Q.one, project=scope.project_id, endpoint=name)
            if found is None:
                raise missing(name)
            runs = await tx.rows(Q.runs, project=scope.project_id, endpoint=name)
            steps = await controls.steps(tx, scope, name, limit=STEPS)
            trail = await audit.history(tx, subject=f"endpoints/{name}", limit=CHANGES)
        now = datetime.now(UTC)
        context: dict[str, Any] = {
            "it": found,
            "known": CONDITIONS[found["condition"]],
            "outcomes": OUTCOMES,
            "runs": runs,
            "lately": lately(runs[:14][::-1], width=320, height=48),
            "steps": steps,
            "changes": [entry for entry in trail if entry.project_id in (None, scope.project_id)],
            "due": due(found, now),
            "lag": lag(found, now),
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "trigger_id": uuid.uuid4().hex,
            "temporal": self._temporal_pages,
        }
        live, stream = "endpoints/one_live.html", f"/live/endpoints/{name}"
        return View("endpoints/one.html", name, "endpoints", context, live, stream, SEEK)


def named(visit: Visit) -> str:
    """The endpoint of the address."""
    name: str = visit.request.path_params["name"]
    try:
        return checked_name("endpoint", name)
    except WindrowError:
        raise missing(name) from None


def missing(name: str) -> Refusal:
    return Refusal(
        404,
        f"there is no endpoint {name[:80]!r}",
        code=Code.NOT_FOUND,
        hint="the list of endpoints shows those that are there",
    )
