"""What nobody should send: refused without touching an object or a job, never with a 500, and the worker goes on."""

import gzip
import json
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.console.house import counted
from tests.integration.events.counter import JSON, STRUCTURED, Desk, a_job, about, event, pushed

QUEUED = "objects/local/jobs/Queued"
HTML = b"<!doctype html><title>502 Bad Gateway</title>"
# (what is sent, with which headers), by what it is
Sent = dict[str, tuple[Any, dict[str, str]]]

IDS = {
    "it climbs": "../../Processing/x",
    "it climbs, escaped": "%2e%2e%2fx",
    "it is a climb": "..",
    "it has a NUL": "x\0y",
    "it has a newline": "x\ny",
    "it begins with a dash": "-rf",
    "it has 300 characters": "x" * 300,
    "it is empty": "",
    "it has a slash": "deep/er",
    "it has a space": "a b",
    "it is in another script": "\u0430bc",
    "its end is hidden": "x\u202e",
}
ESCAPED = {"it climbs": "%2E%2E%2F%2E%2E%2Fx", "it has a NUL": "x%00y", "it has a newline": "x%0Ay"}
NO_IDS: Sent = {
    **{f"{name}, in an event": (about(f"{QUEUED}/{one}.json"), STRUCTURED) for name, one in IDS.items()},
    **{
        f"{name}, in a header": (
            b"",
            {f"ce-{key}": value for key, value in event("x", subject=f"{QUEUED}/{one}.json", data=...).items()},
        )
        for name, one in ESCAPED.items()
    },
    **{f"{name}, in a message": (pushed(a_job(one)), JSON) for name, one in IDS.items()},
    **{
        f"{name}, in a notification": (
            pushed(eventType="OBJECT_FINALIZE", bucketId="windrow", objectId=f"local/jobs/Queued/{one}.json"),
            JSON,
        )
        for name, one in IDS.items()
    },
}

NOT_OURS: Sent = {
    "another folder": (about("objects/local/uploads/film.mp4"), STRUCTURED),
    "a folder that begins alike": (about("objects/local/jobs/QueuedForLater/x.json"), STRUCTURED),
    "another tenant's name that is none": (about("objects/Not A Tenant/jobs/Queued/x.json"), STRUCTURED),
    "no tenant": (about("objects/jobs/Queued/x.json"), STRUCTURED),
    "our own job object": (about("objects/local/jobs/Processing/x.json"), STRUCTURED),
    "our own event object": (about("objects/local/events/x/20261116T100000Z_status_changed.json"), STRUCTURED),
    "our own clip": (about("objects/local/results/x/clip.mp4"), STRUCTURED),
    "a deletion": (event("x", type="google.cloud.storage.object.v1.deleted"), STRUCTURED),
    "a deletion, notified": (pushed(eventType="OBJECT_DELETE", bucketId="windrow", objectId="x"), JSON),
    "the folder itself": (about(f"{QUEUED}/"), STRUCTURED),
    "another bucket": (event("x", source="//storage.googleapis.com/projects/_/buckets/other", data=...), STRUCTURED),
    "an event of somebody else": (event("x", type="com.example.lunch"), STRUCTURED),
    "a job that is not there": (event("nobody"), STRUCTURED),
}

