"""`/endpoints/{name}/edit`: an endpoint's settings, changed over the version that was seen; and its removal and return."""

from dataclasses import replace
from typing import Any

from starlette.responses import RedirectResponse, Response

from windrow import endpoints
from windrow.connectors.registry import AnyConnector
from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints import draft as drafts
from windrow.console.pages.endpoints.draft import Draft
from windrow.console.pages.endpoints.kinds import kind_of
from windrow.console.pages.endpoints.listed import SEEK
from windrow.console.pages.endpoints.one import named
from windrow.console.pages.endpoints.trying import tried
from windrow.console.pages.reasons import reason_of
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.console.trial import Trial
from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.endpoints import Endpoint
from windrow.web.problem import status_of


class Editing:
    """The page, and what its form does."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def look(self, visit: Visit) -> View:
        endpoint, kind = await self._found(visit)
        return _view(endpoint, kind, drafts.of(kind, endpoint))

    async def take(self, visit: Visit) -> Response:
        """Tried or saved, as the button says; what is wrong is said on the form."""
        endpoint, kind = await self._found(visit)
        draft = drafts.drafted(kind, visit.form, visit.principal.scope, endpoint)
        seen = _seen(visit)
        if draft.wanted is None:
            return self._page(visit, _view(endpoint, kind, draft, seen=seen), 422)
        if visit.form.get("do") != "save":
            trial = await tried(self._desk, draft.wanted)
            return self._page(visit, _view(endpoint, kind, draft, trial, seen=seen))
        try:
            changed = await self._save(visit, draft.wanted, seen)
        except (Conflict, ValidationFailure) as error:
            view = _view(endpoint, kind, draft, seen=seen)
            return self._desk.renderer.page(visit, view, status_of(error), refused=_for_people(error))
        return RedirectResponse(f"/endpoints/{endpoint.endpoint_id}?did={'edit' if changed else 'edit-none'}", 303)

    async def remove(self, visit: Visit) -> str:
        """Harvest it no more; on to its page, where it can be brought back."""
        name, principal = named(visit), visit.principal
        reason = reason_of(visit)
        if reason is None:
            raise ValidationFailure("the reason says nothing", hint="whoever misses it will want to know why")
        async with self._desk.database.tenant(principal.scope.tenant_id) as tx:
            await endpoints.remove(tx, principal.scope, name, actor=principal.actor, reason=reason)
        return f"/endpoints/{name}?did=remove"

    async def restore(self, visit: Visit) -> str:
        """Harvest it again, as it was."""
        name, principal = named(visit), visit.principal
        async with self._desk.database.tenant(principal.scope.tenant_id) as tx:
            gone = await endpoints.get(tx, principal.scope, name, removed=True)
            await endpoints.add(tx, gone, principal.actor)
        return f"/endpoints/{name}?did=restore"

    async def _save(self, visit: Visit, wanted: Endpoint, seen: int) -> bool:
        principal, changes = visit.principal, ("config", "credential_ref", "page_size")
        async with self._desk.database.tenant(principal.scope.tenant_id) as tx:
            stored = await endpoints.edit(
                tx,
                wanted,
                {name: getattr(wanted, name) for name in changes},
                expected_version=seen,
                actor=principal.actor,
                reason=reason_of(visit),
            )
        return stored.version != seen

    async def _found(self, visit: Visit) -> tuple[Endpoint, AnyConnector]:
        scope, name = visit.principal.scope, named(visit)
        async with self._desk.database.tenant(scope.tenant_id) as tx:
            endpoint = await endpoints.get(tx, scope, name)
        return endpoint, await kind_of(endpoint.connector)

    def _page(self, visit: Visit, view: View, status: int = 200) -> Response:
        return self._desk.renderer.page(visit, view, status)


def _seen(visit: Visit) -> int:
    """The version that the form was drawn from; what is none meets none."""
    text = visit.form.get("version", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _for_people(error: Conflict | ValidationFailure) -> Conflict | ValidationFailure:
    if error.code is not Code.CAS_MISMATCH:
        return error
    return Conflict(
        "somebody has changed it since this form was loaded",
        code=Code.CAS_MISMATCH,
        hint="what you filled in still stands below; open the form again in another tab, compare, and save it there",
    )


def _view(
    endpoint: Endpoint, kind: AnyConnector, draft: Draft, trial: Trial | None = None, *, seen: int | None = None
) -> View:
    context: dict[str, Any] = {
        "it": replace(endpoint, config={}),
        "kind": kind.spec,
        "draft": draft,
        "sheet": draft.sheet,
        "trial": trial,
        "seen": endpoint.version if seen is None else seen,
        "action": f"/endpoints/{endpoint.endpoint_id}/edit",
    }
    return View("endpoints/edit.html", f"Edit {endpoint.endpoint_id}", "endpoints", context, seek=SEEK)
