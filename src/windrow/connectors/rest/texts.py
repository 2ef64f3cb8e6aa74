"""Which values an expression may name, by the place where it stands. No place knows a credential."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from windrow.connectors.rest.paths import parse_path
from windrow.connectors.rest.templates import template

# what the source said of one thing; what that belongs to, and what that belongs to; what the endpoint's author gave
RECORD = frozenset({"record", "parent", "grandparent", "values"})
# before the source is asked
REQUEST = frozenset({"parent", "grandparent", "values", "since"})
# behind an answer: its body, its headers, and the last record of it
ANSWER = frozenset({"body", "headers", "last", "values"})


def _names(roots: Iterable[str], allowed: frozenset[str]) -> None:
    for root in roots:
        if root not in allowed:
            raise ValueError(f"there is no {root!r} here, only {', '.join(sorted(allowed))}")


def _checked(allowed: frozenset[str]) -> Callable[[str], str]:
    def check(written: str) -> str:
        _names((path.root for path in template(written).paths()), allowed)
        return written

    return check


def _in_quotes(value: Any) -> Any:
    # YAML takes {record.id} for a mapping
    if isinstance(value, dict):
        raise ValueError("a text is due: put what begins with { in quotes")  # noqa: TRY004 - pydantic knows no other
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _several(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


def _is_path(written: str) -> str:
    path = parse_path(written)
    _names([path.root], frozenset({"body"}))
    return written


RecordText = Annotated[str, BeforeValidator(_in_quotes), AfterValidator(_checked(RECORD))]
RecordTexts = Annotated[tuple[RecordText, ...], Field(max_length=20), BeforeValidator(_several)]
RequestText = Annotated[str, BeforeValidator(_in_quotes), AfterValidator(_checked(REQUEST))]
AnswerText = Annotated[str, BeforeValidator(_in_quotes), AfterValidator(_checked(ANSWER))]
BodyPath = Annotated[str, AfterValidator(_is_path)]
