"""Many media jobs at a glance: bounded, so that a page may ask for it every few seconds."""

from dataclasses import dataclass
from datetime import datetime

from windrow.media.reading import Last
from windrow.media.stage import Stage
from windrow.postgres import Transaction, load

Q = load(__package__, "glance.sql")

# beyond this nobody counts
MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What a list shows of a media job. `url` and `error` are not yet redacted."""

    job_id: str
    stage: Stage
    media_type: str | None
    url: str | None
    title: str | None
    seconds: float | None
    author: str | None
    clip_wished: bool
    runtime_job_id: str | None
    error_code: str | None
    error: str | None
    attempts: int
    not_before: datetime
    created_at: datetime
    updated_at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "stage", Stage(self.stage))


async def listed(
    tx: Transaction, project: str, *, stage: Stage | None = None, after: Last | None = None, limit: int = 50
) -> list[Glimpse]:
    """The newest first; `after` is the last one of the page before."""
    page = {"at": after.created_at if after else None, "job_id": after.job_id if after else ""}
    return await tx.into(Glimpse, Q.listed, project=project, stage=stage, **page, limit=limit)


async def standing(tx: Transaction, project: str) -> dict[Stage, int]:
    """How many stand where; `MOST` means that many or more."""
    row = await tx.row(Q.standing, project=project, most=MOST)
    assert row, "a row of counts"
    return {stage: row[stage] for stage in Stage}
