"""The functions of the expression language: a handful, each of them small, none of which makes much out of little."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.retry_after import http_date

LONGEST_TEXT = 16 * 1024
_MOST_PARTS = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}


@dataclass(frozen=True, slots=True)
class Function:
    """What it does to a value. `each`: to every member of a list; `null`: also to what is not there."""

    does: Callable[..., Any]
    arguments: tuple[int, int] = (0, 0)
    each: bool = False
    null: bool = False

    def __call__(self, value: Any, *arguments: Any) -> Any:
        if self.each and isinstance(value, list):
            return [None if one is None else self.does(one, *arguments) for one in value]
        return None if value is None and not self.null else self.does(value, *arguments)


def refused(message: str) -> ValidationFailure:
    """The error for a value that an expression cannot be made of."""
    return ValidationFailure(message, code=Code.INVALID_VALUE)


def text(value: Any) -> str:
    """A scalar as a text; a list or a mapping is none."""
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, int | float):
        return str(value)
    raise refused("nothing is there where a text was due" if value is None else f"a {_kind(value)} is no text")


def _short(value: str) -> str:
    if len(value) > LONGEST_TEXT:
        raise refused(f"a text has more than {LONGEST_TEXT} characters")
    return value


def moment(value: Any, unit: Any = "s") -> datetime:
    """A time: ISO 8601, as HTTP writes it, or a number of seconds (`ms`, `us`) since 1970; UTC where none is said."""
    if isinstance(value, datetime):
        return value
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _EPOCH + timedelta(seconds=value * _UNITS[unit])
        written = text(value).strip()
        if written.lstrip("-").isdecimal() and len(written) > 8:
            return _EPOCH + timedelta(seconds=int(written[:20]) * _UNITS[unit])
        found = http_date(written) or datetime.fromisoformat(written)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, KeyError):
        raise refused(f"{str(value)[:40]!r} is no time") from None


def _join(value: Any, between: Any = ", ") -> str:
    if not isinstance(value, list):
        raise refused(f"a {_kind(value)} is no list to be joined")
    return _short(text(between).join(text(one) for one in value if one is not None))


def _split(value: Any, at: Any) -> list[str]:
    if not text(at):
        raise refused("a text is not split at nothing")
    return [part.strip() for part in text(value).split(text(at), _MOST_PARTS)]


def _sort(value: Any) -> list[Any]:
    return sorted((one for one in _list(value) if one is not None), key=text)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise refused(f"a {_kind(value)} is no list")
    return value


def _cut(value: Any, length: Any) -> str:
    if not isinstance(length, int) or length < 0:
        raise refused("cut takes how many characters are kept")
    # before it is found to be too long: that is what it is there for
    return value[:length] if isinstance(value, str) else text(value)[:length]


def _equals(value: Any, *others: Any) -> bool:
    # to Python true is 1, to nobody else
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in others)


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise refused(f"a {_kind(value)} is neither true nor false")
    return not value


def _kind(value: Any) -> str:
    return {dict: "mapping", list: "list", str: "text", bool: "yes or no"}.get(type(value), type(value).__name__)


FUNCTIONS = {
    "default": Function(lambda value, other: other if value is None else value, (1, 1), null=True),
    "exists": Function(lambda value: value is not None, null=True),
    "equals": Function(_equals, (1, 8), null=True),
    "not": Function(_not),
    "text": Function(text, each=True),
    "lower": Function(lambda value: text(value).lower(), each=True),
    "upper": Function(lambda value: text(value).upper(), each=True),
    "trim": Function(lambda value: text(value).strip(), each=True),
    "cut": Function(_cut, (1, 1), each=True),
    "split": Function(_split, (1, 1)),
    "join": Function(_join, (0, 1)),
    "first": Function(lambda value: next(iter(_list(value)), None)),
    "last": Function(lambda value: next(reversed(_list(value)), None)),
    "count": Function(lambda value: len(_list(value))),
    "sort": Function(_sort),
    "date": Function(moment, (0, 1), each=True),
    "day": Function(lambda value: moment(value).date().isoformat(), each=True),
    "seconds": Function(lambda value: int((moment(value) - _EPOCH).total_seconds()), each=True),
    "millis": Function(lambda value: int((moment(value) - _EPOCH).total_seconds() * 1000), each=True),
}
