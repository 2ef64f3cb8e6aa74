"""From what an endpoint's author gives to a connector's typed configuration: every fault at once, and no value repeated."""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from windrow.connectors.connector import Connector
from windrow.connectors.describe import Field, fields
from windrow.contracts.errors import ValidationFailure
from windrow.telemetry.redaction import redact, secret_by_name


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: with which field, and in words. `field` is empty where it is the whole."""

    field: str
    wrong: str
    # the field as a way through the configuration, for whoever knows on which line each part stands
    place: tuple[str | int, ...] = dataclass_field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.field} {self.wrong}" if self.field else self.wrong.removeprefix("is refused: ")


def configured(connector: type[Connector[Any]], raw: Mapping[str, Any]) -> BaseModel:
    """The configuration as the connector's model, or one refusal that names everything that is wrong with it."""
    try:
        return connector.spec.config.model_validate(raw)
    except ValidationError as error:
        told = _told(connector, error)
    # out here, so that nothing is chained: the library's error carries the values
    raise refusal(connector, told)


def faults(connector: type[Connector[Any]], raw: Mapping[str, Any]) -> list[Fault]:
    """Everything that is wrong with a configuration, by field: for a form."""
    try:
        connector.spec.config.model_validate(raw)
    except ValidationError as error:
        return _told(connector, error)
    return []


def parse_pairs(
    connector: type[Connector[Any]], pairs: Iterable[str], *, over: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A configuration from words of a command line, as an endpoint keeps it: JSON, typed by the model.

    `NAME=TEXT` for plain values; a list by repeating it or with commas. `NAME:=JSON` for all else. With `over`, the pairs
    change that configuration instead of beginning with an empty one.
    """
    known = {field.name: field for field in fields(connector)}
    given, wrong = _gathered(pairs, known)
    for name in connector.spec.path_fields:
        if isinstance(path := given.get(name), str) and path:
            # as a shell means it; workers elsewhere have another directory to begin from
            given[name] = str(Path(path).expanduser().absolute())
    raw = {**(over or {}), **given}
    missing = [each for each in faults(connector, raw) if each.field.split(".")[0] not in {bad.field for bad in wrong}]
    if wrong or missing:
        raise refusal(connector, [*wrong, *missing])
    typed: dict[str, Any] = configured(connector, raw).model_dump(mode="json", exclude_unset=True, by_alias=True)
    return typed


def refusal(connector: type[Connector[Any]], told: Iterable[Fault]) -> ValidationFailure:
    """The one error for a configuration with faults."""
    name = connector.spec.name
    return ValidationFailure(
        f"the configuration of {name} is wrong: {'; '.join(map(str, told))}",
        hint=f"`windrow connectors show {name}` lists its fields",
    )


def _gathered(pairs: Iterable[str], known: Mapping[str, Field]) -> tuple[dict[str, Any], list[Fault]]:
    given: dict[str, Any] = {}
    wrong: list[Fault] = []
    for place, pair in enumerate(pairs, 1):
        name, value, fault = _parsed(place, pair, known)
        field = known.get(name)
        if fault:
            wrong.append(fault)
        elif name not in given:
            given[name] = value
        elif field and field.many and isinstance(given[name], list) and isinstance(value, list):
            given[name] = [*given[name], *value]
        else:
            wrong.append(Fault(name, "is given twice"))
    return given, wrong


def _parsed(place: int, pair: str, known: Mapping[str, Field]) -> tuple[str, Any, Fault | None]:
    name, separator, text = pair.partition("=")
    if not separator or not name.rstrip(":"):
        # not repeated: it may be a secret that lost its name to the shell
        return "", None, Fault("", f"word {place} is not NAME=VALUE or NAME:=JSON")
    if name.endswith(":"):
        return _from_json(name[:-1], text)
    field = known.get(name)
    if field and field.structured:
        return name, None, Fault(name, f"needs JSON: {name}:='{{…}}'")
    if field and field.many:
        return name, [part.strip() for part in text.split(",") if part.strip()], None
    return name, text, None


def _from_json(name: str, text: str) -> tuple[str, Any, Fault | None]:
    try:
        return name, json.loads(text), None
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        return name, None, Fault(name, f"is not JSON{where}")


def _told(connector: type[Connector[Any]], error: ValidationError) -> list[Fault]:
    return faults_of(connector.spec.config, error)


def faults_of(model: type[BaseModel], error: ValidationError) -> list[Fault]:
    """What a model's refusal comes to in our words."""
    return [_fault(each, model) for each in error.errors(include_url=False, include_context=False, include_input=False)]


def _fault(error: ErrorDetails, model: type[BaseModel]) -> Fault:
    place = error["loc"]
    named = ".".join(str(part) for part in place)
    match error["type"]:
        case "missing":
            return Fault(named, "is required", place)
        case "extra_forbidden":
            near = difflib.get_close_matches(str(place[-1]), _beside(model, place), 1)
            return Fault(named[:80], "is not known" + (f" (did you mean {near[0]}?)" if near else ""), place)
        case _:
            return Fault(named, _wrong(named, error["msg"]), place)


def _beside(model: type[BaseModel], place: tuple[str | int, ...]) -> list[str]:
    """The names that would have been known there."""
    for name in place[:-1]:
        inner = model.model_fields.get(str(name))
        model = (_model_in(inner.annotation) if inner else None) or model
    return [info.alias or each for each, info in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)


def _wrong(field: str, said: str) -> str:
    if secret_by_name(field):
        return "is not right (nothing of it is repeated here)"
    # the library's sentences go on from the field's name; a validator's own stand for themselves
    if said.startswith("Input "):
        return redact(said.removeprefix("Input "))
    own = said.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return f"is refused: {' '.join(redact(own).split())[:300]}"
