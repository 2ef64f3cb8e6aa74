"""Events that the package of the CloudEvents project makes are read as they were meant."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from cloudevents.core.bindings import http
from cloudevents.core.v1.event import CloudEvent as Made
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.events.post import BATCHED, RESOURCE, typed

from windrow.events.binary import binary
from windrow.events.cloudevent import CloudEvent, is_text
from windrow.events.envelope import read
from windrow.events.headers import Headers
from windrow.events.letters import Finalized
from windrow.events.media_type import MediaType
from windrow.events.structured import structured

ONE = MediaType("application/cloudevents+json")

TEXT = st.text(min_size=1, max_size=20).filter(is_text)
NAMES = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789"), min_size=1, max_size=20).map(
    lambda name: f"x{name}"[:20]
)
ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2100, 1, 1), timezones=ZONES)  # noqa: DTZ001
DATA = st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text() | st.lists(st.booleans()), max_size=4)
ATTRIBUTES = st.fixed_dictionaries(
    {
        "specversion": st.just("1.0"),
        "id": TEXT,
        "source": st.sampled_from(
            ["/a", "//storage.googleapis.com/projects/_/buckets/acme", "urn:a:b", "https://a.b/?c#d"]
        ),
        "type": TEXT,
        "time": TIMES,
        "datacontenttype": st.sampled_from(["application/json", "application/vnd.a+json"]),
    },
    optional={"subject": TEXT, "dataschema": st.just("https://example.com/schema")},
)


def meant(attributes: dict[str, Any], extensions: dict[str, Any], data: Any) -> CloudEvent:
    return CloudEvent(**attributes, data=data, extensions=extensions)


def sent(message: http.HTTPMessage) -> Headers:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in message.headers.items()]


@pytest.mark.req("EV-1")
@settings(max_examples=60, deadline=None)
@given(ATTRIBUTES, st.dictionaries(NAMES, TEXT, max_size=3), DATA)
def test_what_it_makes_in_either_mode_is_read_as_the_same(
    attributes: dict[str, Any], extensions: dict[str, str], data: dict[str, Any]
) -> None:
    made = Made({**attributes, **extensions}, data)
    whole, split = http.to_structured_event(made), http.to_binary_event(made)

    assert structured(whole.body, ONE) == meant(attributes, extensions, data)
    assert binary(sent(split), split.body) == meant(attributes, extensions, data)


@pytest.mark.parametrize(("kind", "data"), [("image/png", b"\x89PNG\x00\xff"), ("text/xml", b"<a>\xc3\xbc</a>")])
def test_bytes_come_back_in_either_mode(kind: str, data: bytes) -> None:
    made = Made({"type": "a.b", "source": "/a", "datacontenttype": kind}, data)
    split = http.to_binary_event(made)

    assert structured(http.to_structured_event(made).body, ONE).data == data
    assert binary(sent(split), split.body).data == data


@pytest.mark.req("EV-1")
def test_a_finalized_object_is_told_of_in_all_three_modes() -> None:
    made = Made(
        {
            "id": "e-1",
            "type": "google.cloud.storage.object.v1.finalized",
            "source": "//storage.googleapis.com/projects/_/buckets/acme-media",
            "subject": "objects/jobs/Queued/job-1.json",
            "time": datetime(2026, 1, 31, tzinfo=UTC),
            "datacontenttype": "application/json",
        },
        RESOURCE,
    )
    whole, split = http.to_structured_event(made), http.to_binary_event(made)

    found = {
        *read(sent(whole), whole.body).letters,
        *read(sent(split), split.body).letters,
        *read(typed(BATCHED), b"[" + whole.body + b"]").letters,
    }

    assert found == {Finalized("acme-media", "jobs/Queued/job-1.json", 1587627537231057, "e-1")}
