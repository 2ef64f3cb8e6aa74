"""The normalized item: what it holds, and what a field left out means."""

from datetime import UTC, datetime

import msgspec
import pytest

from windrow.contracts.identity import canonical
from windrow.contracts.item import Item, NormalizedItem, Provenance, Relation, item_schema, schema

LEAST = {"entity_type": "file", "external_id": "a", "display_name": "A"}


@pytest.mark.req("NI-1")
def test_the_contract_has_every_field_that_is_promised() -> None:
    promised = {
        "item_id",
        "tenant_id",
        "project_id",
        "endpoint_id",
        "source_system",
        "entity_type",
        "external_id",
        "display_name",
        "canonical_path",
        "url",
        "owners",
        "labels",
        "source_version",
        "source_created_at",
        "source_updated_at",
        "deleted",
        "attributes",
        "relations",
        "content_hash",
        "provenance",
    }
    of_provenance = [
        "source_system",
        "connector",
        "connector_version",
        "fetched_at",
        "spec_ref",
        "run_id",
        "observation",
    ]

    assert set(NormalizedItem.__struct_fields__) == promised
    assert set(Provenance.__struct_fields__) == set(of_provenance)
    assert set(Relation.__struct_fields__) == {"type", "target"}
    assert set(schema()["$defs"]["NormalizedItem"]["properties"]) == promised


@pytest.mark.req("NI-2")
def test_what_the_source_does_not_say_is_not_part_of_the_content() -> None:
    item = msgspec.convert(LEAST, Item)

    assert msgspec.json.decode(canonical(item)) == LEAST


@pytest.mark.req("NI-2")
def test_the_content_holds_nothing_of_who_asked_or_when() -> None:
    ours = {"item_id", "tenant_id", "project_id", "endpoint_id", "content_hash", "provenance", "source_system"}

    assert not ours & set(Item.__struct_fields__)


@pytest.mark.parametrize(
    "wrong",
    [
        {"entity_type": "File"},
        {"entity_type": ""},
        {"external_id": ""},
        {"external_id": "x" * 1025},
        {"display_name": ""},
        {"display_name": "x" * 1025},
        {"url": "x" * 4097},
        {"owners": ["x"] * 201},
        {"labels": [""]},
        {"source_version": "x" * 257},
        {"source_updated_at": "2026-01-31T12:00:00"},
        {"source_updated_at": "yesterday"},
        {"deleted": "no"},
        {"attributes": []},
        {"relations": [{"type": "parent"}]},
        {"relations": [{"type": "parent", "target": "x", "why": "?"}]},
        {"colour": "red"},
    ],
    ids=str,
)
def test_what_breaks_the_contract_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(LEAST | wrong, Item)


def test_a_full_item_comes_back_as_it_was() -> None:
    said = LEAST | {
        "canonical_path": "/a",
        "url": "https://example.org/a",
        "owners": ["ada"],
        "labels": ["x"],
        "source_version": "v1",
        "source_created_at": "2026-01-31T12:00:00Z",
        "deleted": True,
        "attributes": {"size": 1},
        "relations": [{"type": "parent", "target": "b"}],
    }

    item = msgspec.convert(said, Item)

    assert msgspec.json.decode(canonical(item)) == said
    assert item.source_created_at == datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_what_a_connector_gives_is_a_part_of_the_published_contract() -> None:
    given, published = item_schema()["$defs"]["Item"]["properties"], schema()["$defs"]["NormalizedItem"]["properties"]

    assert {name: published[name] for name in given} == given
