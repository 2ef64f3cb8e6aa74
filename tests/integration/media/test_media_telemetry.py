"""What is said, counted and traced of every event that comes, however it ends (EV-11)."""

from collections.abc import Awaitable, Callable
from typing import Any

import prometheus_client
import pytest
from tests.conftest import Said, Spans
from tests.integration.media.studio import SCOPE, Studio, found, queued

from windrow.contracts.errors import Code
from windrow.media.errors import DecodeMessageError, EnrichmentDelayed, EnrichmentImpossible
from windrow.media.handling import Handled
from windrow.media.stage import Stage
from windrow.postgres import Database

pytestmark = pytest.mark.req("EV-11")

Path = Callable[[Studio], Awaitable[Handled]]
TOTAL, MILLISECONDS = "metadata_worker_messages_total", "metadata_worker_duration_ms_count"
AGAIN, LETTERS = "metadata_worker_redeliveries_total", "metadata_worker_dlq_total"


def shown() -> dict[tuple[str, ...], float]:
    """The metrics of this worker, as its Prometheus page shows them, by name and labels."""
    return {
        (one.name, *(value for name, value in sorted(one.labels.items()) if not name.startswith("otel_"))): one.value
        for family in prometheus_client.REGISTRY.collect()
        for one in family.samples
        if one.name in (TOTAL, MILLISECONDS, AGAIN, LETTERS)
    }


async def processed(studio: Studio) -> Handled:
    return await studio.handler.handle(found(await studio.submit(), message_id="m-1"))


async def skipped(studio: Studio) -> Handled:
    job_id = (await processed(studio)).job_id
    assert job_id
    return await studio.handler.handle(found(job_id, attempt=3))


async def put_off(studio: Studio) -> Handled:
    studio.oracle.always = EnrichmentDelayed("503", code=Code.UNAVAILABLE)
    return await processed(studio)


async def given_up(studio: Studio) -> Handled:
    studio.oracle.always = EnrichmentImpossible("the video is private", code=Code.NOT_FOUND)
    return await processed(studio)


async def no_job(studio: Studio) -> Handled:
    return await studio.handler.undecodable(SCOPE, DecodeMessageError("no JSON"), "<html>", attempt=2)


async def not_ours(studio: Studio) -> Handled:
    return await studio.handler.handle(found("talk-1", job=queued("talk-1", status=Stage.PROCESSING)))


async def cut_off(studio: Studio) -> Handled:
    job_id = await studio.submit()
    async with Database("postgresql://nobody@127.0.0.1:1/none", wait=0.1) as nowhere:
        return await studio.another_handler(nowhere).handle(found(job_id))


WAYS: dict[str, tuple[Path, list[str], dict[tuple[str, ...], float]]] = {
    "processed": (
        processed,
        ["received", "enriched", "persist_success", "publish_success"],
        {(TOTAL, "success"): 1, (MILLISECONDS, "success"): 1},
    ),
    "skipped": (
        skipped,
        ["received", "enriched", "persist_success", "publish_success", "received", "stage_mismatch", "skipped"],
        {
            (TOTAL, "success"): 1,
            (MILLISECONDS, "success"): 1,
            (TOTAL, "skipped"): 1,
            (MILLISECONDS, "skipped"): 1,
            (AGAIN,): 1,
        },
    ),
    "put off": (put_off, ["received", "failure"], {(TOTAL, "failure"): 1, (MILLISECONDS, "failure"): 1}),
    "given up": (
        given_up,
        ["received", "failure", "failed"],
        {(TOTAL, "failure"): 1, (MILLISECONDS, "failure"): 1, (LETTERS, "MetadataEnrichmentError"): 1},
    ),
    "no job": (
        no_job,
        ["received", "failure", "failed"],
        {(TOTAL, "failure"): 1, (MILLISECONDS, "failure"): 1, (LETTERS, "DecodeMessageError"): 1, (AGAIN,): 1},
    ),
    "not ours": (not_ours, ["received", "skipped"], {(TOTAL, "skipped"): 1, (MILLISECONDS, "skipped"): 1}),
    "cut off": (cut_off, ["received", "failure"], {(TOTAL, "failure"): 1, (MILLISECONDS, "failure"): 1}),
}


@pytest.mark.parametrize("way", WAYS)
async def test_every_event_is_said_and_counted(database: Database, said: Said, way: str) -> None:
    path, expected, rises = WAYS[way]
    before = shown()

    await path(Studio(database))

    lines = [line for line in said.lines if line["event"].startswith("metadata.worker.")]
    assert [line["event"].removeprefix("metadata.worker.") for line in lines] == expected
    for line in lines:
        assert {"job_id", "request_id", "stage", "media_type", "correlation_id"} <= line.keys()
        assert line["correlation_id"] != "unknown"
        assert (line["agent"], line["tenant_id"]) == ("metadata-worker", "acme")
        assert "duration_ms" in line or line["event"].endswith("received")
    assert {key: value - before.get(key, 0) for key, value in shown().items() if value != before.get(key, 0)} == rises


@pytest.mark.parametrize("way", WAYS)
async def test_every_event_is_traced(database: Database, spans: Spans, way: str) -> None:
    handled = await WAYS[way][0](Studio(database))

    span = spans.named("metadata.worker.handle")[-1]
    told: dict[str, Any] = dict(span.attributes or {})
    assert {"job_id", "request_id", "attempt", "correlation_id"} <= told.keys()
    assert told["outcome"] == handled.outcome


async def test_the_steps_of_an_enrichment_are_traced_below_its_event(database: Database, spans: Spans) -> None:
    await processed(Studio(database))

    [handling] = spans.named("metadata.worker.handle")
    [enriching] = spans.named("metadata.worker.enrich")
    publishing = spans.named("metadata.worker.publish")[-1]
    assert handling.context
    assert {span.parent.span_id for span in (enriching, publishing) if span.parent} == {handling.context.span_id}
    assert handling.attributes
    assert handling.attributes["request_id"] == "r-1"


async def test_what_a_job_was_begun_for_is_in_every_line_about_it(database: Database, said: Said) -> None:
    await processed(Studio(database))

    received, *rest = said.lines
    assert received["correlation_id"] != "cause-1"  # the event came without one, and the job was not known yet
    assert {line["correlation_id"] for line in rest} == {"cause-1"}
    assert {(line["request_id"], line["media_type"]) for line in rest} == {("r-1", "youtube")}
