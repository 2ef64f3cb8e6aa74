"""The names by which workflows, activities and queues are known to Temporal and to the specs."""

META_PY = "meta-py"
META_TS = "meta-ts"

ENDPOINT_SYNC = "endpointSyncWorkflow"
COLLECTION = "metadataCollectionWorkflow"
PREVIEW = "previewDatasetWorkflow"
BACKFILL = "backfillWorkflow"
EXPORT = "exportWorkflow"
RETENTION = "retentionWorkflow"

BEGIN = "collection.begin"
HARVEST_SLICE = "collection.harvest_slice"
SETTLE = "collection.settle"
FAIL = "collection.fail"
CLOSE_LANE = "collection.close_lane"
NOTE_RETRY = "collection.note_retry"
RECORD_STATE = "endpoint.record_state"
SAMPLE = "preview.sample"
WRITE_PART = "export.write_part"
PURGE = "retention.purge"

# the directive of the lifecycle, as log lines name specs
SYNC_SPEC = f"directive.{ENDPOINT_SYNC}@1"


# the schedule of the retention, and what it starts
RETENTION_ID = "retention"


def collection_id(tenant_id: str, project_id: str, endpoint_id: str) -> str:
    """One at a time: the id of an endpoint's collection is its mutex."""
    return f"collect/{tenant_id}/{project_id}/{endpoint_id}"


def sync_id(tenant_id: str, project_id: str, endpoint_id: str) -> str:
    """What the schedule of an endpoint starts, and the name of the schedule itself."""
    return f"sync/{tenant_id}/{project_id}/{endpoint_id}"


def trigger_id(tenant_id: str, project_id: str, endpoint_id: str, manual_trigger_id: str) -> str:
    """What a person starts: the same trigger twice is one."""
    return f"{sync_id(tenant_id, project_id, endpoint_id)}/trigger/{manual_trigger_id}"
