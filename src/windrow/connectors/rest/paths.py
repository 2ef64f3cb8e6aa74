"""Paths into JSON: `record.owner.login`, `record.labels[].name`, `body.items[0]`, `record['odd name']`.

A path only ever goes down, so it costs no more than what lies below it. What is not there is null.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from windrow.connectors.rest.scanning import Scanner
from windrow.connectors.rest.scope import Scope

MOST_STEPS = 16


class Each(Enum):
    """`[]`: every member of a list."""

    MEMBER = "[]"


Step = str | int | Each


@dataclass(frozen=True, slots=True)
class Path:
    """A root, such as `record`, and the way from there."""

    root: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.root + "".join(f".{step}" if isinstance(step, str) else _bracketed(step) for step in self.steps)

    @property
    def many(self) -> bool:
        """Whether it leads to a list that is gathered on the way."""
        return Each.MEMBER in self.steps

    def value(self, scope: Scope) -> Any:
        """What the path leads to; null where there is nothing, a list behind a `[]`."""
        values, many = [scope.get(self.root)], False
        for step in self.steps:
            many = many or step is Each.MEMBER
            scope.spend(
                sum(len(value) for value in values if isinstance(value, list)) if step is Each.MEMBER else len(values)
            )
            values = [below for value in values for below in _below(value, step) if below is not None or not many]
        return values if many else values[0]

    def present(self, value: Any) -> bool:
        """Whether there is anything, be it null: a name that is missing may be one that was changed."""
        for step in self.steps:
            if isinstance(step, Each):
                return isinstance(value, list)
            known = step in value if isinstance(value, dict) else isinstance(value, list) and isinstance(step, int)
            if not known:
                return False
            value = next(_below(value, step))
        return True


def parse_path(text: str) -> Path:
    """A path that stands alone."""
    scanner = Scanner(text)
    path = read_path(scanner)
    if scanner.at < len(text.rstrip()):
        raise ValueError(f"it is no path: {text[scanner.at :][:20]!r} is left over")
    return path


def read_path(scanner: Scanner) -> Path:
    """The path that comes next."""
    root = scanner.take()
    if root.kind != "name":
        raise ValueError(f"a path begins with a name, not with {root}")
    steps = tuple(_steps(scanner))
    if len(steps) > MOST_STEPS:
        raise ValueError(f"the path has more than {MOST_STEPS} steps")
    return Path(root.text, steps)


def _steps(scanner: Scanner) -> Iterator[Step]:
    while True:
        if scanner.skips("."):
            name = scanner.take()
            if name.kind != "name":
                raise ValueError(f"a name is due behind '.', not {name}; write an odd one as ['odd name']")
            yield name.text
        elif scanner.skips("["):
            yield _in_brackets(scanner)
        else:
            return


def _in_brackets(scanner: Scanner) -> Step:
    if scanner.skips("]"):
        return Each.MEMBER
    word = scanner.take()
    fraction = word.kind == "number" and "." in word.text
    if word.kind not in ("number", "text") or fraction:
        raise ValueError(f"[] takes a whole number or a name in quotes, not {word}")
    scanner.expect("]")
    return int(word.text) if word.kind == "number" else word.text


def _below(value: Any, step: Step) -> Iterator[Any]:
    """What is one step below; nothing is a null, but for `[]`, which then gathers nothing."""
    if isinstance(step, Each):
        yield from value if isinstance(value, list) else ()
    elif isinstance(step, int):
        yield value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    else:
        yield value.get(step) if isinstance(value, dict) else None


def _bracketed(step: int | Each) -> str:
    return "[]" if isinstance(step, Each) else f"[{step}]"
