"""What a connector's configuration consists of, as data: the CLI's help, the console's form and the docs are drawn from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec, Deletes
from windrow.contracts.errors import Code, Fatal

_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no", "null": "nothing"}
_FORMATS = {
    "path": "path",
    "file-path": "path of a file",
    "directory-path": "path of a directory",
    "date-time": "time",
    "date": "date",
    "duration": "duration",
    "uri": "address",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a configuration. `kind` is its type in words; `many` takes a list, `structured` only JSON."""

    name: str
    kind: str
    required: bool
    default: Any = None
    help: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    structured: bool = False
    # names something on the machine that reads it, and so is the operator's to allow
    path: bool = False


def fields(connector: type[Connector[Any]]) -> list[Field]:
    """The fields of a connector's configuration, in the order in which its author wrote them."""
    spec = connector.spec
    schema = _schema(spec.config)
    return [_field(name, info, schema, spec.path_fields) for name, info in spec.config.model_fields.items()]


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    try:
        return model.model_json_schema()
    except PydanticUserError as error:
        raise Fatal(
            f"the configuration {model.__name__} cannot be described: {error.message}",
            code=Code.CONFIGURATION,
            hint="give its fields types that JSON has: text, numbers, yes or no, lists, enums, paths",
        ) from None


def _key(name: str, info: FieldInfo) -> str:
    """How the field is called from outside."""
    return info.validation_alias if isinstance(info.validation_alias, str) else info.alias or name


def _field(name: str, info: FieldInfo, schema: Mapping[str, Any], paths: tuple[str, ...]) -> Field:
    key = _key(name, info)
    part = _resolved(schema.get("properties", {}).get(key, {}), schema)
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return Field(
        name=key,
        kind=_kind(part, schema),
        required=info.is_required(),
        default=to_jsonable_python(default, fallback=str),
        help=" ".join((info.description or "").split()),
        choices=tuple(str(choice) for choice in part.get("enum", ())),
        many=part.get("type") == "array",
        structured=part.get("type") == "object",
        path=name in paths,
    )


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of the schema without the indirections: references followed, `or nothing` left out."""
    if "$ref" in part:
        return _resolved(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    others = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
    return _resolved(others[0], schema) if len(others) == 1 else part


def _kind(part: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "anyOf" in part:
        return " or ".join(_kind(_resolved(each, schema), schema) for each in part["anyOf"])
    if "enum" in part or "const" in part:
        return "one of " + ", ".join(str(each) for each in part.get("enum", [part.get("const")]))
    match part.get("type"):
        case "array":
            return f"list of {_kind(_resolved(part.get('items', {}), schema), schema)}"
        case "object":
            return "JSON object"
        case "string":
            return _FORMATS.get(str(part.get("format")), "text")
        case None:
            return "any JSON"
        case other:
            return _WORDS.get(str(other), str(other)) + _bounds(part)


def _bounds(part: Mapping[str, Any]) -> str:
    low, high = part.get("minimum"), part.get("maximum")
    above, below = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    said = [
        f"{low} to {high}" if low is not None and high is not None else "",
        f"{low} or more" if low is not None and high is None else "",
        f"{high} or less" if high is not None and low is None else "",
        f"above {above}" if above is not None else "",
        f"below {below}" if below is not None else "",
    ]
    told = ", ".join(filter(None, said))
    return f", {told}" if told else ""


def abilities(spec: ConnectorSpec) -> list[str]:
    """What a connector can do, in words."""
    can = spec.capabilities
    said = {
        "metadata": can.metadata,
        "preview": can.preview,
        "reads only what changed": can.incremental,
        "deletes are reported": can.deletes is Deletes.REPORTED,
        "deletes are found by listing": can.deletes is Deletes.LISTED,
    }
    return [words for words, has in said.items() if has]


def pages(spec: ConnectorSpec) -> str:
    """How large its pages may be."""
    sizes = spec.page_sizes
    fixed = ", not changed behind a cursor" if sizes.fixed else ""
    return f"{sizes.smallest} to {sizes.largest}, {sizes.standard} when nobody chooses{fixed}"


def credential(spec: ConnectorSpec) -> str:
    """Whether it takes a credential, and which."""
    return f"{spec.credential}. {spec.credential_help}".rstrip(". ") + ("." if spec.credential_help else "")
