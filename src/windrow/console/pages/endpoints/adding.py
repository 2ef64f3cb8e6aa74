"""`/add`: a source is added. First what reads it, then a form that asks for what that needs."""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.responses import RedirectResponse, Response

from windrow import endpoints
from windrow.connectors import describe, registry
from windrow.connectors.registry import AnyConnector, Offered
from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints import draft as drafts
from windrow.console.pages.endpoints.draft import Draft
from windrow.console.pages.endpoints.kinds import kind_of
from windrow.console.pages.endpoints.listed import SEEK
from windrow.console.pages.endpoints.trying import tried
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.console.trial import Trial
from windrow.contracts.errors import Code, Conflict
from windrow.contracts.scope import Actor
from windrow.orchestration import controls


class Adding:
    """The two pages, and what the second one's form does."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._offered: list[Offered] | None = None

    async def choose(self, visit: Visit) -> View:  # noqa: ARG002 - the same for everybody
        if self._offered is None:
            # in a thread: each is a package to import
            self._offered = await asyncio.to_thread(registry.offered)
        context = {"offered": self._offered, "abilities": describe.abilities, "tail": _tail}
        return View("endpoints/new.html", "Add a source", "endpoints", context, seek=SEEK)

    async def look(self, visit: Visit) -> View:
        kind = await kind_of(visit.request.path_params["connector"])
        return _view(kind, drafts.empty(kind))

    async def take(self, visit: Visit) -> Response:
        """Tried or saved, as the button says; what is wrong is said on the form."""
        kind = await kind_of(visit.request.path_params["connector"])
        draft = drafts.drafted(kind, visit.form, visit.principal.scope)
        if draft.wanted is None:
            return self._page(visit, _view(kind, draft), 422)
        if visit.form.get("do") != "save":
            trial = await tried(self._desk, draft.wanted)
            return self._page(visit, _view(kind, draft, trial))
        try:
            await self._save(draft, visit.principal.actor)
        except Conflict as error:
            if error.code is not Code.ALREADY_EXISTS:
                raise
            taken = drafts.faulty(draft, {"name": f"{error.message}; choose another name, or edit that one"})
            return self._page(visit, _view(kind, taken), 409)
        did = "add" if visit.form.get("tested") == draft.mark else "add-untested"
        return RedirectResponse(f"/endpoints/{draft.wanted.endpoint_id}?did={did}", 303)

    async def _save(self, draft: Draft, actor: Actor) -> None:
        wanted = draft.wanted
        assert wanted, "what is wrong is not saved"
        async with self._desk.database.tenant(wanted.scope.tenant_id) as tx:
            stored = await endpoints.add(tx, wanted, actor)
            # one that was there before has its zone still
            known = await controls.find(tx, stored.scope, stored.endpoint_id)
            if draft.time_zone != known.time_zone:
                from windrow.orchestration import scheduling  # Temporal's client takes a while to load

                await scheduling.reschedule(
                    tx, stored.scope, stored.endpoint_id, actor, schedule=stored.schedule, time_zone=draft.time_zone
                )

    def _page(self, visit: Visit, view: View, status: int = 200) -> Response:
        return self._desk.renderer.page(visit, view, status)


def _view(kind: AnyConnector, draft: Draft, trial: Trial | None = None) -> View:
    context: Mapping[str, Any] = {
        "kind": kind.spec,
        "draft": draft,
        "sheet": draft.sheet,
        "trial": trial,
        "action": f"/add/{kind.spec.name}",
    }
    return View("endpoints/add.html", f"Add: {_tail(kind.spec.title)}", "endpoints", context, seek=SEEK)


def _tail(title: str) -> str:
    return title.partition(":")[0]
