"""Every reason why a record does not keep the contract, from the JSON Schema that is drawn from the same model.

The schema is slow and thorough; the model is fast and stops at the first fault. Messages tell what is due, not what was
found: that may be anything, a secret too.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from windrow.contracts.item import item_schema
from windrow.contracts.quarantine import Reason, Why

if TYPE_CHECKING:
    import jsonschema

_MOST = 20


def reasons(record: Any, first: msgspec.ValidationError) -> list[Reason]:
    """All that is wrong with a record; what the model met first, where the schema sees nothing."""
    found = [
        Reason(why=Why.SCHEMA, path="/" + "/".join(map(str, fault.absolute_path)), message=message[:300])
        for fault in sorted(_validator().iter_errors(record), key=lambda fault: list(map(str, fault.absolute_path)))
        for message in _messages(fault)
    ]
    return found[:_MOST] or [Reason(why=Why.SCHEMA, path="", message=str(first)[:300])]


def _messages(fault: "jsonschema.ValidationError") -> Iterator[str]:
    due = fault.validator_value
    match fault.validator:
        case "required":
            # one fault a missing field: the message ends in words, the field is what it begins with
            yield f"{fault.message.split(' is a required')[0].strip(chr(39))} is missing"
        case "additionalProperties":
            known = set(fault.schema.get("properties", ()))
            for name in sorted(set(fault.instance) - known)[:_MOST]:
                yield f"{name[:80]} is no field of the contract: put it into attributes"
        case "anyOf":
            yield "should be " + " or ".join(_in_words(choice) for choice in due)
        case "type" | "format":
            yield f"should be a {due}"
        case "pattern":
            yield f"should match {due}"
        case "minLength" | "minItems":
            yield f"should have at least {due}"
        case "maxLength" | "maxItems":
            yield f"should have at most {due}"
        case _:
            yield f"breaks the rule {fault.validator}"


def _in_words(choice: dict[str, Any]) -> str:
    bounds = [f"at most {choice[name]} long" for name in ("maxLength", "maxItems") if name in choice]
    return " ".join([str(choice.get("format") or choice.get("type", "something else")), *bounds])


@cache
def _validator() -> "jsonschema.Draft202012Validator":
    import jsonschema  # takes a while to load, and most runs never refuse a record

    formats = jsonschema.FormatChecker(formats=())
    formats.checks("date-time", raises=ValueError)(_is_moment)
    return jsonschema.Draft202012Validator(item_schema(), format_checker=formats)


def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None
