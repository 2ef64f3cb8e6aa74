"""A page's items become rows, or are refused with every reason; whatever they are, nothing else comes of them."""

import base64
import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.harvest.records import ANYTHING, RECORDS

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.identity import TOMBSTONE_HASH, Identity, content_hash
from windrow.contracts.item import Item, Relation
from windrow.contracts.page import Refused, Transformed
from windrow.contracts.quarantine import Reason, Why
from windrow.contracts.scope import Scope
from windrow.harvest.refine import Refined, refine

IDENTITY = Identity(Scope("acme", "main"), "shop")
LEAST = {"entity_type": "thing", "external_id": "a", "display_name": "A"}


def refined(*items: Any, refused: tuple[Refused, ...] = ()) -> Refined:
    return refine(Transformed(items=items, places=range(len(items)), refused=refused), IDENTITY)


def row(item: Any) -> dict[str, Any]:
    """The one row that the item becomes."""
    (found,) = refined(item).rows
    return msgspec.json.decode(found)


def reasons(item: Any) -> list[Reason]:
    """Why the item is refused."""
    found = refined(item)
    assert found.rows == []
    (refused,) = found.refused
    return list(refused.reasons)


@pytest.mark.req("NI-1")
def test_a_row_is_the_item_with_its_id_and_its_hash() -> None:
    found = row(LEAST)

    assert found == LEAST | {
        "item_id": IDENTITY.item_id("a"),
        "content_hash": content_hash(json.dumps(LEAST, sort_keys=True, separators=(",", ":")).encode()),
    }


def test_an_item_and_the_same_as_a_mapping_become_the_same_row() -> None:
    item = Item(**LEAST, labels=("b", "a"), source_created_at=datetime(2026, 1, 1, tzinfo=UTC))
    mapping = LEAST | {"labels": ["b", "a"], "source_created_at": "2026-01-01T00:00:00Z"}

    assert refined(item).rows == refined(mapping).rows


@pytest.mark.req("NI-2")
@pytest.mark.parametrize(
    "other",
    [
        {"labels": ["b", "a", "b"]},
        {"relations": [{"target": "y", "type": "near"}, {"type": "near", "target": "x"}]},
        {"attributes": {"b": [1, 2], "a": {"d": 1, "c": 2}}},
        {"source_updated_at": "2026-01-01T02:00:00+02:00"},
    ],
    ids=lambda said: next(iter(said)),
)
def test_the_same_said_in_another_order_or_another_zone_is_the_same_content(other: dict[str, Any]) -> None:
    said = {
        "labels": ["a", "b"],
        "relations": [{"type": "near", "target": "x"}, {"type": "near", "target": "y"}],
        "attributes": {"a": {"c": 2, "d": 1}, "b": [1, 2]},
        "source_updated_at": "2026-01-01T00:00:00Z",
    }

    assert refined(LEAST | said).hashes == refined(LEAST | said | other).hashes


@pytest.mark.req("NI-2")
def test_the_order_of_owners_and_of_lists_is_the_sources_word() -> None:
    assert refined(LEAST | {"owners": ["a", "b"]}).hashes != refined(LEAST | {"owners": ["b", "a"]}).hashes
    assert (
        refined(LEAST | {"attributes": {"x": [1, 2]}}).hashes != refined(LEAST | {"attributes": {"x": [2, 1]}}).hashes
    )


def test_an_item_that_comes_twice_counts_as_it_came_last() -> None:
    found = refined(LEAST | {"display_name": "first"}, LEAST | {"external_id": "b"}, LEAST | {"display_name": "last"})

    assert [msgspec.json.decode(each)["display_name"] for each in found.rows] == ["A", "last"]
    assert found.repeats == 1


def test_a_tombstone_is_known_as_one_whatever_else_it_says() -> None:
    found = refined(LEAST | {"deleted": True}, LEAST | {"external_id": "b", "deleted": True, "labels": ["x"]})

    assert found.hashes == [TOMBSTONE_HASH, TOMBSTONE_HASH]
    assert found.tombstones == 2


def test_a_relation_names_its_target_by_id() -> None:
    found = row(Item(**LEAST, relations=(Relation(type="near", target="z"), Relation(type="in", target="b"))))

    assert found["relations"] == [{"type": "in", "target": "b"}, {"type": "near", "target": "z"}]
    assert found["targets"] == [IDENTITY.item_id("b"), IDENTITY.item_id("z")]


@pytest.mark.req("HV-44", "HV-61")
def test_a_record_that_breaks_the_contract_stays_behind_and_the_others_go_on() -> None:
    found = refined(LEAST, {"external_id": "bad"}, LEAST | {"external_id": "c"})

    assert len(found.rows) == 2
    (refused,) = found.refused
    assert (refused.index, refused.external_id) == (1, "bad")


@pytest.mark.req("HV-44")
def test_every_reason_is_told_and_not_only_the_first() -> None:
    said = reasons({"external_id": "", "labels": [""], "colour": "red", "source_created_at": "yesterday"})

    assert {(reason.why, reason.path) for reason in said} == {
        (Why.SCHEMA, path) for path in ("/", "/external_id", "/labels/0", "/source_created_at")
    }
    messages = " ".join(reason.message for reason in said)
    assert all(word in messages for word in ("entity_type is missing", "display_name is missing", "colour is no field"))


def test_a_reason_does_not_repeat_what_was_found() -> None:
    said = reasons(LEAST | {"deleted": "hunter2-canary", "source_version": ["hunter2-canary"]})

    assert "hunter2-canary" not in repr(said)


