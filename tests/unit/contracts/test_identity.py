"""Names that follow from what they name."""

import json
import random
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.identity import TOMBSTONE_HASH, Identity, batch_id, canonical, content_hash
from windrow.contracts.scope import Scope

ACME = Scope("acme", "main")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same, with the names of every object in another order."""
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: shuffled(value[name], chance) for name in names}
    return [shuffled(part, chance) for part in value] if isinstance(value, list) else value


@pytest.mark.req("NI-1")
@given(st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable()))
def test_an_item_has_the_same_id_on_every_machine_at_any_time(external_id: str) -> None:
    found = Identity(ACME, "shop").item_id(external_id)

    assert found == Identity(Scope("acme", "main"), "shop").item_id(external_id)
    assert uuid.UUID(found).version == 8
    assert uuid.UUID(found).variant == uuid.RFC_4122
    assert str(uuid.UUID(found)) == found


@pytest.mark.req("NI-1")
def test_an_id_is_the_same_in_every_version_of_this_program() -> None:
    assert Identity(ACME, "shop").item_id("thing 1") == "c0c5ceb8-b0cd-860b-a5d9-1e82f6385eb5"


@pytest.mark.req("NI-1")
def test_tenant_project_endpoint_and_external_id_each_make_another_item() -> None:
    named = [
        Identity(ACME, "shop").item_id("thing"),
        Identity(Scope("other", "main"), "shop").item_id("thing"),
        Identity(Scope("acme", "other"), "shop").item_id("thing"),
        Identity(ACME, "store").item_id("thing"),
        Identity(ACME, "shop").item_id("Thing"),
    ]

    assert len(set(named)) == len(named)


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from("/|:"))
def test_no_external_id_can_pass_for_another_endpoints(left: str, right: str, between: str) -> None:
    one = Identity(Scope("acme", "main"), "shop").item_id(f"{left}{between}{right}")

    assert one != Identity(Scope("acme", "main"), "shop.x").item_id(f"{left}{between}{right}")


@pytest.mark.req("NI-2")
@given(JSON, st.randoms(use_true_random=False))
def test_a_hash_does_not_depend_on_the_order_of_names(value: Any, chance: random.Random) -> None:
    assert content_hash(canonical(value)) == content_hash(canonical(shuffled(value, chance)))


@pytest.mark.req("NI-2")
@given(JSON, JSON)
def test_other_content_has_another_hash(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

    assert (content_hash(canonical(one)) == content_hash(canonical(other))) is same


def test_no_content_hashes_like_a_tombstone() -> None:
    assert len(content_hash(b"{}")) == len(TOMBSTONE_HASH)
    assert content_hash(b"{}") != TOMBSTONE_HASH


@pytest.mark.req("HV-50")
def test_the_same_page_from_the_same_cursor_has_the_same_label_and_any_other_has_not() -> None:
    label = batch_id("shop", "live", {"b": 2, "a": 1}, ["h1", "h2"])

    assert label == batch_id("shop", "live", {"a": 1, "b": 2}, ["h1", "h2"])
    others = [
        batch_id("store", "live", {"a": 1, "b": 2}, ["h1", "h2"]),
        batch_id("shop", "events", {"a": 1, "b": 2}, ["h1", "h2"]),
        batch_id("shop", "live", {"a": 1, "b": 3}, ["h1", "h2"]),
        batch_id("shop", "live", {"a": 1, "b": 2}, ["h2", "h1"]),
        batch_id("shop", "live", {"a": 1, "b": 2}, ["h1"]),
    ]
    assert len({label, *others}) == 6
