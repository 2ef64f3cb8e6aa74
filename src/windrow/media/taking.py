"""A queued job is taken in hand; one of which there is no row yet becomes one first."""

from collections.abc import Callable
from dataclasses import dataclass

from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.dead_letter import excerpt_of
from windrow.media.errors import DecodeMessageError
from windrow.media.finding import UnreadableJob, queued_object
from windrow.media.job import MediaJob, ProcessingJob, as_bytes
from windrow.media.limits import MediaLimits
from windrow.media.rows import Claimed
from windrow.media.submission import Submission
from windrow.media.submitting import adopt
from windrow.objects import ObjectStore
from windrow.postgres import Database

# where the objects of a tenant's media jobs lie
Stores = Callable[[Scope], ObjectStore]


@dataclass(frozen=True, slots=True)
class Taker:
    """Takes jobs in hand for one worker."""

    database: Database
    stores: Stores
    topics: Topics
    limits: MediaLimits

    async def take(self, scope: Scope, job_id: str, told: ProcessingJob | None) -> Claimed | MediaJob | None:
        """The job in hand; else as it stands, not to be had now; None if there is no such job, not even as an object."""
        if known := await self._known(scope, job_id):
            return known
        job = told or await queued_object(self.stores(scope), job_id, self.limits.job_bytes)
        return await self._adopted(scope, job) if job else None

    async def _known(self, scope: Scope, job_id: str) -> Claimed | MediaJob | None:
        claimed = await rows.claim(self.database, scope.tenant_id, job_id, self.limits.claim)
        if claimed:
            return claimed
        async with self.database.tenant(scope.tenant_id) as tx:
            return await rows.find(tx, job_id)

    async def _adopted(self, scope: Scope, job: ProcessingJob) -> Claimed | MediaJob | None:
        try:
            submission = Submission.of(job)
        except DecodeMessageError as error:
            raise UnreadableJob(error, excerpt_of(as_bytes(job))) from error
        async with self.database.tenant(scope.tenant_id) as tx:
            adopted = await adopt(
                tx, scope, submission, topics=self.topics, job_id=job.job_id, lasting=self.limits.claim
            )
        # somebody else was quicker, and has it in hand, or has let it go again
        return rows.claim_of(adopted) if adopted else await self._known(scope, job.job_id)
