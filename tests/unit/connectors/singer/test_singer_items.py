"""Records become items."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.conformance.contract import reasons
from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.items import VOLATILE, item, taken
from windrow.connectors.singer.messages import Record, Schema
from windrow.connectors.singer.naming import entity_type, external_id
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.item import Item

KEYS = ("id",)


def made(fields: dict[str, Any], keys: tuple[str, ...] = KEYS, stream: str = "Sales Orders", **config: Any) -> Item:
    rules = SingerConfig(tap="t", **config).rules_of
    return item(taken(Record(stream, fields, 1), Schema(stream, keys), VOLATILE), rules)


def test_what_is_usual_is_guessed() -> None:
    one = made(
        {
            "id": 7,
            "title": " An\norder ",
            "html_url": "https://shop.example/7",
            "created_at": "2026-01-01",
            "updated_at": "2026-01-02T03:04:05+02:00",
            "note": None,
            "_sdc_extracted_at": "2026-11-16T07:00:00Z",
        }
    )

    assert (one.entity_type, one.external_id, one.display_name) == ("sales_orders", "Sales Orders:7", "An order")
    assert one.url == "https://shop.example/7"
    assert one.source_created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert one.source_updated_at == datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)
    assert one.attributes.keys() == {"id", "title", "html_url", "created_at", "updated_at"}


def test_what_is_said_goes_before_what_is_guessed() -> None:
    rules = {
        "*": {"updated_at": "seen"},
        "Sales Orders": {"id": ["no", "line"], "name": "no", "fields": ["sum"], "entity_type": "order"},
    }

    one = made({"id": 7, "no": "A,1", "line": 2, "name": "x", "seen": "2026-01-02", "sum": 3}, rules=rules)

    assert (one.entity_type, one.external_id, one.display_name) == ("order", "Sales Orders:A%2C1,2", "A,1")
    assert one.source_updated_at == datetime(2026, 1, 2, tzinfo=UTC)
    assert one.attributes == {"sum": 3}


def test_a_record_that_the_source_has_deleted_is_a_tombstone() -> None:
    assert made({"id": 7, "_sdc_deleted_at": "2026-01-01T00:00:00Z"}).deleted
    assert not made({"id": 7, "_sdc_deleted_at": None}).deleted


def test_long_texts_are_excerpts() -> None:
    one = made({"id": 7, "body": "x" * 100_000, "parts": [{"text": "y" * 5000}]})

    assert len(one.attributes["body"]) == 2000
    assert len(one.attributes["parts"][0]["text"]) == 2000
    assert list(reasons(one)) == []


def test_a_record_of_a_stream_without_keys_is_known_by_what_it_says() -> None:
    first, again, other = (made(fields, ()) for fields in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2, "b": 2}))

    assert first.external_id == again.external_id != other.external_id


@pytest.mark.parametrize("value", [None, "", True, [1], {"a": 1}])
def test_a_record_that_has_no_name_is_refused(value: Any) -> None:
    with pytest.raises(ValidationFailure, match="which is to name it"):
        made({"id": value})


@settings(max_examples=100)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=6), st.text(min_size=1, max_size=6)), min_size=2, max_size=2))
def test_different_things_have_different_names(pair: list[tuple[str, str]]) -> None:
    """Of streams, and of keys within one; the separators are among the letters."""
    streams = [external_id(stream, ("id",), {"id": value}) for stream, value in pair]
    keys = [external_id("s", ("a", "b"), {"a": one, "b": two}) for one, two in pair]

    assert (streams[0] == streams[1]) == (pair[0] == pair[1]) == (keys[0] == keys[1])


@settings(max_examples=100)
@given(
    stream=st.text(min_size=1, max_size=200),
    value=st.text(min_size=1, max_size=3000) | st.integers() | st.floats(allow_nan=False),
)
def test_whatever_names_a_stream_or_a_record_keeps_the_contract(stream: str, value: Any) -> None:
    one = Item(entity_type=entity_type(stream), external_id=external_id(stream, KEYS, {"id": value}), display_name="x")

    assert [each for each in reasons(one) if "is no character" not in each] == []
