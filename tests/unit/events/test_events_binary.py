"""Events in binary mode: headers by the letter of the HTTP binding of CloudEvents 1.0."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.events.post import RESOURCE, event, headers

from windrow.events.binary import binary, header_value
from windrow.events.cloudevent import is_text
from windrow.events.media_type import MediaType
from windrow.events.structured import structured
from windrow.media.errors import DecodeMessageError

BODY = json.dumps(RESOURCE).encode()


@pytest.mark.req("EV-1")
def test_the_same_event_is_the_same_value_in_either_mode() -> None:
    other = structured(
        event(datacontenttype="application/json", traceparent="00-1"), MediaType("application/cloudevents+json")
    )

    assert binary(headers(traceparent="00-1"), BODY) == other


def test_names_of_headers_have_no_case() -> None:
    shouted = [(name.upper(), value) for name, value in headers()]

    assert binary(shouted, BODY) == binary(headers(), BODY)


@pytest.mark.parametrize("name", ["id", "source", "type", "specversion"])
def test_a_required_header_is_there_and_not_empty(name: str) -> None:
    with pytest.raises(DecodeMessageError, match=name):
        binary(headers(without=name), BODY)
    with pytest.raises(DecodeMessageError, match=name):
        binary(headers(**{name: " "}), BODY)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param((b"ce-id", b"another"), id="an attribute twice"),
        pytest.param((b"CE-ID", b"1096434104173400"), id="an attribute twice, the same in capitals"),
        pytest.param((b"ce-datacontenttype", b"application/json"), id="a second word on the type of the data"),
        pytest.param((b"content-type", b"application/json"), id="two content types"),
        pytest.param((b"ce-data", b"x"), id="data among the headers"),
        pytest.param((b"ce-an-extension", b"x"), id="a name with a dash"),
        pytest.param((b"ce-an_extension", b"x"), id="a name with an underscore"),
        pytest.param((b"ce-", b"x"), id="no name"),
        pytest.param((b"ce-\xff", b"x"), id="a name that is not ASCII"),
        pytest.param((b"ce-x", b"gr\xc3\xbcn"), id="a value that is not ASCII"),
        pytest.param((b"ce-x", b"a\x00b"), id="a NUL"),
        pytest.param((b"ce-x", b"a%0Ab"), id="a line break behind a %"),
        pytest.param((b"ce-x", b"%EF%BF%BF"), id="a code point that is no character behind a %"),
    ],
)
def test_what_breaks_the_binding_is_refused(more: tuple[bytes, bytes]) -> None:
    with pytest.raises(DecodeMessageError) as refused:
        binary(headers(more), BODY)

    assert refused.value.hint


@pytest.mark.parametrize(
    ("content_type", "body", "data"),
    [
        pytest.param(b"application/json", b'{"a": 1}', {"a": 1}, id="JSON is read"),
        pytest.param(b"application/vnd.x+JSON; charset=UTF-8", b"1", 1, id="JSON of a kind is read"),
        pytest.param(b"application/json", b"", None, id="no body is no data"),
        pytest.param(b"application/json", b"null", None, id="null is null"),
        pytest.param(b"text/plain; charset=latin1", b"\xe9", b"\xe9", id="what is not JSON stays as it is"),
        pytest.param(b"application/octet-stream", b'{"a": 1}', b'{"a": 1}', id="bytes are not looked into"),
    ],
)
def test_the_body_is_the_data(content_type: bytes, body: bytes, data: Any) -> None:
    found = binary([(b"content-type", content_type), *headers()[1:]], body)

    assert found.data == data
    assert found.datacontenttype == content_type.decode()


def test_without_a_content_type_nothing_is_assumed() -> None:
    found = binary(headers()[1:], BODY)

    assert (found.datacontenttype, found.data) == (None, BODY)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [(b"application/json", b"{"), (b"application/json; charset=utf-16", b"{}"), (b"", b"{}"), (b"json", b"{}")],
)
def test_data_that_is_not_of_its_type_is_refused(content_type: bytes, body: bytes) -> None:
    with pytest.raises(DecodeMessageError):
        binary([(b"content-type", content_type), *headers()[1:]], body)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € \U0001f600"),
        (b"Euro%20%e2%82%ac", "Euro €"),
        (b"needless %41%42", "needless AB"),
        (b"%2525", "%25"),
        (b"%252e%252e", "%2e%2e"),
        (b" \tin blanks ", "in blanks"),
        (b'"quoted"', "quoted"),
        (b'"  kept  " and not', "  kept   and not"),
        (b'"a \\"quote\\" and \\\\"', 'a "quote" and \\'),
        (b"a\\backslash", "a\\backslash"),
        (b'"%22"', '"'),
        (b'""', ""),
        (b"", ""),
        (b"a+b", "a+b"),
    ],
)
def test_a_value_is_unquoted_and_then_read_once(value: bytes, text: str) -> None:
    assert header_value(value) == text


@pytest.mark.parametrize(
    "value",
    [
        b"%",
        b"%0",
        b"a%g0",
        b"%+1",
        b"%C0%A0",
        b"%E2%82",
        b"%E2x",
        b"%82",
        b"%ED%A0%80",
        b"%ED%A0%80%ED%B0%80",
        b"%F5%80%80%80",
        b'"not ended',
        b'not begun"',
        b'"escaped\\"',
        b'"\\',
        b"\xe2\x82\xac",
        b"a\rb",
    ],
)
def test_a_value_that_cannot_be_read_is_refused(value: bytes) -> None:
    with pytest.raises(DecodeMessageError):
        header_value(value)


@settings(max_examples=50, deadline=None)
@given(st.text().filter(is_text))
def test_any_text_comes_back_when_written_as_the_binding_says(text: str) -> None:
    assert header_value(quote(text, safe="").encode()) == text


@settings(max_examples=50, deadline=None)
@given(st.text().filter(is_text))
def test_any_text_of_ascii_comes_back_when_it_is_quoted_as_before(text: str) -> None:
    plain = "".join(char for char in text if char.isascii() and char != "%")
    quoted = plain.replace("\\", "\\\\").replace('"', '\\"')

    assert header_value(f'"{quoted}"'.encode()) == plain
