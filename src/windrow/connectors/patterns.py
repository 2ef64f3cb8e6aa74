"""Patterns of paths as .gitignore has them, matched part by part; docs/how-to/harvest-files.md says what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import AfterValidator, Field

from windrow.connectors.globs import Part, part

LONGEST_PATTERN = 1024
MOST_PATTERNS = 1000

# one part of a path, whatever it is; and `**`, any number of parts
_ANY: Part = bool
_DEEP = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """One compiled glob. `restores` is the leading `!`, `folders_only` the trailing `/`."""

    text: str
    parts: tuple[Part | None, ...]
    restores: bool
    folders_only: bool

    @classmethod
    def compiled(cls, text: str) -> Self:
        """From its text; ValueError says what is wrong with it."""
        body = text.removeprefix("!")
        folders_only = body.endswith("/")
        body = body.removesuffix("/")
        anchored = "/" in body
        names = body.removeprefix("/").split("/")
        _check(text, names)
        parts: list[Part | None] = [_DEEP if name == "**" else part(name) for name in names]
        if not anchored:
            parts.insert(0, _DEEP)
        if parts[-1] is _DEEP:
            # everything inside, and not the directory itself
            parts.append(_ANY)
        return cls(text, tuple(parts), text.startswith("!"), folders_only)

    def matches(self, path: Sequence[str], *, folder: bool) -> bool:
        """Whether it means this path, given in parts."""
        if self.folders_only and not folder:
            return False
        if len(self.parts) == 2 and self.parts[0] is _DEEP:
            last = self.parts[1]
            return last is not _DEEP and bool(last(path[-1]))
        return _match(self.parts, path)

    def reaches_below(self, folder: Sequence[str]) -> bool:
        """Whether it could mean something inside a directory."""
        for place, means in enumerate(self.parts):
            if means is _DEEP or place >= len(folder):
                return True
            if not means(folder[place]):
                return False
        return False


def _match(parts: Sequence[Part | None], path: Sequence[str]) -> bool:
    """Left to right; after a mismatch only the latest `**` takes one part more, which is enough."""
    at = upto = 0
    retry: tuple[int, int] | None = None
    while upto < len(path):
        means = parts[at] if at < len(parts) else _never
        if means is _DEEP:
            retry = (at + 1, upto)
            at += 1
        elif means(path[upto]):
            at, upto = at + 1, upto + 1
        elif retry:
            retry = (retry[0], retry[1] + 1)
            at, upto = retry
        else:
            return False
    return all(means is _DEEP for means in parts[at:])


def _never(_: str) -> bool:
    return False


def _check(text: str, names: list[str]) -> None:
    if len(text) > LONGEST_PATTERN:
        raise ValueError(f"a pattern has more than {LONGEST_PATTERN} characters")
    if "\0" in text:
        raise ValueError("a pattern holds a NUL character")
    if any(name in ("", ".", "..") for name in names):
        raise ValueError(f"{text!r} has an empty part, or . or .. as one: patterns are relative to the path")
    if any(len(name) - len(name.rstrip("\\")) & 1 for name in names):
        raise ValueError(f"{text!r} has a backslash with nothing behind it")


def _are_patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for text in patterns:
        Pattern.compiled(text)
    return patterns


def _restore_nothing(patterns: tuple[str, ...]) -> tuple[str, ...]:
    if any(text.startswith("!") for text in patterns):
        raise ValueError("! has a meaning in exclude only")
    return patterns


# fields of a configuration: what is left out, and what is taken
Excluded = Annotated[tuple[str, ...], Field(max_length=MOST_PATTERNS), AfterValidator(_are_patterns)]
Included = Annotated[Excluded, AfterValidator(_restore_nothing)]