DEEP = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
CROWDED = json.dumps({f"k{number}": 1 for number in range(100_000)}).encode()[: 1 << 20]
BOMB = gzip.compress(b" " * (50 << 20))
UNREADABLE: Sent = {
    "nothing": (b"", JSON),
    "nothing, as an event": (b"", STRUCTURED),
    "HTML": (HTML, {"content-type": "text/html"}),
    "HTML that calls itself JSON": (HTML, JSON),
    "a gzip bomb": (BOMB, STRUCTURED | {"content-encoding": "gzip"}),
    "a gzip bomb that does not say so": (BOMB, JSON),
    "a gzip bomb in a message": (pushed(BOMB), JSON),
    "100,000 keys": (CROWDED[: CROWDED.rindex(b",")] + b"}", JSON),
    "a depth of 10,000": (DEEP, STRUCTURED),
    "a depth of 10,000 in a push": (b'{"message":' + DEEP + b"}", JSON),
    "a depth of 10,000 in a message": (pushed(DEEP), JSON),
    "half of a surrogate pair": (b'{"message": {"data": "\\ud800"}}', JSON),
    "half of a surrogate pair in an event": (json.dumps(event("x", id="\ud800")).encode(), STRUCTURED),
    "another charset": (json.dumps(event("x")).encode("utf-16"), {"content-type": "application/json; charset=utf-16"}),
    "Latin 1 that calls itself UTF-8": ('{"message": {"data": "é"}}'.encode("latin-1"), JSON),
    "a time that is null and a list": ([event("x", time=None)], STRUCTURED),
    "a number": (b"1e999", JSON),
    "an event without an id": (event("x", id=...), STRUCTURED),
    "data and data_base64": (event("x", data_base64="e30="), STRUCTURED),
    "base64 that is none": (b'{"message": {"data": "***"}}', JSON),
    "a message that is a list": (pushed(b"[]"), JSON),
    "a job without media": (pushed(b'{"jobId": "job-1", "requestId": "r", "status": "Queued"}'), JSON),
    "a job with a date that is none": (pushed(a_job(createdAt="yesterday")), JSON),
    "media at an address that is none": (pushed(a_job(media={"type": "file", "url": "javascript:alert(1)"})), JSON),
    "a batch that is none": (b"{}", {"content-type": "application/cloudevents-batch+json"}),
    "events in another format": (b"x", {"content-type": "application/cloudevents+avro"}),
}


async def answers(at_desk: Desk, sent: Sent) -> dict[str, tuple[int, str, bool]]:
    """Status, outcome and whether it may go better, by what was sent."""
    told = {}
    for name, (body, headers) in sent.items():
        answered = await at_desk.post(body, headers)
        said = answered.json()
        said = said["results"][0] if "results" in said else said
        told[name] = (answered.status_code, said["outcome"], said["retryable"])
    return told


async def nothing_was_touched(at_desk: Desk) -> bool:
    return await at_desk.jobs() == 0 and await at_desk.keys() == []


@pytest.mark.req("EV-2", "EV-9")
async def test_ids_that_could_lead_elsewhere_are_refused(at_desk: Desk) -> None:
    told = await answers(at_desk, NO_IDS)

    assert {name: one for name, one in told.items() if one != (200, "failed", False)} == {}
    assert await nothing_was_touched(at_desk)
    assert set(await at_desk.said()) == {"media.dlq/Undecodable"}


async def test_what_is_for_others_is_skipped_and_leaves_no_dead_letter(at_desk: Desk, said: Said) -> None:
    skipped = counted("metadata_worker_messages_total", result="skipped")

    told = await answers(at_desk, NOT_OURS)

    assert {name: one for name, one in told.items() if one != (200, "skipped", False)} == {}
    assert await nothing_was_touched(at_desk)
    assert not await at_desk.said()
    assert len(said.events("metadata.worker.received")) == len(said.events("metadata.worker.skipped")) == len(NOT_OURS)
    assert counted("metadata_worker_messages_total", result="skipped") == skipped + len(NOT_OURS)


@pytest.mark.req("EV-9")
async def test_what_nobody_can_read_is_logged_counted_and_kept_as_an_excerpt(at_desk: Desk, said: Said) -> None:
    failures = counted("metadata_worker_messages_total", result="failure")

    told = await answers(at_desk, UNREADABLE)

    assert {name: one for name, one in told.items() if one != (200, "failed", False)} == {}
    assert await nothing_was_touched(at_desk)
    assert set(await at_desk.said()) == {"media.dlq/Undecodable"}
    assert len(said.events("metadata.worker.failed")) == len(UNREADABLE)
    assert counted("metadata_worker_messages_total", result="failure") == failures + len(UNREADABLE)
    assert max(len(line) for line in said.raw) < 10_000
    assert said.events("letter.failed") == []
