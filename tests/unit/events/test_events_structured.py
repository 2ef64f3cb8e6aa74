"""Events in structured mode and in batches, by the letter of CloudEvents 1.0 and its JSON format."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.unit.events.post import ATTRIBUTES, RESOURCE, event

from windrow.contracts.errors import Code
from windrow.events.cloudevent import MOST_ATTRIBUTES, CloudEvent
from windrow.events.letters import Malformed
from windrow.events.media_type import MediaType, media_type
from windrow.events.structured import MOST_EVENTS, batch, structured
from windrow.media.errors import DecodeMessageError

ONE = MediaType("application/cloudevents+json")
MANY = MediaType("application/cloudevents-batch+json")


@pytest.mark.req("EV-1")
def test_an_event_is_read_with_all_that_it_says() -> None:
    schema = "https://example.com/schema.json"

    found = structured(event(dataschema=schema, datacontenttype="application/json", traceparent="00-1", count=5), ONE)

    assert found == CloudEvent(
        id=ATTRIBUTES["id"],
        source=ATTRIBUTES["source"],
        type=ATTRIBUTES["type"],
        subject=ATTRIBUTES["subject"],
        time=datetime(2020, 4, 23, 7, 38, 57, 230_000, UTC),
        datacontenttype="application/json",
        dataschema=schema,
        data=RESOURCE,
        extensions={"traceparent": "00-1", "count": 5},
    )


@pytest.mark.parametrize("name", ["id", "source", "type", "specversion"])
@pytest.mark.parametrize("value", [..., None, "", 5, True, ["a"], {"a": 1}, " \n"])
def test_a_required_attribute_is_a_text_that_is_not_empty(name: str, value: Any) -> None:
    with pytest.raises(DecodeMessageError, match=name):
        structured(event(**{name: value}), ONE)


@pytest.mark.parametrize("name", ["subject", "time", "datacontenttype", "dataschema", "anextension"])
def test_null_is_as_good_as_not_said(name: str) -> None:
    assert structured(event(**{name: None}), ONE) == structured(event(**{name: ...}), ONE)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"specversion": "0.3"}, id="an earlier version"),
        pytest.param({"specversion": "1.0.2"}, id="a version that no event names"),
        pytest.param({"source": "not a uri"}, id="a source with blanks"),
        pytest.param({"source": "grün"}, id="a source that is not ASCII"),
        pytest.param({"dataschema": "/relative"}, id="a schema without a scheme"),
        pytest.param({"dataschema": ""}, id="an empty schema"),
        pytest.param({"subject": ""}, id="an empty subject"),
        pytest.param({"subject": "a\x00b"}, id="a subject with a NUL"),
        pytest.param({"subject": "a\u0085b"}, id="a subject with a control character of the second set"),
        pytest.param({"subject": "a\ufffeb"}, id="a subject with a code point that is no character"),
        pytest.param({"subject": "a\U0010ffffb"}, id="the last code point, which is no character"),
        pytest.param({"subject": "a\ud800b"}, id="a subject with half a character"),
        pytest.param({"time": "yesterday"}, id="a time in words"),
        pytest.param({"time": 1522949460}, id="a time as a number"),
        pytest.param({"time": ""}, id="an empty time"),
        pytest.param({"datacontenttype": "json"}, id="a content type that is none"),
        pytest.param({"anExtension": "x"}, id="a name with a capital"),
        pytest.param({"an_extension": "x"}, id="a name with an underscore"),
        pytest.param({"an-extension": None}, id="a bad name even of nothing"),
        pytest.param({"": "x"}, id="an empty name"),
        pytest.param({"größe": "x"}, id="a name that is not ASCII"),
        pytest.param({"anextension": 1.5}, id="a fraction"),
        pytest.param({"anextension": 5.0}, id="a whole number written as a fraction"),
        pytest.param({"anextension": 2**31}, id="a number beyond 32 bits"),
        pytest.param({"anextension": -(2**31) - 1}, id="a number below 32 bits"),
        pytest.param({"anextension": ["x"]}, id="a list"),
        pytest.param({"anextension": {"x": 1}}, id="an object"),
        pytest.param({"data_base64": "Zg=="}, id="data twice"),
        pytest.param({"data": None, "data_base64": "Zg=="}, id="data that is null, and data again"),
        pytest.param({"data": ..., "data_base64": "Zg"}, id="bad base64"),
        pytest.param({"data": ..., "data_base64": 5}, id="base64 that is a number"),
        pytest.param(
            {"data": ..., "data_base64": "Zg==", "datacontenttype": "a/json"}, id="JSON that is none in base64"
        ),
        pytest.param({"data": {"a": 1}, "datacontenttype": "text/xml"}, id="XML that is an object"),
        pytest.param({"data": "é", "datacontenttype": "text/plain; charset=latin1"}, id="text in another charset"),
        pytest.param({f"a{n}": n for n in range(MOST_ATTRIBUTES)}, id="hundreds of attributes"),
    ],
)
def test_what_breaks_the_specification_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(DecodeMessageError) as refused:
        structured(event(**changes), ONE)

    assert refused.value.hint


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"subject": "grün \U0001f600"}, id="any letter in a subject"),
        pytest.param({"anextension": ""}, id="an empty extension"),
        pytest.param({"averylongnameofanextension": "x"}, id="a name longer than advised"),
        pytest.param({"2fast": -(2**31)}, id="a name that begins with a digit, and the smallest number"),
        pytest.param({"database64": "x"}, id="an extension that is nearly data"),
        pytest.param({"datacontenttype": "APPLICATION/JSON; CharSet=UTF-8"}, id="a content type in capitals"),
        pytest.param({"data_base64": None}, id="base64 of nothing beside data"),
    ],
)
def test_what_the_specification_allows_is_read(changes: dict[str, Any]) -> None:
    assert structured(event(**changes), ONE).data == RESOURCE


@pytest.mark.parametrize(
    ("members", "data"),
    [
        pytest.param({"data": "text"}, "text", id="without a type, data is JSON, and a text is a text"),
        pytest.param({"data": '{"a": 1}', "datacontenttype": "a/json"}, '{"a": 1}', id="JSON in a text stays a text"),
        pytest.param({"data": 1.5, "datacontenttype": "application/vnd.x+json"}, 1.5, id="any JSON value"),
        pytest.param({"data": None}, None, id="null"),
        pytest.param({}, None, id="none"),
        pytest.param({"data": "<a/>", "datacontenttype": "text/xml"}, b"<a/>", id="what is not JSON is its bytes"),
        pytest.param({"data_base64": "eyJhIjogMX0="}, b'{"a": 1}', id="bytes without a type are bytes"),
        pytest.param({"data_base64": "/w==", "datacontenttype": "image/png"}, b"\xff", id="bytes of another type"),
        pytest.param({"data_base64": "eyJhIjogMX0=", "datacontenttype": "a/json"}, {"a": 1}, id="bytes that are JSON"),
    ],
)
def test_data_is_what_its_type_says(members: dict[str, Any], data: Any) -> None:
    found = structured(event(**{"data": ..., **members}), ONE).data

    assert found == data
    assert type(found) is type(data)


@pytest.mark.parametrize("body", [b"[]", b'"event"', b"null", b"5", b'{"a": 1, "a": 2}'])
def test_an_event_is_one_object(body: bytes) -> None:
    with pytest.raises(DecodeMessageError):
        structured(body, ONE)


@pytest.mark.parametrize(
    "content_type",
    [
        pytest.param("application/cloudevents+avro", id="a format we do not read"),
        pytest.param("application/cloudevents", id="no format at all"),
        pytest.param("application/cloudevents+json; charset=utf-16", id="another charset"),
        pytest.param("application/cloudevents+json; charset=iso-8859-1", id="an old charset"),
    ],
)
def test_only_json_in_utf8_is_read(content_type: str) -> None:
    with pytest.raises(DecodeMessageError) as refused:
        structured(event(), media_type(content_type))

    assert refused.value.code is Code.CONTENT_TYPE


@pytest.mark.req("EV-1")
def test_one_bad_event_does_not_spoil_the_others_of_its_batch() -> None:
    good = event().decode()
    bad = [
        event(id=...).decode(),
        '{"id": 1, "id": 2}',
        '{"n": NaN}',
        '"\\ud800"',
        "[" * 500 + "]" * 500,
        "[]",
        "null",
    ]

    found = batch(f"[{good}, {', '.join(bad)}, {good}]".encode(), MANY)

    assert [type(one) for one in found] == [CloudEvent, *[Malformed] * len(bad), CloudEvent]
    assert found[0] == found[-1] == structured(event(), ONE)


def test_a_batch_may_be_empty_and_is_a_list() -> None:
    assert batch(b"[]", MANY) == []
    with pytest.raises(DecodeMessageError, match="array"):
        batch(event(), MANY)


def test_a_batch_has_an_end() -> None:
    assert len(batch(json.dumps([1] * MOST_EVENTS).encode(), MANY)) == MOST_EVENTS
    with pytest.raises(DecodeMessageError) as refused:
        batch(json.dumps([1] * (MOST_EVENTS + 1)).encode(), MANY)
    assert refused.value.code is Code.TOO_LARGE
