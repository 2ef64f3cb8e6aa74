"""Between a value of a configuration and the text that stands for it in a blank."""

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from windrow.console.pages.endpoints.form.blanks import Blank, Kind, word
from windrow.contracts.identity import canonical
from windrow.specs.document import parse

# what a browser gives back with its line ends; the others are one line
_LINED = frozenset({Kind.LONG, Kind.LINES, Kind.TICKS, Kind.JSON})
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[+-]?[0-9]{1,2})?", re.ASCII | re.IGNORECASE)
# deeper is no definition, and costs more to read
_DEEPEST = 16
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class NotJson(ValueError):
    """Where a text stops being JSON, or YAML, in words."""


def written(blank: Blank, value: Any) -> str:
    """The value as its blank shows it."""
    if value is UNSET or value is None:
        return ""
    if blank.kind in (Kind.LINES, Kind.TICKS) and isinstance(value, list | tuple):
        return "\n".join(str(each) for each in value)
    if blank.kind is Kind.JSON:
        return as_json(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return word(value)


def meant(blank: Blank, text: str) -> Any:
    """The value that a text stands for; UNSET where it says nothing. What is no such value is left to the model to refuse."""
    if blank.kind in (Kind.LINES, Kind.TICKS):
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        # a browser has no other order for what is ticked
        found = [choice for choice in blank.choices if choice in lines] if blank.kind is Kind.TICKS else lines
        return found or (None if blank.nullable else [])
    if not text:
        return None if blank.nullable else UNSET
    match blank.kind:
        case Kind.TICK:
            return text == word(True)
        case Kind.CHOICE:
            return next((choice for choice in blank.choices if word(choice) == text), text)
        case Kind.WHOLE:
            return int(text) if _WHOLE.fullmatch(text) else text
        case Kind.NUMBER:
            return float(text) if _NUMBER.fullmatch(text) else text
        case Kind.JSON:
            return structured(text)
        case _:
            return text


def shows(blank: Blank, value: Any) -> bool:
    """Whether its blank can show a value, so that what comes back from a browser is that value again."""
    text = written(blank, value)
    if "\0" in text or "\r" in text or text != text.strip() or ("\n" in text and blank.kind not in _LINED):
        return False
    if blank.kind is Kind.DATE and text and not _DATE.fullmatch(text):
        return False
    return value is UNSET or same(meant(blank, text), value)


def same(one: Any, other: Any) -> bool:
    """As JSON: true is not 1; but 24 is 24.0, which models make of it."""
    if one is UNSET or other is UNSET or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return canonical(one) == canonical(other)


def sent(text: str) -> str:
    """A text as it comes back: with the line ends of forms made our own, and nothing around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def from_json(text: str) -> Any:
    try:
        value = json.loads(text)
        canonical(value)  # finds what is JSON and can be kept nowhere: half a character, a number of a hundred digits
    except json.JSONDecodeError as error:
        raise NotJson(f"is not JSON: {error.msg.lower()}, in line {error.lineno} at character {error.colno}") from None
    except (ValueError, OverflowError, RecursionError):
        raise NotJson(
            "is no JSON that can be kept: it is too deep, or holds a number or a character that is none"
        ) from None
    return value


def structured(text: str) -> Any:
    """An object or a list, as JSON or as YAML: definitions are written down in YAML, and pasted from there."""
    if text.startswith(("{", "[", '"')):
        return from_json(text)
    document = parse("", text.encode(), deepest=_DEEPEST)
    if isinstance(document.value, dict | list) and not document.findings:
        return document.value
    if not document.findings:
        return from_json(text)
    first = document.findings[0]
    raise NotJson(f"is neither JSON nor YAML that is taken here: {first.reason}, in line {first.line}")


def ticked(blank: Blank, form: Mapping[str, str], name: str) -> str:
    """The choices that are ticked, a line each."""
    return "\n".join(choice for choice in blank.choices if form.get(f"{name}.{choice}"))