@pytest.mark.req("NI-4")
@pytest.mark.parametrize(
    "content",
    [
        b"x" * 5000,
        base64.b64encode(b"\x89PNG" * 2000).decode(),
        "data:image/png;base64," + "A" * 5000,
        "a long read. " * 3000,
    ],
    ids=["bytes", "base64", "data-url", "text"],
)
def test_content_where_metadata_is_due_is_refused_with_the_way_to_upload_it(content: Any) -> None:
    (reason,) = reasons(LEAST | {"attributes": {"inner": {"body": content}}})

    assert (reason.why, reason.path) == (Why.RAW_BLOB, "/attributes/inner/body")
    assert "windrow blobs upload" in reason.message


@pytest.mark.req("NI-4")
def test_an_item_or_attributes_beyond_their_size_are_refused() -> None:
    many = {f"k{number:04}": "x y" * 10 for number in range(2500)}
    wide = {
        "owners": [f"{number:03} {'ö' * 250}" for number in range(200)],
        "relations": [{"type": "near", "target": f"{number} {'ö' * 900}"} for number in range(150)],
    }

    assert [(reason.why, reason.path) for reason in reasons(LEAST | {"attributes": many})] == [
        (Why.TOO_LARGE, "/attributes")
    ]
    assert [(reason.why, reason.path) for reason in reasons(LEAST | wide)] == [(Why.TOO_LARGE, "")]


@pytest.mark.req("NI-5")
def test_what_is_harmless_is_mended() -> None:
    found = row(LEAST | {"display_name": "a\0b\ud800c", "attributes": {"n\0": math.nan, "i": -math.inf, "t": "\udfff"}})

    assert found["display_name"] == "a\ufffdb\ufffdc"
    assert found["attributes"] == {"n\ufffd": None, "i": None, "t": "\ufffd"}


@pytest.mark.req("NI-5")
@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"external_id": "a\0"}, "/external_id"),
        ({"external_id": "\ud800"}, "/external_id"),
        ({"attributes": {"n": 2**63}}, "/attributes/n"),
        ({"attributes": {"n": [-(2**63) - 1]}}, "/attributes/n/0"),
        pytest.param({"attributes": {"n": 10**400}}, "/attributes/n", id="huge"),
        ({"source_created_at": "9999-12-31T23:00:00-02:00"}, ""),
        ({"source_updated_at": "0001-01-01T01:00:00+02:00"}, ""),
        pytest.param({"attributes": {"n": object()}}, "", id="object"),
        ({"attributes": {"n": {1: 2}}}, "/attributes"),
    ],
    ids=str,
)
def test_what_would_come_back_as_something_else_is_refused(said: dict[str, Any], path: str) -> None:
    (reason,) = reasons(LEAST | said)

    assert (reason.why, reason.path) == (Why.NOT_STORABLE, path)


@pytest.mark.req("NI-5")
@pytest.mark.parametrize(
    "said", [{"n": 2**63 - 1}, {"n": -(2**63)}, {"n": "1" * 30}, {"n": 0.1234567890123456789}], ids=str
)
def test_what_only_looks_like_it_is_not(said: dict[str, Any]) -> None:
    assert row(LEAST | {"attributes": said})["attributes"] == said


@pytest.mark.req("NI-5")
def test_a_zone_that_postgres_does_not_know_is_told_in_utc() -> None:
    far = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=23)))

    assert row(LEAST | {"source_created_at": far})["source_created_at"] == "2025-12-31T01:00:00Z"


@pytest.mark.req("NI-5")
@pytest.mark.parametrize("depth", [17, 100, 10_000])
@pytest.mark.parametrize(
    "wrap",
    [lambda inner: {"x": inner}, lambda inner: [inner], lambda inner: {"x": [inner]}],
    ids=["objects", "lists", "both"],
)
def test_what_is_nested_too_deeply_is_refused(depth: int, wrap: Any) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = wrap(deep)

    assert [reason.why for reason in reasons(LEAST | {"attributes": {"deep": deep}})] == [Why.TOO_DEEP]


def test_whether_an_item_is_refused_does_not_depend_on_its_neighbours() -> None:
    blob = LEAST | {"external_id": "blob", "attributes": {"x": "A" * 3900}}
    odd = LEAST | {"external_id": "odd", "display_name": "a\0"}

    alone, together = refined(blob), refined(odd, blob)

    assert alone.rows == together.rows[1:]


def test_items_and_places_that_do_not_match_end_the_run() -> None:
    with pytest.raises(ValidationFailure, match="2 items for 1 places"):
        refine(Transformed(items=[LEAST, LEAST], places=[0]), IDENTITY)


def test_what_a_connector_refuses_itself_is_kept_with_a_reason_and_a_name_that_can_be_stored() -> None:
    own = (Refused(index=0, reasons=(), external_id="a\0"), Refused(index=1, reasons=(), external_id="b"))

    found = refined(refused=own)

    assert [refused.external_id for refused in found.refused] == [None, "b"]
    assert all(refused.reasons for refused in found.refused)


@settings(max_examples=200)
@given(st.lists(RECORDS | ANYTHING, max_size=4))
def test_anything_ends_as_a_row_or_a_refusal_or_a_repeat(items: list[Any]) -> None:
    found = refined(*items)

    assert len(found.rows) + found.repeats + len(found.refused) == len(items)
    assert len(found.rows) == len(found.item_ids) == len(found.hashes)
    for each in found.rows:
        decoded = msgspec.json.decode(each)
        assert decoded["item_id"] in found.item_ids
        assert b"\\u0000" not in each
    for refused in found.refused:
        assert refused.reasons
        assert all(reason.message for reason in refused.reasons)
