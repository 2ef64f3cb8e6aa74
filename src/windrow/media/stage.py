"""Where a media job stands, and the ways from one stage to another.

    Queued ──► MetadataReady ──► Processing ──► Completed
      │  ▲          │                │
      │  │          └───────┬────────┘
      ▼  │ (retry)          ▼
    Failed / Cancelled  ◄───┘

The migration checks the same ways: no other can be written there.
"""

from collections.abc import Mapping
from enum import StrEnum

from windrow.jobs import Status


class Stage(StrEnum):
    """Written as it is in objects and messages."""

    QUEUED = "Queued"
    METADATA_READY = "MetadataReady"
    PROCESSING = "Processing"
    COMPLETED = "Completed"
    FAILED = "Failed"
    CANCELLED = "Cancelled"

    @property
    def is_final(self) -> bool:
        return self in {Stage.COMPLETED, Stage.FAILED, Stage.CANCELLED}

    @property
    def folder(self) -> str:
        """Where the job's object lies. An enriched job is on its way to be processed, and lies with those (D5)."""
        return f"jobs/{Stage.PROCESSING if self is Stage.METADATA_READY else self}"


WAYS: Mapping[Stage, frozenset[Stage]] = {
    Stage.QUEUED: frozenset({Stage.METADATA_READY, Stage.FAILED, Stage.CANCELLED}),
    Stage.METADATA_READY: frozenset({Stage.PROCESSING, Stage.FAILED, Stage.CANCELLED}),
    Stage.PROCESSING: frozenset({Stage.COMPLETED, Stage.FAILED, Stage.CANCELLED}),
    Stage.COMPLETED: frozenset(),
    Stage.FAILED: frozenset({Stage.QUEUED}),
    Stage.CANCELLED: frozenset({Stage.QUEUED}),
}

# what becomes of a media job when the job of the runtime that works on it stands so
BY_JOB: Mapping[Status, Stage] = {
    Status.SCHEDULED: Stage.PROCESSING,
    Status.QUEUED: Stage.PROCESSING,
    Status.PROCESSING: Stage.PROCESSING,
    Status.DONE: Stage.COMPLETED,
    Status.FAILED: Stage.FAILED,
    Status.CANCELLED: Stage.CANCELLED,
}

FOLDERS = tuple(dict.fromkeys(stage.folder for stage in Stage))
