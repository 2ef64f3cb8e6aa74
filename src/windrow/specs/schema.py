"""The published JSON Schema of a spec file, for editors and for tools that are not ours."""

from typing import Any

from pydantic.json_schema import models_json_schema

from windrow.specs.entries import Entry
from windrow.specs.specs import SECTIONS


def schema() -> dict[str, Any]:
    """A file holds any of the sections; a section is a mapping from names to entries."""
    models: list[tuple[type[Entry], Any]] = [(model, "validation") for model, _ in SECTIONS.values()]
    _, definitions = models_json_schema(models)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A spec file of Windrow",
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {section: _section(model, grammar) for section, (model, grammar) in SECTIONS.items()},
        "$defs": definitions["$defs"],
    }


def _section(model: type[Entry], grammar: str) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": grammar},
        "additionalProperties": {"$ref": f"#/$defs/{model.__name__}"},
    }
