"""A job that somebody else has dropped as an object, before there is a row of it."""

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.media.dead_letter import excerpt_of
from windrow.media.errors import DecodeMessageError
from windrow.media.job import ProcessingJob, from_bytes
from windrow.media.stage import Stage
from windrow.media.submission import Submission
from windrow.objects import ObjectStore


class UnreadableJob(DecodeMessageError):
    """What lies in the folder, or came by message, is no job that could be queued; with the beginning of it.

    `etag` is that of the object, where it is one.
    """

    def __init__(self, error: WindrowError, excerpt: str, etag: str | None = None) -> None:
        super().__init__(error.message, code=error.code, hint=error.hint)
        self.excerpt, self.etag = excerpt, etag


async def queued_object(store: ObjectStore, job_id: str, largest: int) -> ProcessingJob | None:
    """The job of the object `jobs/Queued/{id}.json`; None if the object is gone."""
    key = f"{Stage.QUEUED.folder}/{job_id}.json"
    # before it is read: should it be replaced meanwhile, the new version is looked at once more, and not the other way round
    head = await store.head(key)
    if head is None:
        return None
    try:
        data = await store.get(key, limit=largest)
    except ValidationFailure as error:
        if error.code is Code.NOT_FOUND:
            return None
        raise UnreadableJob(error, key, head.etag) from error
    try:
        return _checked(from_bytes(data), job_id)
    except DecodeMessageError as error:
        raise UnreadableJob(error, excerpt_of(data), head.etag) from error


def _checked(job: ProcessingJob, job_id: str) -> ProcessingJob:
    if job.job_id != job_id:
        raise DecodeMessageError("the object is about another job than its name says", hint="name it {jobId}.json")
    if job.status is not Stage.QUEUED:
        raise DecodeMessageError(f"a job that is {job.status} lies among the queued ones", hint="queue it as Queued")
    Submission.of(job)
    return job
