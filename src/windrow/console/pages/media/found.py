"""The media job of an address, for those of its tenant and project; to everybody else there is none."""

from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.media import rows
from windrow.media.job import MediaJob, is_job_id
from windrow.postgres import Transaction
from windrow.web.problem import Refusal


async def found(tx: Transaction, visit: Visit) -> MediaJob:
    """The media job."""
    job_id: str = visit.request.path_params["job_id"]
    job = await rows.find(tx, job_id) if is_job_id(job_id) else None
    if job is None or job.project_id != visit.principal.scope.project_id:
        raise Refusal(
            404,
            f"there is no media job {job_id[:80]!r}",
            code=Code.NOT_FOUND,
            hint="the list of media jobs shows those that are there",
        )
    return job
