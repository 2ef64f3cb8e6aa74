"""The published contract and the model are one: the JSON Schema file, its page, and what the validator takes."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from windrow.contracts.item import NormalizedItem, Provenance, Relation, item_schema, schema

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PUBLISHED = json.loads((REFERENCE / "normalized-item.schema.json").read_text())

ITEM: dict[str, Any] = {
    "item_id": "0" * 36,
    "tenant_id": "acme",
    "project_id": "main",
    "endpoint_id": "shelf",
    "source_system": "library",
    "entity_type": "book",
    "external_id": "7",
    "display_name": "Volume 7",
    "content_hash": "0" * 40,
    "provenance": {
        "source_system": "library",
        "connector": "shelves",
        "connector_version": "1.0.0",
        "fetched_at": "2026-01-31T12:00:00Z",
        "spec_ref": "connector.shelves@1.0.0",
        "run_id": "r1",
        "observation": 7,
    },
}


@pytest.mark.req("NI-3")
def test_the_published_schema_is_that_of_the_model() -> None:
    assert json.loads(json.dumps(schema())) == PUBLISHED, "draw it anew with `make docs`"


@pytest.mark.req("NI-3")
def test_the_page_tells_every_field_of_the_model_and_what_it_means() -> None:
    page = (REFERENCE / "normalized-item.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| `")]
    meanings = {cells[0].strip("`"): cells[-1] for cells in rows}

    fields = {name for model in (NormalizedItem, Provenance, Relation) for name in model.__struct_fields__}
    assert fields == meanings.keys()
    assert [name for name, meaning in meanings.items() if not meaning] == []


def test_the_published_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    Draft202012Validator.check_schema(item_schema())


def taken_by_the_schema(item: Any) -> bool:
    return bool(Draft202012Validator(PUBLISHED).is_valid(item))


def taken_by_the_model(item: Any) -> bool:
    try:
        msgspec.json.decode(json.dumps(item), type=NormalizedItem)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.req("NI-3")
@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({}, True),
        ({"url": None, "owners": ["ann"], "relations": [{"type": "parent", "target": "1"}]}, True),
        ({"attributes": {"any": [1, {"thing": None}]}, "deleted": True}, True),
        ({"external_id": ""}, False),
        ({"external_id": "x" * 1025}, False),
        ({"entity_type": "A Book"}, False),
        ({"owners": ["x" * 257]}, False),
        ({"labels": ["x"] * 201}, False),
        ({"relations": [{"type": "parent"}]}, False),
        ({"relations": [{"type": "parent", "target": "1", "why": "?"}]}, False),
        ({"attributes": []}, False),
        ({"deleted": "yes"}, False),
        ({"content": "the whole text"}, False),
        ({"content_hash": "short"}, False),
        ({"provenance": {}}, False),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_the_schema_takes_what_the_model_takes(changed: dict[str, Any], taken: bool) -> None:
    item = ITEM | changed

    assert (taken_by_the_schema(item), taken_by_the_model(item)) == (taken, taken)
