"""Pushes of Pub/Sub: what the envelope says, and what is carried in it."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.unit.events.post import ATTRIBUTES, JOB, NOTICE, RESOURCE, event, pushed

from windrow.events.letters import Finalized, JobMessage, Letter, NotForUs
from windrow.events.pubsub import Push, carried, message, push
from windrow.media.errors import DecodeMessageError

OBJECT = Finalized("acme-media", "jobs/Queued/job-1.json", 1587627537231057, "136969346945")
EVENT = Finalized("acme-media", "jobs/Queued/job-1.json", 1587627537231057, ATTRIBUTES["id"])
DASHED = {f"ce-{name}": value for name, value in ATTRIBUTES.items()}
UNDERSCORED = {f"ce_{name}": value for name, value in ATTRIBUTES.items()}


def opened(body: bytes) -> Letter:
    envelope = json.loads(body)
    return carried(message(envelope), push(envelope).message_id)


def test_the_envelope_says_where_the_message_comes_from() -> None:
    assert push(json.loads(pushed(JOB, orderingKey="k", around={"deliveryAttempt": 3}))) == Push(
        attempt=3,
        message_id="136969346945",
        subscription="projects/acme/subscriptions/work",
        published_at=datetime(2020, 4, 23, 7, 38, 58, 500_000, UTC),
        ordering_key="k",
    )


@pytest.mark.parametrize("name", ["messageId", "message_id"])
def test_either_spelling_of_the_id_will_do(name: str) -> None:
    assert push({"message": {name: "7"}}).message_id == "7"


@pytest.mark.parametrize("garbage", [5, "", "a\x00b", "a\nb", "\ud800", "x" * 2000, ["a"], None, True])
def test_what_cannot_be_read_of_the_envelope_is_left_out(garbage: Any) -> None:
    told = {"messageId": garbage, "publishTime": garbage, "orderingKey": garbage}

    assert push({"message": told, "subscription": garbage}) == Push()


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("around", "attributes", "attempt"),
    [
        pytest.param({"deliveryAttempt": 3}, {}, 3, id="the envelope says it"),
        pytest.param({"deliveryAttempt": 3}, {"attempt": "9"}, 3, id="the envelope goes before the attribute"),
        pytest.param({}, {"googclient_deliveryattempt": "4"}, 4, id="the attribute of the client libraries"),
        pytest.param({}, {"deliveryAttempt": "5"}, 5, id="the attribute in its long form"),
        pytest.param({}, {"attempt": "6"}, 6, id="the attribute in its short form"),
        pytest.param({"deliveryAttempt": None}, {"attempt": "6"}, 6, id="null is as good as not said"),
        pytest.param({}, {}, 1, id="nobody says it"),
        pytest.param({}, None, 1, id="no attributes"),
        pytest.param({"deliveryAttempt": 0}, {}, 1, id="nought"),
        pytest.param({"deliveryAttempt": -1}, {}, 1, id="less than nought"),
        pytest.param({"deliveryAttempt": 2.5}, {}, 1, id="a fraction"),
        pytest.param({"deliveryAttempt": True}, {}, 1, id="true"),
        pytest.param({"deliveryAttempt": 10**30}, {}, 1, id="more than there can be"),
        pytest.param({"deliveryAttempt": "many"}, {"attempt": "soon"}, 1, id="words"),
        pytest.param({}, {"attempt": "²"}, 1, id="a digit that is none"),
        pytest.param({}, {"attempt": "9" * 5000}, 1, id="five thousand digits"),
        pytest.param({}, {"attempt": 7}, 7, id="a number where a text belongs"),
        pytest.param({}, ["attempt"], 1, id="attributes that are none"),
    ],
)
def test_the_attempt_is_told_or_one(around: dict[str, Any], attributes: Any, attempt: int) -> None:
    assert push({"message": {"attributes": attributes}, **around}).attempt == attempt


@pytest.mark.req("EV-1")
def test_a_job_is_carried_as_it_was_written() -> None:
    written = b'{"jobId":  "job-1"}'

    assert opened(pushed(written, {"correlationId": "c"})) == JobMessage(
        {"jobId": "job-1"}, written, {"correlationId": "c"}
    )


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("data", "attributes", "letter"),
    [
        pytest.param(RESOURCE, NOTICE, OBJECT, id="a notification with metadata"),
        pytest.param(None, NOTICE, OBJECT, id="a notification without data"),
        pytest.param("", {**NOTICE, "payloadFormat": "NONE"}, OBJECT, id="a notification with empty data"),
        pytest.param(
            event(), {"content-type": "application/cloudevents+json"}, EVENT, id="an event in structured mode"
        ),
        pytest.param(
            event(), {"Content-Type": "Application/CloudEvents+json; charset=utf-8"}, EVENT, id="in other letters"
        ),
        pytest.param(
            event(), {"content-type": "application/cloudevents+json", "ce-id": "x"}, EVENT, id="the data wins"
        ),
        pytest.param(RESOURCE, {**DASHED, "content-type": "application/json"}, EVENT, id="an event in binary mode"),
        pytest.param(
            RESOURCE, {**DASHED, "ce-datacontenttype": "application/json"}, EVENT, id="its type as an attribute"
        ),
        pytest.param(
            RESOURCE,
            {**DASHED, "content-type": "application/json", "ce-datacontenttype": "text/plain"},
            EVENT,
            id="the content type goes before the attribute",
        ),
        pytest.param(RESOURCE, {**UNDERSCORED, "content-type": "application/json"}, EVENT, id="with underscores"),
        pytest.param(
            RESOURCE, {**DASHED, **NOTICE, "content-type": "a/json"}, EVENT, id="an event goes before a notification"
        ),
    ],
)
def test_an_object_is_told_of_in_every_form(data: Any, attributes: dict[str, str], letter: Letter) -> None:
    assert opened(pushed(data, attributes)) == letter


def test_attributes_of_an_event_are_taken_as_they_are() -> None:
    subject = "objects/jobs/Queued/%2e%2e.json"

    found = opened(pushed(None, {**DASHED, "ce-subject": subject}))

    assert isinstance(found, Finalized)
    assert found.name == "jobs/Queued/%2e%2e.json"


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"eventType": "JobStatusChanged"}, id="an event type that is not of Cloud Storage"),
        pytest.param({"ce-gateway": "x"}, id="a ce- attribute that makes no event"),
        pytest.param({"content-type": "json"}, id="a content type that is none"),
        pytest.param({"content-type": "application/json"}, id="a content type"),
    ],
)
def test_a_job_stays_a_job_whatever_else_is_said(attributes: dict[str, str]) -> None:
    assert isinstance(opened(pushed(JOB, attributes)), JobMessage)


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({**NOTICE, "eventType": "OBJECT_DELETE"}, id="a deleted object"),
        pytest.param(
            {**DASHED, "ce-type": "google.cloud.storage.object.v1.deleted"}, id="an event of a deleted object"
        ),
    ],
)
def test_what_happened_otherwise_is_for_others(attributes: dict[str, str]) -> None:
    assert isinstance(opened(pushed(None, attributes)), NotForUs)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(pushed(), id="nothing"),
        pytest.param(pushed(""), id="nothing, and it says so"),
        pytest.param(pushed(None, {"attempt": "2"}), id="only attributes that say nothing"),
        pytest.param(pushed("not base64"), id="bad base64"),
        pytest.param(pushed("Zm9v\n"), id="base64 with a line break"),
        pytest.param(b'{"message": {"data": 5}}', id="data that is a number"),
        pytest.param(pushed(b"<html>"), id="a job that is HTML"),
        pytest.param(pushed(b"[]"), id="a job that is a list"),
        pytest.param(pushed(b'{"jobId": "a", "jobId": "b"}'), id="a job with two ids"),
        pytest.param(pushed(JOB, ["a"]), id="attributes in a list"),
        pytest.param(pushed(JOB, []), id="no attributes, in a list"),
        pytest.param(pushed(JOB, {"a": 5}), id="an attribute that is a number"),
        pytest.param(pushed(JOB, {"a": None}), id="an attribute that is null"),
        pytest.param(pushed(event(id=...), {"content-type": "application/cloudevents+json"}), id="an event without id"),
        pytest.param(pushed(event(), {"content-type": "application/cloudevents-batch+json"}), id="a batch"),
        pytest.param(pushed(event(), {"content-type": "application/cloudevents+avro"}), id="another format"),
        pytest.param(
            pushed(event(), {"content-type": "application/cloudevents+json", "Content-Type": "a/b"}), id="two types"
        ),
        pytest.param(pushed(JOB, {"ce-id": "x"}), id="half an event"),
        pytest.param(pushed(None, {**DASHED, "ce_id": "x"}), id="an attribute of an event twice"),
        pytest.param(pushed(None, {**DASHED, "ce-Bad": "x"}), id="an attribute with a capital"),
    ],
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(DecodeMessageError):
        opened(body)
