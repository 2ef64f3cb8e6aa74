"""What our workers register, by queue: `windrow specs check` holds it against the specs."""

from collections.abc import Mapping

from windrow.orchestration import names
from windrow.orchestration.workflows.backfill import BackfillWorkflow
from windrow.orchestration.workflows.collection import CollectionWorkflow
from windrow.orchestration.workflows.endpoint_sync import EndpointSyncWorkflow
from windrow.orchestration.workflows.export import ExportWorkflow
from windrow.orchestration.workflows.preview import PreviewWorkflow
from windrow.orchestration.workflows.retention import RetentionWorkflow

# a family is a namespace of its own
FAMILIES: Mapping[str, tuple[type, ...]] = {
    "harvesters": (EndpointSyncWorkflow, CollectionWorkflow, PreviewWorkflow, RetentionWorkflow),
    "backfills": (BackfillWorkflow, ExportWorkflow),
}

WORKFLOWS: Mapping[str, tuple[type, ...]] = {
    names.META_TS: tuple(one for family in FAMILIES.values() for one in family)
}

ACTIVITIES: Mapping[str, tuple[str, ...]] = {
    names.META_TS: (
        names.BEGIN,
        names.HARVEST_SLICE,
        names.SETTLE,
        names.FAIL,
        names.CLOSE_LANE,
        names.NOTE_RETRY,
        names.RECORD_STATE,
        names.SAMPLE,
        names.PURGE,
    ),
    names.META_PY: (names.HARVEST_SLICE, names.SAMPLE, names.WRITE_PART),
}
