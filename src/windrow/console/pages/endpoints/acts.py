"""What can be done to an endpoint from its page. The domain does it, with its line in the audit trail; here it gets a face."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints.one import named
from windrow.console.pages.reasons import reason_of
from windrow.console.session import Visit
from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure

ACTS = ("trigger", "pause", "resume", "reschedule")


class EndpointActs:
    """Each says where to go on: to the page again, which says what was done."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._temporal = desk.database, desk.ports.temporal

    def does(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """One of them."""
        handler: Callable[[Visit, str], Awaitable[str]] = getattr(self, act)

        async def do(visit: Visit) -> str:
            name = named(visit)
            return f"/endpoints/{name}?did={await handler(visit, name)}"

        return do

    async def trigger(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling, starting  # Temporal's client takes a while to load

        found = await scheduling.look(self._database, visit.principal.scope, name)
        asked = visit.form.get("manual_trigger_id", "")
        begun = await starting.trigger(
            await self._temporal(),
            self._database,
            found.endpoint,
            asked,
            visit.principal.actor,
            reason=reason_of(visit),
        )
        return "trigger-again" if begun.again else "trigger"

    async def pause(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling

        principal = visit.principal
        done = await scheduling.pause(self._database, principal.scope, name, principal.actor, reason_of(visit) or "")
        return await self._carried_out("pause", done)

    async def resume(self, visit: Visit, name: str) -> str:
        from windrow.orchestration import scheduling

        principal = visit.principal
        done = await scheduling.resume(self._database, principal.scope, name, principal.actor, reason_of(visit))
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
            reason=reason_of(visit),
        )
        return await self._carried_out("reschedule", done)

    async def _carried_out(self, did: str, done: Any) -> str:
        """It is decided, whether or not Temporal can be told now."""
        from windrow.orchestration import scheduling

        try:
            await scheduling.carry_out(await self._temporal(), done)
        except RetryableTransient:
            return f"{did}&did=away"
        return did


def _minutes(text: str) -> timedelta | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 4):
        raise ValidationFailure(f"{text[:20]!r} is no number of minutes", code=Code.INVALID_VALUE, hint="0 to 60")
    return timedelta(minutes=int(text))
