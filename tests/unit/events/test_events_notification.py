"""What Cloud Storage says about an object, as an event and as a notification."""

import json
from typing import Any

import pytest
from tests.unit.events.post import ATTRIBUTES, NOTICE, RESOURCE

from windrow.events.cloudevent import CloudEvent, cloud_event
from windrow.events.letters import Finalized, NotForUs
from windrow.events.notification import is_notification, of_attributes, of_event
from windrow.media.errors import DecodeMessageError

GENERATION = 1587627537231057
DATA = json.dumps(RESOURCE).encode()


def told(data: Any = None, **changes: Any) -> CloudEvent:
    return cloud_event({**ATTRIBUTES, **changes}, data)


@pytest.mark.req("EV-1")
def test_an_event_tells_of_the_object_that_was_written() -> None:
    expected = Finalized("acme-media", "jobs/Queued/job-1.json", GENERATION, ATTRIBUTES["id"])

    assert of_event(told(RESOURCE)) == expected


@pytest.mark.parametrize(
    ("data", "generation"),
    [
        pytest.param(None, None, id="no data"),
        pytest.param({}, None, id="data that says nothing"),
        pytest.param({"bucket": None, "name": None, "generation": None}, None, id="data of nulls"),
        pytest.param({"generation": "7"}, 7, id="a generation as a text"),
        pytest.param({"generation": 2**63 - 1}, 2**63 - 1, id="a generation as a number"),
    ],
)
def test_the_generation_is_known_where_it_is_told(data: Any, generation: int | None) -> None:
    found = of_event(told(data))

    assert isinstance(found, Finalized)
    assert found.generation == generation


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            {"source": "//storage.googleapis.com/projects/p/buckets/acme-media"}, id="the source of a project"
        ),
        pytest.param(
            {"source": "https://storage.googleapis.com/projects/_/buckets/acme-media"}, id="a source with a scheme"
        ),
        pytest.param({"source": "//evil.example/projects/_/buckets/acme-media"}, id="another host"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/"}, id="no bucket"),
        pytest.param(
            {"source": "//storage.googleapis.com/projects/_/buckets/acme-media/"}, id="a slash behind the bucket"
        ),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/acme-media/x"}, id="a path behind it"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/acme-media?x"}, id="a query behind it"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/acme%2dmedia"}, id="a bucket in disguise"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/Acme"}, id="a bucket with a capital"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/ab"}, id="a bucket of two letters"),
        pytest.param({"source": "//storage.googleapis.com/projects/_/buckets/a..b"}, id="a bucket with two dots"),
        pytest.param({"source": f"//storage.googleapis.com/projects/_/buckets/{'a' * 64}"}, id="a long bucket"),
        pytest.param(
            {"source": f"//storage.googleapis.com/projects/_/buckets/{'a' * 60 + '.a' * 99}"}, id="a very long one"
        ),
        pytest.param({"subject": None}, id="no subject"),
        pytest.param({"subject": "jobs/Queued/job-1.json"}, id="a subject that is no object"),
        pytest.param({"subject": "objects/"}, id="an object without a name"),
        pytest.param({"subject": "Objects/jobs/Queued/job-1.json"}, id="a subject with a capital"),
        pytest.param({"subject": f"objects/{'é' * 513}"}, id="a name longer than objects have"),
        pytest.param({"id": "1" * 1025}, id="an id that nobody would give"),
        pytest.param({"data": {"bucket": "other-media"}}, id="data of another bucket"),
        pytest.param({"data": {"name": "jobs/Queued/job-2.json"}}, id="data of another object"),
        pytest.param({"data": {"bucket": 5}}, id="a bucket that is a number"),
        pytest.param({"data": {"generation": "7x"}}, id="a generation that is no number"),
        pytest.param({"data": {"generation": "\u0667"}}, id="a generation in other digits"),
        pytest.param({"data": {"generation": 7.0}}, id="a generation with a fraction"),
        pytest.param({"data": {"generation": True}}, id="a generation that is true"),
        pytest.param({"data": {"generation": 0}}, id="no generation"),
        pytest.param({"data": {"generation": -1}}, id="a generation below"),
        pytest.param({"data": {"generation": 2**63}}, id="a generation beyond"),
        pytest.param({"data": b"{}"}, id="data that is not JSON"),
        pytest.param({"data": "text"}, id="data that is a text"),
        pytest.param({"data": []}, id="data that is a list"),
    ],
)
def test_an_event_that_does_not_name_one_object_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(DecodeMessageError):
        of_event(told(**changes) if "data" not in changes else told(changes["data"]))


