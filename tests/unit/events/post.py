"""Requests as Eventarc and Pub/Sub send them, to be broken by the tests."""

import json
from base64 import b64encode
from typing import Any

from windrow.events.headers import Headers

STRUCTURED = b"application/cloudevents+json; charset=UTF-8"
BATCHED = b"application/cloudevents-batch+json"

ATTRIBUTES: dict[str, Any] = {
    "specversion": "1.0",
    "id": "1096434104173400",
    "source": "//storage.googleapis.com/projects/_/buckets/acme-media",
    "type": "google.cloud.storage.object.v1.finalized",
    "subject": "objects/jobs/Queued/job-1.json",
    "time": "2020-04-23T07:38:57.230Z",
}
RESOURCE: dict[str, Any] = {
    "kind": "storage#object",
    "bucket": "acme-media",
    "name": "jobs/Queued/job-1.json",
    "generation": "1587627537231057",
    "contentType": "application/json",
    "size": "352",
}
NOTICE = {
    "eventType": "OBJECT_FINALIZE",
    "bucketId": "acme-media",
    "objectId": "jobs/Queued/job-1.json",
    "objectGeneration": "1587627537231057",
    "payloadFormat": "JSON_API_V1",
}
JOB = {"jobId": "job-1", "requestId": "r-1", "status": "Queued"}


def typed(content_type: bytes) -> Headers:
    return [(b"host", b"worker.example"), (b"content-type", content_type)]


def event(**changes: Any) -> bytes:
    """An event in structured mode; what is changed to an ellipsis is left out."""
    members = {**ATTRIBUTES, "data": RESOURCE, **changes}
    return json.dumps({name: value for name, value in members.items() if value is not ...}).encode()


def headers(*more: tuple[bytes, bytes], without: str = "", **changes: str) -> Headers:
    """The headers of an event in binary mode."""
    said = {name: value for name, value in {**ATTRIBUTES, **changes}.items() if name != without}
    return [
        (b"content-type", b"application/json"),
        *((f"ce-{name}".encode(), value.encode()) for name, value in said.items()),
        *more,
    ]


def pushed(data: Any = None, attributes: Any = None, *, around: Any = None, **message: Any) -> bytes:
    """A push; data that is not yet text is encoded as Pub/Sub does."""
    if not isinstance(data, str | None):
        data = b64encode(data if isinstance(data, bytes) else json.dumps(data).encode()).decode()
    inside = {
        "data": data,
        "attributes": attributes,
        "messageId": "136969346945",
        "message_id": "136969346945",
        "publishTime": "2020-04-23T07:38:58.5Z",
        **message,
    }
    kept = {name: value for name, value in inside.items() if value is not None}
    envelope = {"message": kept, "subscription": "projects/acme/subscriptions/work", **(around or {})}
    return json.dumps(envelope).encode()
