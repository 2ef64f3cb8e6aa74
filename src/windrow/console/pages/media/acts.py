"""What can be done with media jobs: ask for one, cancel it, have it begun anew."""

from collections.abc import Awaitable, Callable

from windrow.clips.asked import seconds
from windrow.console.pages.desk import Desk
from windrow.console.pages.media.found import found
from windrow.console.pages.reasons import reason_of
from windrow.console.pages.tickets import ticket_of
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.media import controlling
from windrow.media.job import ClipWish
from windrow.media.stage import Stage
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import adopt

ACTS = ("cancel", "retry")


class MediaActs:
    """Each says where to go on: to the page, which says what was done."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._topics = desk.database, desk.ports.media_topics

    def does(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """One of those about a job that is there."""
        handler: Callable[[Visit], Awaitable[str]] = getattr(self, act)
        return handler

    async def submit(self, visit: Visit) -> str:
        form, scope, job_id = visit.form, visit.principal.scope, ticket_of(visit)
        wanted = Submission(
            media=media_of(form.get("url", "")),
            request_id=form.get("request_id") or job_id,
            clip=_clip(form.get("start", ""), form.get("end", "")),
        )
        async with self._database.tenant(scope.tenant_id) as tx:
            # a form that was sent twice has asked for one
            await adopt(tx, scope, wanted, topics=self._topics, job_id=job_id, lasting=None)
        return f"/media/{job_id}?did=submit"

    async def cancel(self, visit: Visit) -> str:
        principal, reason = visit.principal, reason_of(visit)
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            job_id = (await found(tx, visit)).job.job_id
            job = await controlling.cancel(tx, job_id, topics=self._topics, actor=principal.actor, reason=reason)
        return f"/media/{job_id}?did={'cancel' if job.stage is Stage.CANCELLED else 'stopping'}"

    async def retry(self, visit: Visit) -> str:
        principal, reason = visit.principal, reason_of(visit)
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            job_id = (await found(tx, visit)).job.job_id
            await controlling.retry(tx, job_id, topics=self._topics, actor=principal.actor, reason=reason)
        return f"/media/{job_id}?did=retry"


def _clip(start: str, end: str) -> ClipWish | None:
    """The stretch to be cut, if one was named; a time is written as everywhere: `83.5`, `1:23.5`."""
    if not start and not end:
        return None
    try:
        return ClipWish(start=seconds(start or "0"), end=seconds(end))
    except ValueError as error:
        raise ValidationFailure(
            f"the clip is refused: {error}", code=Code.INVALID_VALUE, hint="say where it begins, and where it ends"
        ) from None
