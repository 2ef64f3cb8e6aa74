"""What a source says, as lines that people read: what is nested by its path, what is long folded, links only where safe."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

MOST_LINES = 200
LONG, LONGEST = 160, 20_000
# lists of things that are no longer stand in one line
_SHORT = 48


@dataclass(frozen=True, slots=True)
class Said:
    """A value as text. What is `long` is folded, with its beginning to be seen; `link` is where it leads, if it does."""

    text: str
    link: str | None = None
    is_nothing: bool = False

    @property
    def long(self) -> bool:
        return len(self.text) > LONG or "\n" in self.text

    @property
    def beginning(self) -> str:
        return " ".join(self.text[:LONG].split()) + " …"


@dataclass(frozen=True, slots=True)
class Lines:
    """Names and values, and how many more there are."""

    pairs: tuple[tuple[str, Said], ...]
    more: int


def outward(address: str | None) -> str | None:
    """The address, if a browser may be sent there: `javascript:` and the like stay text."""
    if address is None or any(ord(char) <= 0x20 for char in address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.hostname else None


def lines(attributes: Mapping[str, Any]) -> Lines:
    """Every value of the attributes by its path, as `author.name` or `files.0`."""
    found = list(_spread("", attributes))
    shown = tuple((path, said(value)) for path, value in found[:MOST_LINES])
    return Lines(shown, len(found) - len(shown))


def said(value: Any, *, longest: int = LONGEST) -> Said:
    """One value."""
    if value is None:
        return Said("nothing", is_nothing=True)
    text = _text(value)
    if not text.strip():
        return Said("empty", is_nothing=True)
    return Said(_cut(text, longest), outward(text) if isinstance(value, str) else None)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and _are_plain(value):
        return ", ".join(map(str, value))
    if isinstance(value, list | dict):
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() if value else ""
    return str(value)


def _spread(within: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name in sorted(value):
            yield from _spread(f"{within}.{name}" if within else name or "(no name)", value[name])
    elif isinstance(value, list) and value and not _is_one_line(value):
        for number, each in enumerate(value):
            yield from _spread(f"{within}.{number}", each)
    elif within:
        yield within, value


def _is_one_line(value: list[Any]) -> bool:
    return _are_plain(value) and all(len(str(each)) <= _SHORT for each in value)


def _are_plain(values: list[Any]) -> bool:
    return all(isinstance(each, str | int | float) for each in values)


def _cut(text: str, longest: int) -> str:
    left_out = len(text) - longest
    return text if left_out <= 0 else f"{text[:longest]} … and {left_out} characters more"
