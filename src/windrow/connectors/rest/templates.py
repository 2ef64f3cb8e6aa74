"""Texts with holes: `issue:{record.id}`, `{record.title | trim | cut(200)}`. All that a definition can compute.

A hole is a path and the functions that its value goes through. A text that is one hole is that value, whatever it is; in a
longer one every hole is a text. A null in any hole makes the whole a null; a list in one of them makes a list of texts.
There is nothing that repeats, calls itself or reaches beyond the values that it is given.
"""

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from windrow.connectors.rest.functions import FUNCTIONS, LONGEST_TEXT, refused, text
from windrow.connectors.rest.paths import Path, read_path
from windrow.connectors.rest.scanning import Scanner, Word
from windrow.connectors.rest.scope import Scope

LONGEST, MOST_PIECES, MOST_CALLS = 1000, 40, 8
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Call:
    """A function by name, with what it is given beside the value: paths, or constants."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Hole:
    """A path, and what is done to its value."""

    path: Path
    calls: tuple[Call, ...] = ()

    def value(self, scope: Scope) -> Any:
        value = self.path.value(scope)
        for call in self.calls:
            given = [one.value(scope) if isinstance(one, Path) else one for one in call.arguments]
            scope.spend(len(value) + 1 if isinstance(value, list) else 1)
            value = FUNCTIONS[call.name](value, *given)
        return value

    def paths(self) -> Iterator[Path]:
        """Every path in it."""
        yield self.path
        yield from (one for call in self.calls for one in call.arguments if isinstance(one, Path))


@dataclass(frozen=True, slots=True)
class Template:
    """Texts and holes, in turn."""

    pieces: tuple[str | Hole, ...]

    def value(self, scope: Scope) -> Any:
        """What it comes to."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], Hole):
            return self.pieces[0].value(scope)
        return _joined([piece if isinstance(piece, str) else piece.value(scope) for piece in self.pieces])

    def escaped(self, scope: Scope, escape: Callable[[str], str]) -> str:
        """The text, with what is in its holes escaped; a hole with nothing in it, or with several things, is refused."""
        return "".join(piece if isinstance(piece, str) else escape(text(piece.value(scope))) for piece in self.pieces)

    def paths(self) -> Iterator[Path]:
        """Every path in it."""
        for piece in self.pieces:
            if isinstance(piece, Hole):
                yield from piece.paths()


@lru_cache(maxsize=4096)
def template(written: str) -> Template:
    """The template that a text is."""
    if len(written) > LONGEST:
        raise ValueError(f"it has more than {LONGEST} characters")
    pieces = tuple(_pieces(written))
    if len(pieces) > MOST_PIECES:
        raise ValueError(f"it has more than {MOST_PIECES} parts")
    return Template(pieces)


def _joined(values: list[Any]) -> Any:
    lists = [value for value in values if isinstance(value, list)]
    if any(value is None for value in values):
        return None
    if len(lists) > 1:
        raise refused("two lists in one text: join them")
    if not lists:
        return _whole(values)
    return [
        _whole([one if isinstance(value, list) else value for value in values]) for one in lists[0] if one is not None
    ]


def _whole(values: list[Any]) -> str:
    made = "".join(map(text, values))
    if len(made) > LONGEST_TEXT:
        raise refused(f"a text has more than {LONGEST_TEXT} characters")
    return made


def _pieces(written: str) -> Iterator[str | Hole]:
    plain, at = "", 0
    while at < len(written):
        char = written[at]
        if written[at : at + 2] in ("{{", "}}"):
            plain, at = plain + char, at + 2
        elif char == "{":
            if plain:
                yield plain
            hole, at = _hole(written, at + 1)
            plain = ""
            yield hole
        elif char == "}":
            raise ValueError("a '}' that closes nothing; a brace that is meant is written twice")
        else:
            plain, at = plain + char, at + 1
    if plain or not written:
        yield plain


def _hole(written: str, at: int) -> tuple[Hole, int]:
    scanner = Scanner(written, at)
    path, calls = read_path(scanner), list[Call]()
    while scanner.skips("|"):
        calls.append(_call(scanner))
    if len(calls) > MOST_CALLS:
        raise ValueError(f"more than {MOST_CALLS} functions in a row")
    left = scanner.take()
    if left.kind != "end" or scanner.at >= len(written):
        raise ValueError(f"'}}' is due before {left}")
    return Hole(path, tuple(calls)), scanner.at + 1


def _call(scanner: Scanner) -> Call:
    name = scanner.take()
    if name.text not in FUNCTIONS or name.kind != "name":
        near = difflib.get_close_matches(name.text, FUNCTIONS, 1)
        meant = f" (did you mean {near[0]}?)" if near else f"; known are {', '.join(FUNCTIONS)}"
        raise ValueError(f"{name} is no function{meant}")
    given = tuple(_arguments(scanner)) if scanner.skips("(") else ()
    least, most = FUNCTIONS[name.text].arguments
    if not least <= len(given) <= most:
        due = str(least) if least == most else f"{least} to {most}"
        raise ValueError(f"{name.text} takes {due} values in brackets, not {len(given)}")
    return Call(name.text, given)


def _arguments(scanner: Scanner) -> Iterator[Any]:
    while not scanner.skips(")"):
        yield _argument(scanner)
        if not scanner.skips(","):
            scanner.expect(")")
            return


def _argument(scanner: Scanner) -> Any:
    word = scanner.peek()
    if word.kind == "name" and word.text not in _WORDS:
        return read_path(scanner)
    return _constant(scanner.take())


def _constant(word: Word) -> Any:
    match word.kind:
        case "text":
            return word.text
        case "number":
            return float(word.text) if "." in word.text else int(word.text)
        case "name":
            return _WORDS[word.text]
        case _:
            raise ValueError(f"a value is due, not {word}")
