"""A sheet: what stands in the blanks of a form. Drawn from a configuration, read back into one.

What nobody touched stays as it was, to the letter: a sheet that comes back as it was drawn gives the same configuration,
with what was said and what was left to the defaults. A value that its blank cannot show is shown as JSON instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from windrow.console.pages.endpoints.form.blanks import Blank, Kind
from windrow.console.pages.endpoints.form.writing import (
    NotJson,
    as_json,
    from_json,
    meant,
    same,
    sent,
    shows,
    ticked,
    written,
)
from windrow.telemetry.redaction import PROCESS

# before the name of a blank that is filled in as JSON
RAW = "json."

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a blank; `raw`: as JSON."""

    text: str
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A form with what stands in it, and what is wrong with that: by the name of the blank, `""` for the whole."""

    blanks: tuple[Blank, ...]
    entries: Mapping[str, Entry]
    faults: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def drawn(cls, blanks: Iterable[Blank], config: Config) -> "Sheet":
        """As a configuration fills it."""
        known = tuple(blanks)
        return cls(known, dict(_drawn(known, config)))

    def entry(self, blank: Blank) -> Entry:
        return self.entries.get(blank.name, Entry(""))

    def folded(self) -> bool:
        """Whether what may be left alone was left alone, and can stand aside."""
        aside = [blank for blank in self.blanks if not blank.first]
        left = dict(_drawn(aside, {}))
        return all(self.entries.get(name, left[name]) == left[name] and name not in self.faults for name in left)

    @property
    def first_fault(self) -> str | None:
        """Where somebody begins to mend."""
        return next((name for name in self.labels() if name in self.faults), None)

    def labels(self) -> dict[str, str]:
        """The blanks that are on the page, by name."""
        return {blank.name: blank.label for blank in _leaves(self.blanks, self.entries)}


def read(blanks: Iterable[Blank], form: Mapping[str, str], before: Config) -> tuple[dict[str, Any], dict[str, str]]:
    """The configuration that a form makes of the one before it; and what in it cannot be read, by the name of the blank."""
    wrong: dict[str, str] = {}
    config: dict[str, Any] = {}
    for blank in blanks:
        said = before.get(blank.key, UNSET)
        try:
            value = _read(blank, form, said, wrong)
        except NotJson as error:
            wrong[blank.name] = f"{blank.label} {error}"
            continue
        if value is not UNSET and (said is not UNSET or not same(value, blank.default)):
            config[blank.key] = value
    return config, wrong


def sent_back(blanks: Iterable[Blank], form: Mapping[str, str]) -> dict[str, Entry]:
    """What stood in the blanks of a form when it was sent."""
    found: dict[str, Entry] = {}
    for blank in blanks:
        entry = _sent(blank, form)
        if entry is not None:
            found[blank.name] = entry
        elif blank.members:
            found |= sent_back(blank.members, form)
    return found


def names(blanks: Iterable[Blank]) -> Iterator[str]:
    """What the fields of such a form may be called."""
    for blank in blanks:
        yield blank.name
        yield RAW + blank.name
        yield from (f"{blank.name}.{choice}" for choice in blank.choices if blank.kind is Kind.TICKS)
        yield from names(blank.members)


def _read(blank: Blank, form: Mapping[str, str], said: Any, wrong: dict[str, str]) -> Any:
    entry = _sent(blank, form)
    if entry is None and blank.members:
        return _group(blank, form, said, wrong)
    shown = _entry(blank, blank.default if said is UNSET else said)
    if entry is None or entry == Entry(sent(shown.text), shown.raw):
        return said
    if entry.raw and entry.text:
        return from_json(entry.text)
    return meant(blank, entry.text)


def _group(blank: Blank, form: Mapping[str, str], said: Any, wrong: dict[str, str]) -> Any:
    inside = _inside(blank, said)
    value, found = read(blank.members, form, inside)
    wrong |= found
    if same(value, inside):
        return said
    return value or (None if blank.nullable else UNSET)


def _inside(blank: Blank, said: Any) -> dict[str, Any]:
    """What a group says: of its default, only what differs from its members' own."""
    if isinstance(said, dict):
        return said
    default = blank.default if isinstance(blank.default, dict) and said is UNSET else {}
    own = {member.key: member.default for member in blank.members}
    return {key: value for key, value in default.items() if not same(value, own.get(key, UNSET))}


def _drawn(blanks: Iterable[Blank], config: Config) -> Iterator[tuple[str, Entry]]:
    for blank in blanks:
        said = config.get(blank.key, UNSET)
        if blank.kind is Kind.GROUP and _is_group(blank, said):
            yield from _drawn(blank.members, _inside(blank, said))
        else:
            yield blank.name, _entry(blank, blank.default if said is UNSET else said)


def _is_group(blank: Blank, said: Any) -> bool:
    """Whether its members can hold what is said."""
    return said is UNSET or (isinstance(said, dict) and said.keys() <= {member.key for member in blank.members})


def _entry(blank: Blank, value: Any) -> Entry:
    raw = blank.kind is Kind.GROUP or not shows(blank, value)
    text = as_json(value) if raw else written(blank, value)
    # no secret is stored; one that looks like what is stored is not to be read here either
    return Entry(PROCESS.text(text), raw)


def _sent(blank: Blank, form: Mapping[str, str]) -> Entry | None:
    if (text := form.get(RAW + blank.name)) is not None:
        return Entry(sent(text), raw=True)
    if blank.kind is Kind.GROUP or (text := form.get(blank.name)) is None:
        return None
    return Entry(ticked(blank, form, blank.name) if blank.kind is Kind.TICKS else sent(text))


def _leaves(blanks: Iterable[Blank], entries: Mapping[str, Entry]) -> Iterator[Blank]:
    for blank in blanks:
        if blank.members and blank.name not in entries:
            yield from _leaves(blank.members, entries)
        else:
            yield blank
