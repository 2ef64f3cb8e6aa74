"""Which job an object is about: `jobs/Queued/{jobId}.json`, below the prefix of a tenant."""

from dataclasses import dataclass

from windrow.events.letters import NotForUs
from windrow.media.errors import DecodeMessageError
from windrow.media.job import is_job_id
from windrow.media.stage import Stage

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class QueuedObject:
    """The object of a job that waits for its metadata."""

    job_id: str
    stage: Stage = Stage.QUEUED


def queued_object(name: str, prefix: str = "") -> QueuedObject | NotForUs:
    """The job whose object has this name. What is not in the folder is for others, what could not be there is refused."""
    root = prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
    folder = f"{root}{Stage.QUEUED.folder}/"
    if not name.startswith(folder):
        return NotForUs(f"an object that is not in {folder}")
    file = name.removeprefix(folder)
    if not file:
        return NotForUs("the folder itself")
    job_id = file.removesuffix(_SUFFIX)
    if job_id == file or not is_job_id(job_id):
        raise DecodeMessageError(
            f"{file[:80]!r} is no file of a job", hint="a job's id is up to 128 letters, digits, - and _, then .json"
        )
    return QueuedObject(job_id)
