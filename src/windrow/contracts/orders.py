"""What crosses from one queue to another: references and counts, as plain JSON, with the version of its contract.

A worker in another language needs nothing but these. No business data: what a source says stays in Postgres.
"""

from dataclasses import dataclass, field
from typing import Any

RUN_ORDER = "run-order@1"
RUN_RESULT = "run-result@1"
PREVIEW_ORDER = "preview-order@1"
EXPORT_ORDER = "export-order@1"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """One run of an endpoint: whose, through which lane, read where, and why it was begun."""

    tenant_id: str
    project_id: str
    endpoint_id: str
    run_id: str
    lane: str = "live"
    trigger: str = "schedule"
    connector: str = ""
    spec_ref: str = ""
    queue: str = "meta-py"
    correlation_id: str = ""
    slice_seconds: int = 30
    page_size: int | None = None
    retry_attempt: int = 0
    # a worker that is not heard of for as long is given up
    heartbeat_seconds: int = 90
    contract: str = RUN_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    pages: int = 0
    fetched: int = 0
    published: int = 0
    repeats: int = 0
    quarantined: int = 0
    bytes: int = 0
    cursor: str = ""
    page_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """How a slice ended: `done`, `more`, or `waiting` for a place among the tenant's runs."""

    outcome: str
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run came to: `done`, or `refused` before it had begun."""

    run_id: str
    outcome: str
    refused: str | None = None
    progress: Progress = field(default_factory=Progress)
    settled: dict[str, int] = field(default_factory=dict)
    contract: str = RUN_RESULT


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    """Why a run failed: the class decides what happens next."""

    order: RunOrder
    error_class: str
    code: str
    message: str
    hint: str | None = None
    outcome: str = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One step of an endpoint's lifecycle."""

    tenant_id: str
    project_id: str
    endpoint_id: str
    workflow_id: str
    number: int
    state: str
    before: str | None
    run_id: str | None = None
    reason: str | None = None
    error_class: str | None = None
    code: str | None = None
    next_retry_at: str | None = None
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOrder:
    """Bring an endpoint up to date. What a run needs to know about it is looked up when the run begins."""

    tenant_id: str
    project_id: str
    endpoint_id: str
    trigger: str = "schedule"
    manual_trigger_id: str | None = None
    # carried on when the workflow continues as new
    failures: int = 0
    transitions: int = 0
    state: str | None = None
    paused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A step of a run that failed, and when it is tried again."""

    order: RunOrder
    error_class: str
    code: str
    message: str
    failures: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run that may go on, or why there is none."""

    order: RunOrder | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewOrder:
    """A sample of an endpoint's dataset, within bounds."""

    tenant_id: str
    project_id: str
    endpoint_id: str
    rows: int = 20
    bytes: int = 1024 * 1024
    seconds: float = 30.0
    queue: str = "meta-ts"
    contract: str = PREVIEW_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """The catalog of a project as files in object storage."""

    tenant_id: str
    project_id: str
    export_id: str
    format: str = "ndjson"
    endpoint_id: str | None = None
    entity_type: str | None = None
    deleted: bool = False
    # how far it is, when the workflow continues as new
    progress: dict[str, Any] | None = None
    contract: str = EXPORT_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportStep:
    """An export on its way: what is asked for, and how far it is."""

    order: ExportOrder
    progress: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportState:
    """How far an export is; with the manifest, it is whole."""

    progress: dict[str, Any]
    read: bool = False
    manifest: dict[str, Any] | None = None
