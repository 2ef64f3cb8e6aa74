"""The blanks of a form: one for each field of a connector's configuration, by the JSON schema of its model."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from msgspec import UNSET

from windrow.connectors import describe
from windrow.connectors.registry import AnyConnector

ROOT = "config"
# a longer text has several lines
_ONE_LINE = 4096
_MOST_TICKS = 24
# an object in an object in an object is written faster than it is filled in; a model that holds itself never ends
_DEEPEST = 3
_SPELLED = {"url": "URL", "id": "ID", "ca": "CA", "tls": "TLS", "api": "API"}

Schema = Mapping[str, Any]


class Kind(StrEnum):
    """How a blank is filled in."""

    TEXT = "text"
    LONG = "long"
    WHOLE = "whole"
    NUMBER = "number"
    DATE = "date"
    TICK = "tick"
    TICKS = "ticks"
    CHOICE = "choice"
    LINES = "lines"
    JSON = "json"
    GROUP = "group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """One of them. `default` is UNSET where there is none, and `members` are those of a group."""

    path: tuple[str, ...]
    kind: Kind
    label: str
    help: str = ""
    required: bool = False
    nullable: bool = False
    default: Any = UNSET
    choices: tuple[Any, ...] = ()
    members: tuple["Blank", ...] = ()
    # shown at once, though it may be left empty
    first: bool = False

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def key(self) -> str:
        return self.path[-1]

    @property
    def words(self) -> tuple[str, ...]:
        """What its choices are called."""
        return tuple(map(word, self.choices))


@cache
def blanks(connector: AnyConnector) -> tuple[Blank, ...]:
    """Those of a connector's configuration, in the order in which its author wrote them."""
    model = connector.spec.config
    fields = describe.fields(connector)  # what cannot be described is refused here, in words
    schema = model.model_json_schema()
    # where one of several has to be given, no single one is required: the model's own sentence names them
    named = set(re.findall(r"\w+", schema.get("description", "")))
    return tuple(
        _blank(
            (ROOT, field.name),
            schema.get("properties", {}).get(field.name, {}),
            schema,
            default=UNSET if field.required else field.default,
            help=field.help,
            required=field.required,
            first=field.required or field.name in named,
            bounds=field.kind.partition(", ")[2] if field.kind.startswith(("whole number", "number")) else "",
        )
        for field in fields
    )


def _blank(
    path: tuple[str, ...], part: Schema, schema: Schema, *, default: Any, bounds: str = "", **more: Any
) -> Blank:
    bare, nullable = _bare(part, schema)
    kind, choices = _kind(bare, schema, two_ways=not nullable and isinstance(default, bool))
    members: tuple[Blank, ...] = ()
    if kind is Kind.GROUP:
        members = _members(path, bare, schema)
        if not members or any(member.kind is Kind.JSON for member in members):
            kind, members = Kind.JSON, ()
    if bounds:
        more["help"] = f"{more['help']} ({bounds})"
    return Blank(
        path=path,
        kind=kind,
        label=label(path[-1]),
        nullable=nullable,
        default=default,
        choices=choices,
        members=members,
        **more,
    )


def _members(path: tuple[str, ...], part: Schema, schema: Schema) -> tuple[Blank, ...]:
    if len(path) >= _DEEPEST:
        return ()
    required = part.get("required", ())
    return tuple(
        _blank(
            (*path, name),
            inner,
            schema,
            default=inner.get("default", UNSET),
            help=inner.get("description", ""),
            required=name in required,
            first=True,
        )
        for name, inner in part["properties"].items()
    )


def _bare(part: Schema, schema: Schema) -> tuple[Schema, bool]:
    """A part without references, and without `or nothing`; whether it said that."""
    if "$ref" in part:
        return _bare(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    others = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
    if len(others) == 1:
        return _bare(others[0], schema)[0], len(part["anyOf"]) > 1
    return part, False


def _kind(part: Schema, schema: Schema, *, two_ways: bool) -> tuple[Kind, tuple[Any, ...]]:
    choices = tuple(part.get("enum", [part["const"]] if "const" in part else []))
    if choices:
        return Kind.CHOICE, choices
    match part.get("type"):
        case "boolean":
            return (Kind.TICK, ()) if two_ways else (Kind.CHOICE, (True, False))
        case "integer":
            return Kind.WHOLE, ()
        case "number":
            return Kind.NUMBER, ()
        case "string" if part.get("format") == "date":
            return Kind.DATE, ()
        case "string":
            return (Kind.LONG if part.get("maxLength", 0) > _ONE_LINE else Kind.TEXT), ()
        case "array":
            return _list(_bare(part.get("items", {}), schema))
        case "object" if part.get("properties"):
            return Kind.GROUP, ()
        case _:
            return Kind.JSON, ()


def _list(of: tuple[Schema, bool]) -> tuple[Kind, tuple[Any, ...]]:
    items, nullable = of
    choices = tuple(items.get("enum", ()))
    if choices and len(choices) <= _MOST_TICKS and all(isinstance(choice, str) for choice in choices):
        return Kind.TICKS, choices
    return (Kind.LINES if items.get("type") == "string" and not nullable else Kind.JSON), ()


def label(key: str) -> str:
    """A field's name as people read it."""
    words = [_SPELLED.get(word, word) for word in key.replace("_", " ").split()]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]]) if words else key


def word(choice: Any) -> str:
    """How a choice is called."""
    if isinstance(choice, bool):
        return "yes" if choice else "no"
    return choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False)
