"""What a run tells beside its log lines: metrics, spans, and hashes of what crossed the border of an activity."""

import hashlib
from typing import Any

import pytest
from prometheus_client import REGISTRY
from temporalio.client import Client, WorkflowHandle
from tests.conftest import Said, Spans
from tests.integration.harvest.shop import Shop
from tests.integration.orchestration.stage import Means, staged

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.orchestration import controls, names
from windrow.postgres import Database


def failing(*errors: Exception) -> Shop:
    """A source that fails with each of these in turn, and then works."""
    shop = Shop()
    shop.puts("apple", "pear")
    left = iter(errors)

    def asked(_: object) -> None:
        if error := next(left, None):
            raise error

    shop.asked = asked
    return shop


def measured(name: str, **labels: str) -> float:
    """As the page of metrics has it, over all labels that are not given."""
    return sum(
        sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


SHOP = {"directive": "shop"}
COUNTED: tuple[tuple[str, dict[str, str], int], ...] = (
    ("worker_runs_total", SHOP | {"outcome": "done"}, 2),
    ("worker_runs_total", SHOP | {"outcome": "failed"}, 1),
    ("worker_batch_processed_total", SHOP | {"result": "created"}, 2),
    ("worker_batch_processed_total", SHOP | {"result": "updated"}, 1),
    ("worker_batch_processed_total", SHOP | {"result": "unchanged"}, 1),
    ("worker_retry_attempts_total", {"runtime": "temporal", "error_class": "RetryableTransient", "code": "NETWORK"}, 1),
    ("worker_run_duration_seconds_count", SHOP, 3),
    ("harvest_items_total", SHOP, 4),
    ("worker_backoffs_total", {"error_class": "ValidationFailure"}, 1),
    ("worker_failures_total", {}, 2),
)


@pytest.mark.req("MW-61", "OR-11")
async def test_runs_items_retries_and_waits_are_counted_and_the_lag_is_measured(
    database: Database, skipping: Client
) -> None:
    shop = failing(ValidationFailure("not what was agreed"), RetryableTransient("away", code=Code.NETWORK))
    async with staged(database, skipping, shop, schedule="1h") as stage:
        before = [measured(name, **labels) for name, labels, _ in COUNTED]
        took = measured("worker_run_duration_seconds_sum", **SHOP)
        await (await stage.start()).result()
        shop.puts("apple", display_name="Another")
        await (await stage.start()).result()
        lag = await controls.measure(database)

    rises = [measured(name, **labels) - was for (name, labels, _), was in zip(COUNTED, before, strict=True)]
    assert rises == [rise for _, _, rise in COUNTED]
    assert measured("worker_run_duration_seconds_sum", **SHOP) > took
    assert 0 < lag["shop"] < 600
    assert measured("worker_cursor_lag_seconds", **SHOP) == lag["shop"]


@pytest.mark.req("OR-42")
async def test_each_activity_is_a_span_that_carries_what_it_was_done_for(
    database: Database, client: Client, spans: Spans, said: Said
) -> None:
    async with staged(database, client, failing(ValidationFailure("not what was agreed"))) as stage:
        handle = await stage.start()
        await until_waiting(handle)
        cause = (await handle.describe()).run_id

        traced = [span.attributes or {} for span in spans.named("activity.execute")]
        assert {each["correlation_id"] for each in traced} == {cause}
        counted = [each["activity"] for each in traced]
        assert {name: counted.count(name) for name in counted} == {
            names.RECORD_STATE: 3,
            names.BEGIN: 1,
            names.HARVEST_SLICE: 1,
            names.FAIL: 1,
        }
        below = [span for span in spans.named("harvest.slice") if span.parent]
        assert {(span.attributes or {})["correlation_id"] for span in below} == {cause}
        assert {line["correlation_id"] for line in said.events("activity.failed")} == {cause}


@pytest.mark.req("OR-40")
async def test_what_crossed_the_border_is_told_by_hash_where_that_is_asked_for(
    database: Database, client: Client, said: Said
) -> None:
    async with staged(database, client, failing(), means=Means(payload_hashes=True)) as stage:
        done = await (await stage.start()).result()

        lines = {line["activity"]: line for line in said.events("payloads.hashed")}
        assert lines.keys() == {names.RECORD_STATE, names.BEGIN, names.HARVEST_SLICE, names.SETTLE}
        of_a_run = ("tenant_id", "project_id", "run_id", "workflow_id", "correlation_id")
        for line in lines.values():
            assert line["level"] == "DEBUG"
            assert [name for name in of_a_run if line.get(name, "unknown") == "unknown"] == []
        assert lines[names.SETTLE]["spec_id"] == stage.shop.connector().spec.spec_ref
        given, returned = await crossed(stage.client, stage.collection_id, names.SETTLE)
        assert done["run_id"].encode() in given
        assert lines[names.SETTLE]["given"] == f"sha256:{hashlib.sha256(given).hexdigest()}"
        assert lines[names.SETTLE]["returned"] == f"sha256:{hashlib.sha256(returned).hexdigest()}"

    said.raw.clear()
    async with staged(database, client, failing()) as stage:
        await (await stage.start()).result()
        assert said.events("payloads.hashed") == [], "nobody asked"


async def until_waiting(handle: WorkflowHandle[Any, Any]) -> None:
    """Until its wait has begun: by then all that it did before has ended, spans and all."""
    async for event in handle.fetch_history_events(wait_new_event=True):
        if event.HasField("timer_started_event_attributes"):
            return


async def crossed(client: Client, workflow_id: str, activity: str) -> tuple[bytes, bytes]:
    """What Temporal keeps of an activity: what it was given, and what it returned."""
    asked: dict[int, Any] = {}
    async for event in client.get_workflow_handle(workflow_id).fetch_history_events():
        scheduled, completed = (
            event.activity_task_scheduled_event_attributes,
            event.activity_task_completed_event_attributes,
        )
        if scheduled.activity_type.name == activity:
            asked[event.event_id] = scheduled.input.payloads[0].data
        if completed.scheduled_event_id in asked:
            return asked[completed.scheduled_event_id], completed.result.payloads[0].data
    raise AssertionError(f"no {activity} in {workflow_id}")
