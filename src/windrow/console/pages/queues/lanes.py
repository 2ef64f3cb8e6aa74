"""An operator's word about a lane that is stopped: try its batch again, or set the batch aside."""

from collections.abc import Awaitable, Callable

from windrow.console.pages.desk import Desk
from windrow.console.pages.reasons import reason_of
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.outbox import stop
from windrow.outbox.lane import LIVE, Lane

LANE_ACTS = ("retry", "discard")
DONE = {
    "retry": "The lane flows again, and tries its batch once more. If the cause is still there, it stops again.",
    "discard": "The batch was set aside for good, and the lane goes on behind it. To get its items all the same, reset the cursor.",
}


class LaneActs:
    """Each goes on to the page again, which says what was done."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    def does(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """One of them."""
        handler: Callable[[Visit, Lane], Awaitable[None]] = getattr(self, act)

        async def do(visit: Visit) -> str:
            lane = Lane(visit.principal.scope, visit.request.path_params["name"], visit.form.get("lane") or LIVE)
            await handler(visit, lane)
            return f"/queues?did={act}"

        return do

    async def retry(self, visit: Visit, lane: Lane) -> None:
        reason = reason_of(visit)
        async with self._database.tenant(lane.scope.tenant_id) as tx:
            await stop.retry(tx, lane, actor=visit.principal.actor, reason=reason)

    async def discard(self, visit: Visit, lane: Lane) -> None:
        reason = needed(reason_of(visit))
        async with self._database.tenant(lane.scope.tenant_id) as tx:
            await stop.discard(tx, lane, actor=visit.principal.actor, reason=reason)


def needed(reason: str | None) -> str:
    """What is lost for good is not lost without a word."""
    if reason is None:
        raise ValidationFailure(
            "there is no reason", code=Code.INVALID_VALUE, hint="say why it may be lost: the audit trail keeps it"
        )
    return reason
