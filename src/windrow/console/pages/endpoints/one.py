"""`/endpoints/{name}`: one source, why it is as it is, and what can be done about it."""

import uuid
from datetime import UTC, datetime
from typing import Any

from windrow import endpoints
from windrow.console.pages.conditions import CONDITIONS, OUTCOMES
from windrow.console.pages.desk import Desk, done
from windrow.console.pages.endpoints.cursors import marks
from windrow.console.pages.endpoints.form.blanks import label, word
from windrow.console.pages.endpoints.form.writing import as_json
from windrow.console.pages.endpoints.listed import SEEK, due, lag
from windrow.console.pages.lately import lately
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code, WindrowError
from windrow.contracts.scope import Scope, checked_name
from windrow.endpoints import Endpoint
from windrow.orchestration import controls
from windrow.postgres import Transaction, audit, load
from windrow.telemetry.redaction import PROCESS
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
    "add": "Added. “Sync now” reads it at once; else it is read by its schedule. Every writer may edit or remove it.",
    "add-untested": "Added, though nobody tested it as it is now: “Preview” shows whether it can be read.",
    "edit": "Saved. Runs from here on read it so. Every writer may change it back: the audit trail tells what changed.",
    "edit-none": "Nothing differs from what was there.",
    "remove": "Removed. Every writer may bring it back from here.",
    "restore": "Brought back, with the settings that it had. Every writer may remove it again.",
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
            # it may be removed between one query and the next
            settings = await endpoints.find(tx, scope, name) if found else None
            if found is None or settings is None:
                return await self._gone(tx, visit, name)
            runs = await tx.rows(Q.runs, project=scope.project_id, endpoint=name)
            steps = await controls.steps(tx, scope, name, limit=STEPS)
            changes = await _changes(tx, scope, name)
            read = await marks(tx, scope, name)
        now = datetime.now(UTC)
        context: dict[str, Any] = {
            "it": found,
            "known": CONDITIONS[found["condition"]],
            "outcomes": OUTCOMES,
            "runs": runs,
            "lately": lately(runs[:14][::-1], width=320, height=48),
            "steps": steps,
            "changes": changes,
            "settings": _shown(settings),
            "marks": read,
            "trouble": (found["message"] or found["code"]) if found["run_state"] == "running" else None,
            "due": due(found, now),
            "lag": lag(found, now),
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "trigger_id": _trigger_id(visit),
            "temporal": self._temporal_pages,
        }
        return _view(name, "endpoints/one_live.html", context)

    async def _gone(self, tx: Transaction, visit: Visit, name: str) -> View:
        """One that was removed can be brought back from here."""
        scope = visit.principal.scope
        found = await endpoints.find(tx, scope, name, removed=True)
        if found is None:
            raise missing(name)
        changes = await _changes(tx, scope, name)
        context = {"it": found, "changes": changes, "settings": _shown(found), "done": done(visit, DONE)}
        return _view(name, "endpoints/removed_live.html", context)


async def _changes(tx: Transaction, scope: Scope, name: str) -> list[audit.Entry]:
    """The latest first: of its settings, and of its schedule, which the trail keeps under another name."""
    of_settings = await audit.history(tx, subject=f"endpoints/{scope.project_id}/{name}", limit=CHANGES)
    of_schedule = await audit.history(tx, subject=f"endpoints/{name}", limit=CHANGES)
    ours = [entry for entry in (*of_settings, *of_schedule) if entry.project_id in (None, scope.project_id)]
    return sorted(ours, key=lambda entry: entry.id, reverse=True)[:CHANGES]


def _shown(endpoint: Endpoint) -> list[tuple[str, str]]:
    """What its author said, in words; its rules keep secrets out of it, and so does this."""
    said = endpoint.config | {"credential_ref": endpoint.credential_ref, "page_size": endpoint.page_size}
    plain = PROCESS.value({key: value for key, value in said.items() if value is not None})
    return [(label(key), _text(value)) for key, value in plain.items()]


def _text(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return word(value) if not isinstance(value, dict) else as_json(value)


def _view(name: str, live: str, context: dict[str, Any]) -> View:
    return View("endpoints/one.html", name, "endpoints", context, live, f"/live/endpoints/{name}", SEEK)


def _trigger_id(visit: Visit) -> str:
    """The same for as long as one stream goes on: a part that differed each time would be sent each time."""
    state = visit.request.state
    if not hasattr(state, "trigger_id"):
        state.trigger_id = uuid.uuid4().hex
    asked_for: str = state.trigger_id
    return asked_for


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
