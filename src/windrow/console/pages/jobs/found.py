"""The job of an address, for those of its tenant and project; to everybody else there is none."""

from windrow.console.session import Visit
from windrow.contracts.errors import Code, WindrowError
from windrow.jobs import reading
from windrow.jobs.job import Job
from windrow.postgres import Transaction
from windrow.web.problem import Refusal


def job_id_of(visit: Visit) -> str:
    """As it is written by us; whatever is none cannot be found."""
    given: str = visit.request.path_params["job_id"]
    try:
        return reading.checked_id(given)
    except WindrowError:
        raise _missing(given) from None


async def found(tx: Transaction, visit: Visit) -> Job:
    """The job."""
    job_id = job_id_of(visit)
    job = await reading.find(tx, job_id)
    if job is None or job.project_id != visit.principal.scope.project_id:
        raise _missing(job_id)
    return job


def _missing(job_id: str) -> Refusal:
    return Refusal(
        404, f"there is no job {job_id[:80]!r}", code=Code.NOT_FOUND, hint="the list of jobs shows those that are there"
    )
