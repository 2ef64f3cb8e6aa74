"""The job runtime."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import also_as


class JobRuntime(BaseSettings):
    """The job runtime."""

    max_concurrency: int | None = also_as(
        "MAX_CONCURRENCY",
        default=None,
        ge=1,
        le=1000,
        description="How many jobs a worker runs at once; as many as there are CPUs when not set.",
    )
    max_attempts: int = also_as(
        "MAX_ATTEMPTS",
        default=3,
        ge=1,
        le=100,
        description="How often a job is tried before it counts as failed.",
    )
    heartbeat_interval_sec: float = also_as(
        "HEARTBEAT_INTERVAL_SEC",
        default=10,
        gt=0,
        description="How often a worker says that the jobs it has in hand are alive.",
    )
    lease_timeout_sec: float | None = also_as(
        "LEASE_TIMEOUT_SEC",
        default=None,
        gt=0,
        description="After how long without a heartbeat a job is given to another worker; three intervals when not set.",
    )
    high_watermark: int = also_as(
        "HIGH_WATERMARK",
        default=1000,
        ge=1,
        description="How many waiting jobs are many: above that, a worker on a busy machine pauses.",
    )
    load_threshold: float = also_as(
        "LOAD_THRESHOLD",
        default=0.9,
        gt=0,
        description="What makes a machine busy: the load of the last minute for each CPU.",
    )
    pause_interval_sec: float = also_as(
        "PAUSE_INTERVAL_SEC", default=5, gt=0, description="How long such a pause lasts."
    )
    scratch: Path | None = Field(
        None, description="Where jobs keep what they work on; below the home directory when not set."
    )
    keep_scratch_on_success: bool = also_as(
        "KEEP_SCRATCH_ON_SUCCESS",
        default=False,
        description="Keep what a job worked on even when it is done; what a failed one leaves is always kept.",
    )
    job_retention_days: int = Field(7, ge=1, description="How long jobs are kept after they ended.")
    clip_source_bytes: int = Field(8 << 30, ge=1, description="The largest source that a clip is cut from, in bytes.")
