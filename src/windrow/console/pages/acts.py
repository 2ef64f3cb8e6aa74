"""What can be done to an endpoint from its page. The domain does it, with its line in the audit trail; here it gets a face."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response

from windrow.console.pages.endpoint import EndpointPage, named
from windrow.console.pages.rendering import Renderer
from windrow.console.session import Visit
from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure, WindrowError
from windrow.postgres import Database
from windrow.web.problem import status_of

if TYPE_CHECKING:
    from temporalio.client import Client

ACTS = ("trigger", "pause", "resume", "reschedule")
LONGEST_REASON = 1000


class EndpointActs:
    """Each answers with the page again: by a redirect that says what was done, or with what was wrong beside the form."""

    def __init__(
        self, database: Database, temporal: Callable[[], Awaitable["Client"]], page: EndpointPage, renderer: Renderer
    ) -> None:
        self._database, self._temporal, self._page, self._renderer = database, temporal, page, renderer

    def takes(self, act: str) -> Callable[[Visit], Awaitable[Response]]:
        """The handler of one act."""
        handler: Callable[[Visit, str], Awaitable[str]] = getattr(self, act)

        async def page(visit: Visit) -> Response:
            name = named(visit)
            try:
                did = await handler(visit, name)
            except WindrowError as error:
                if status_of(error) == 500:
                    raise
                view = await self._page.after(visit, error, {"act": act, **visit.form})
                return self._renderer.page(visit, view, status_of(error))
            return RedirectResponse(f"/endpoints/{name}?did={did}", 303)

        return page

    async def trigger(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling, starting  # Temporal's client takes a while to load

        found = await scheduling.look(self._database, visit.principal.scope, name)
        asked = visit.form.get("manual_trigger_id", "")
        begun = await starting.trigger(
            await self._temporal(), self._database, found.endpoint, asked, visit.principal.actor, reason=_reason(visit)
        )
        return "trigger-again" if begun.again else "trigger"

    async def pause(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling

        principal = visit.principal
        done = await scheduling.pause(self._database, principal.scope, name, principal.actor, _reason(visit) or "")
        return await self._carried_out("pause", done)

    async def resume(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling

        principal = visit.principal
        done = await scheduling.resume(self._database, principal.scope, name, principal.actor, _reason(visit))
        return await self._carried_out("resume", done)

    async def reschedule(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling

        form, principal = visit.form, visit.principal
        done = await scheduling.reschedule(
            self._database,
            principal.scope,
            name,
            principal.actor,
            schedule=form.get("schedule") or None,
            time_zone=form.get("time_zone") or None,
            jitter=_minutes(form.get("jitter", "")),
            reason=_reason(visit),
        )
        return await self._carried_out("reschedule", done)

    async def _carried_out(self, did: str, done: Any) -> str:
        """It is decided, whether or not Temporal can be told now."""
        from windrow.orchestration import scheduling

        try:
            await scheduling.carry_out(await self._temporal(), done)
        except RetryableTransient:
            return f"{did}&away"
        return did


def _reason(visit: Visit) -> str | None:
    reason = visit.form.get("reason", "")
    if len(reason) > LONGEST_REASON:
        raise ValidationFailure(
            "the reason is too long", code=Code.INVALID_VALUE, hint=f"at most {LONGEST_REASON} characters"
        )
    return reason or None


def _minutes(text: str) -> timedelta | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise ValidationFailure(f"{text[:20]!r} is no number of minutes", code=Code.INVALID_VALUE, hint="0 to 60")
    return timedelta(minutes=int(text))