@pytest.mark.parametrize(
    "kind",
    [
        "google.cloud.storage.object.v1.deleted",
        "google.cloud.storage.object.v1.archived",
        "google.cloud.storage.object.v1.metadataUpdated",
        "google.cloud.storage.object.v1.Finalized",
        "google.cloud.pubsub.topic.v1.messagePublished",
        "com.example.someevent",
    ],
)
def test_other_events_are_for_others(kind: str) -> None:
    assert isinstance(of_event(told(type=kind, source="/anywhere")), NotForUs)


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("changes", "data"),
    [
        pytest.param({}, DATA, id="with its metadata"),
        pytest.param({}, b"", id="without its metadata"),
        pytest.param({"payloadFormat": "NONE"}, b"anything", id="with none promised"),
    ],
)
def test_a_notification_tells_of_the_object_that_was_written(changes: dict[str, str], data: bytes) -> None:
    assert of_attributes({**NOTICE, **changes}, data, "m-1") == Finalized(
        "acme-media", "jobs/Queued/job-1.json", GENERATION, "m-1"
    )


def test_a_notification_without_an_id_is_named_by_its_object() -> None:
    found = of_attributes(NOTICE, b"", None)

    assert isinstance(found, Finalized)
    assert found.event_id == f"acme-media/jobs/Queued/job-1.json#{GENERATION}"


@pytest.mark.parametrize("happened", ["OBJECT_DELETE", "OBJECT_METADATA_UPDATE", "OBJECT_ARCHIVE", "OBJECT_NEW", ""])
def test_other_notifications_are_for_others(happened: str) -> None:
    assert isinstance(of_attributes({**NOTICE, "eventType": happened}, DATA, "m-1"), NotForUs)


@pytest.mark.parametrize(
    ("changes", "data"),
    [
        pytest.param({"bucketId": ""}, DATA, id="no bucket"),
        pytest.param({"bucketId": "../x"}, b"", id="a bucket that is a path"),
        pytest.param({"objectId": ""}, DATA, id="no object"),
        pytest.param({"objectGeneration": "x"}, b"", id="no generation"),
        pytest.param({"objectGeneration": "8"}, DATA, id="another generation than in the metadata"),
        pytest.param({"bucketId": "other-media"}, DATA, id="another bucket than in the metadata"),
        pytest.param({"objectId": "other"}, DATA, id="another object than in the metadata"),
        pytest.param({"payloadFormat": "XML"}, DATA, id="metadata in another format"),
        pytest.param({}, b"{", id="metadata that is not JSON"),
        pytest.param({}, b'{"name": "a", "name": "a"}', id="metadata that says a thing twice"),
    ],
)
def test_a_notification_that_does_not_name_one_object_is_refused(changes: dict[str, str], data: bytes) -> None:
    with pytest.raises(DecodeMessageError):
        of_attributes({**NOTICE, **changes}, data, "m-1")


@pytest.mark.parametrize(
    ("attributes", "notice"),
    [
        (NOTICE, True),
        ({"eventType": "OBJECT_DELETE"}, True),
        ({"bucketId": "acme-media"}, True),
        ({"eventType": "JobStatusChanged"}, False),
        ({}, False),
    ],
)
def test_a_notification_is_known_by_its_attributes(attributes: dict[str, str], notice: bool) -> None:
    assert is_notification(attributes) is notice
