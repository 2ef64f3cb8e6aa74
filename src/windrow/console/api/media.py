"""`/api/v1/media-jobs`: media that are looked up, and clips cut from them; where each stands, and what is known of it."""

import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Behind, Here
from windrow.console.api.jobs import Control
from windrow.console.api.media_views import MediaEventView, MediaJobView, OpenedMediaJob, Timeline
from windrow.console.api.once import Once, Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Word
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.media import controlling, reading, rows, submitting
from windrow.media.job import ClipWish, MediaJob
from windrow.media.reading import Last
from windrow.media.stage import Stage
from windrow.media.submission import LONGEST_ID, LONGEST_TYPE, LONGEST_URL, Submission, media_of
from windrow.postgres import Transaction
from windrow.web.principal import Principal

router = resource("media-jobs")

JobId = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$", description="The media job's id.")]


class ClipRequest(BaseModel):
    """The stretch to be cut, in seconds; an `end` beyond the medium's is its end."""

    model_config = ConfigDict(extra="forbid")

    start: float = Field(ge=0)
    end: float = Field(gt=0)


class NewMediaJob(BaseModel):
    """A medium to be looked up, and perhaps a clip of it."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL, description="https://…, file:/PATH or object:KEY")]
    type: Annotated[str, Field(min_length=1, max_length=LONGEST_TYPE)] | None = Field(
        None, description="`youtube`, `file` or `web`; told by the URL where it is not said."
    )
    clip: ClipRequest | None = Field(None, description="What is to be cut; nothing where it is not said.")
    request_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)] | None = Field(
        None, description="Whose request it is, as the speaker registry knows it; a new one where it is not said."
    )

    def submission(self) -> Submission:
        """What is asked for, if it could be had."""
        wish = ClipWish(start=self.clip.start, end=self.clip.end) if self.clip else None
        request_id = self.request_id or uuid.uuid4().hex
        try:
            return Submission(media=media_of(self.url, self.type), request_id=request_id, clip=wish)
        except ValidationFailure as error:
            # which of its words cannot be taken: one status for all of them
            raise ValidationFailure(error.message, code=Code.INVALID_VALUE, hint=error.hint) from None


@router.get("/media-jobs")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    stage: Annotated[Stage | None, Query(description="Only those that stand there.")] = None,
    media_type: Annotated[Word | None, Query(description="Only media of this type, such as `youtube`.")] = None,
) -> Page[MediaJobView]:
    """The newest media jobs first."""
    turn = asked.about("media-jobs", Last, stage=stage, media_type=media_type)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await reading.listed(
            tx,
            project=caller.scope.project_id,
            stage=stage,
            media_type=media_type,
            after=turn.after,
            limit=turn.ask_for,
        )
    return turn.page([MediaJobView.of(each) for each in found], lambda each: Last(each.created_at, each.job_id))


@router.post("/media-jobs", status_code=201)
async def submitted(
    caller: Writer, here: Here, once: Repeatable, said: NewMediaJob, response: Response
) -> OpenedMediaJob:
    """Ask for a medium to be looked up, and for a clip of it."""
    wish = said.submission()
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> OpenedMediaJob:
            return OpenedMediaJob.of(await submitting.submit(tx, caller.scope, wish, topics=here.ports.media_topics))

        done = await once.within(tx, OpenedMediaJob, act)
    response.headers["location"] = f"{router.prefix}/media-jobs/{done.job_id}"
    return done


@router.get("/media-jobs/{media_job_id}")
async def shown(caller: Reader, here: Here, media_job_id: JobId) -> OpenedMediaJob:
    """One media job, with what is known of its medium."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return OpenedMediaJob.of(await _find(tx, caller.scope, media_job_id))


@router.get("/media-jobs/{media_job_id}/events")
async def events(caller: Reader, here: Here, media_job_id: JobId) -> Timeline:
    """All that befell it, and the jobs that have cut its clip."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        await _find(tx, caller.scope, media_job_id)
        return Timeline(items=[MediaEventView.seen(each) for each in await reading.timeline(tx, media_job_id)])


@router.post("/media-jobs/{media_job_id}/cancel")
async def cancelled(caller: Writer, here: Here, once: Repeatable, media_job_id: JobId, said: Control) -> OpenedMediaJob:
    """End it: one that waits at once, one whose clip is being cut as soon as its worker has stopped."""
    return await _steered(controlling.cancel, caller, here, once, media_job_id, said)


@router.post("/media-jobs/{media_job_id}/retry")
async def retried(caller: Writer, here: Here, once: Repeatable, media_job_id: JobId, said: Control) -> OpenedMediaJob:
    """Begin one anew that has failed or was cancelled."""
    return await _steered(controlling.retry, caller, here, once, media_job_id, said)


async def _steered(
    steer: Callable[..., Awaitable[MediaJob]], caller: Principal, here: Behind, once: Once, job_id: str, said: Control
) -> OpenedMediaJob:
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> OpenedMediaJob:
            await _find(tx, caller.scope, job_id)
            return OpenedMediaJob.of(
                await steer(tx, job_id, topics=here.ports.media_topics, actor=caller.actor, reason=said.reason)
            )

        return await once.within(tx, OpenedMediaJob, act)


async def _find(tx: Transaction, scope: Scope, job_id: str) -> MediaJob:
    found = await rows.find(tx, job_id)
    if found is None or found.project_id != scope.project_id:
        raise ValidationFailure(f"there is no media job {job_id}", code=Code.NOT_FOUND, hint="GET /api/v1/media-jobs")
    return found
