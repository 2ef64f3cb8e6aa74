"""Messages, read from whatever a tap writes."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.singer.lines import Line
from windrow.connectors.singer.messages import Bad, Batch, Message, Other, Record, Schema, State, parse


def read(text: str | bytes) -> Message | None:
    raw = text.encode() if isinstance(text, str) else text
    return parse(Line(raw, len(raw)))


def said(**message: Any) -> Message | None:
    return read(json.dumps(message))


def test_each_type_is_read() -> None:
    record = said(type="RECORD", stream="a", record={"id": 1}, time_extracted="2026-01-01T00:00:00Z", version=3)
    assert isinstance(record, Record)
    assert (record.stream, record.fields) == ("a", {"id": 1})
    assert said(type="STATE", value={"at": 1}) == State({"at": 1})
    assert said(type="SCHEMA", stream="a", schema={}, key_properties=["id"]) == Schema("a", ("id",))
    assert said(type="SCHEMA", stream="a", schema={}, key_properties="id", bookmark_properties="at") == Schema(
        "a", ("id",), ("at",)
    )
    assert said(type="BATCH", stream="a", encoding={}, manifest=[]) == Batch("a")
    assert said(type="ACTIVATE_VERSION", stream="a", version=1) == Other("ACTIVATE_VERSION")
    assert read(" \r") is None


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "{",
        '{"type": 7}',
        '{"type": "RECORD", "stream": "", "record": {}}',
        '{"type": "STATE", "value": []}',
        '{"type": "SCHEMA", "stream": "a", "schema": {}, "key_properties": [1]}',
        '{"type": "RECORD", "stream": "a", "record": {"n": NaN}}',
        '{"type": "RECORD", "stream": "a", "record": {"half": "\\ud800"}}',
        b"\xff\xfe",
        '{"type": "STATE", "value": {"a": ' + "[" * 70 + "]" * 70 + "}}",
    ],
)
def test_what_is_no_message_is_told_with_its_beginning(text: str | bytes) -> None:
    bad = read(text)

    assert isinstance(bad, Bad)
    assert bad.reason
    assert bad.size == len(text)


@settings(max_examples=100)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none()
            | st.booleans()
            | st.floats()
            | st.text(max_size=5)
            | st.sampled_from(["RECORD", "STATE", "SCHEMA"]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "stream", "record", "value", "schema", "key_properties"]), inner
                )
            ),
            max_leaves=12,
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_nothing_that_is_written_stops_the_reader(raw: bytes) -> None:
    assert isinstance(read(raw), Message | None)
