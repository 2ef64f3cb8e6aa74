"""Drive items, whatever they hold, become records and items."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.conformance.contract import reasons
from windrow.connectors.onedrive import items, permissions, records
from windrow.contracts.errors import ValidationFailure

FACETS = [
    "name",
    "eTag",
    "createdDateTime",
    "lastModifiedDateTime",
    "createdBy",
    "lastModifiedBy",
    "webUrl",
    "parentReference",
    "fileSystemInfo",
    "root",
    "folder",
    "file",
    "size",
    "shared",
    "package",
    "remoteItem",
    "bundle",
    "malware",
    "deleted",
    "description",
    "user",
    "hashes",
    "mimeType",
    "id",
    "path",
]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FACETS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(FACETS), anything, max_size=10), st.text(min_size=1, max_size=20))
def test_whatever_an_item_holds_its_record_keeps_the_contract(raw: dict[str, Any], name: str) -> None:
    for record in (records.present("drive", "key", raw, ("a", name)), records.gone("drive", "key", raw)):
        back = json.loads(json.dumps(record))

        assert list(reasons(items.item(back))) == []


def test_of_things_that_come_twice_the_last_is_kept_in_its_place() -> None:
    last, nameless = records.latest([{"id": "a", "n": 1}, {"id": "b"}, {"id": "a", "n": 2}, {"id": ""}, None, 7])

    assert list(last.items()) == [("b", {"id": "b"}), ("a", {"id": "a", "n": 2})]
    assert nameless == 3


@pytest.mark.parametrize(
    ("facets", "kind"),
    [
        ({"file": {}}, "file"),
        ({"folder": {}}, "folder"),
        ({"root": {}}, "folder"),
        ({"package": {"type": "oneNote"}}, "package"),
        ({"folder": {}, "remoteItem": {"id": "x"}}, "shortcut"),
        ({"bundle": {}}, "bundle"),
        ({}, "file"),
    ],
)
def test_a_kind_is_told_by_the_facets(facets: dict[str, Any], kind: str) -> None:
    assert items.item(records.present("d", "k", facets, ())).entity_type == kind


@pytest.mark.parametrize("facet", [{}, {"state": "deleted"}, {"state": "softDeleted"}])
def test_a_deleted_facet_counts_though_it_is_empty(facet: dict[str, Any]) -> None:
    assert records.is_gone({"id": "a", "deleted": facet})
    assert not records.is_gone({"id": "a", "deleted": None})


def test_what_has_no_id_is_refused() -> None:
    with pytest.raises(ValidationFailure):
        items.item(records.nameless("d"))


def test_what_very_many_may_do_is_told_as_far_as_there_is_room() -> None:
    people = [{"user": {"email": f"{number}@{'x' * 200}.example"}} for number in range(90)]
    found = [{"roles": [f"role {number}"], "grantedToIdentitiesV2": people} for number in range(50)]

    told = permissions._told([*found, "no permission", {"roles": 5, "link": {"webUrl": "https://key"}}])
    item = items.item({**records.present("d", "k", {"shared": {"scope": "users"}}, ()), "permissions": told})

    assert list(reasons(item)) == []
    assert 0 < len(told) < 50
    assert told[0] == {"link": {}, "roles": []}


def test_long_names_and_broken_times_do_not_cost_the_item() -> None:
    raw = {"name": "x" * 5000, "createdDateTime": "0001-13-99", "eTag": "e" * 900, "webUrl": "https://x/" + "y" * 9000}

    item = items.item(records.present("d", "k", raw, ("p" * 9000,)))

    assert list(reasons(item)) == []
    assert (item.source_created_at, item.url) == (None, None)
