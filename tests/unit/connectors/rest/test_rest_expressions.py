"""Expressions of a definition: what they come to, what is refused, and that none of them can do harm."""

import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from windrow.connectors.rest.functions import FUNCTIONS, LONGEST_TEXT
from windrow.connectors.rest.paths import parse_path
from windrow.connectors.rest.scope import MOST_WORK, Scope
from windrow.connectors.rest.templates import LONGEST, template
from windrow.contracts.errors import ValidationFailure

RECORD = {
    "id": 5,
    "title": "  Hello World ",
    "nothing": None,
    "yes": True,
    "price": 1.5,
    "labels": [{"name": "B"}, {"name": "a"}, {}, {"name": None}],
    "groups": [{"people": ["x", "y"]}, {"people": []}, {"people": ["z"]}, "odd"],
    "odd name": {"a-b": [1, 2, 3]},
    "iso": "2026-01-31T12:00:00+02:00",
    "day": "2026-01-31",
    "http": "Sat, 31 Jan 2026 10:00:00 GMT",
    "epoch": 1769853600,
}
NOON = datetime(2026, 1, 31, 10, tzinfo=UTC)


def value(written: str, **scope: Any) -> Any:
    return template(written).value(Scope({"record": RECORD, **scope}))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("{{braces}}", "{braces}"),
        ("{record.id}", 5),
        ("issue:{record.id}", "issue:5"),
        ("{record.yes}/{record.price}", "true/1.5"),
        ("{record.missing.deep}", None),
        ("x{record.nothing}", None),
        ("{record.id.deeper}", None),
        ("{record['odd name'].a-b[-1]}", 3),
        ("{record['odd name'].a-b[7]}", None),
        ("{record.labels[].name}", ["B", "a"]),
        ("{record.groups[].people[]}", ["x", "y", "z"]),
        ("{record.title[]}", []),
        ("{record.labels[].name | lower | sort}", ["a", "b"]),
        ("label:{record.labels[].name}", ["label:B", "label:a"]),
        ("{record.labels[].name | join('-')}", "B-a"),
        ("{record.labels[].name | first}", "B"),
        ("{record.labels[].name | last}", "a"),
        ("{record.missing[] | first}", None),
        ("{record.labels | count}", 4),
        ("{record.title | trim | upper | cut(5)}", "HELLO"),
        ("{record.title | split('o')}", ["Hell", "W", "rld"]),
        ("{record.missing | default('}')}", "}"),
        ("{record.missing | default(record.id)}", 5),
        ("{record.id | equals(4, 5)}", True),
        ("{record.yes | equals(1)}", False),
        ("{record.missing | equals('x')}", False),
        ("{record.missing | exists}", False),
        ("{record.yes | not}", False),
        ("{record.missing | not}", None),
        ("{record.iso | date}", NOON),
        ("{record.http | date}", NOON),
        ("{record.epoch | date}", NOON),
        ("{record.epoch | text | date}", NOON),
        ("{record.day | date | seconds}", 1769817600),
        ("{record.iso | millis}", 1769853600000),
        ("{record.iso | day}", "2026-01-31"),
        ("at {record.iso | date}", "at 2026-01-31T10:00:00Z"),
    ],
)
def test_what_an_expression_comes_to(written: str, expected: Any) -> None:
    assert value(written) == expected


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{record.id", "'}' is due"),
        ("{", "a path begins with a name"),
        ("record.id}", "closes nothing"),
        ("{record.}", "a name is due"),
        ("{record id}", "'}' is due before 'id'"),
        ("{record[x]}", "a whole number or a name in quotes"),
        ("{record[1.5]}", "a whole number or a name in quotes"),
        ("{record.id; import os}", "';' has no meaning"),
        ("{record.__class__.__init__()}", "'}' is due"),
        ("{record.id | lowr}", "did you mean lower?"),
        ("{record.id | eval('1')}", "'eval' is no function"),
        ("{record.id | cut}", "cut takes 1 values"),
        ("{record.id | join('a', 'b')}", "join takes 0 to 1"),
        ("{record.id | default(}", "a value is due"),
        ("{record" + ".a" * 17 + "}", "more than 16 steps"),
        ("{record.a" + " | lower" * 9 + "}", "more than 8 functions"),
        ("{record.a}" * 41, "more than 40 parts"),
        ("x" * (LONGEST + 1), f"more than {LONGEST} characters"),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_expression_is_refused_with_the_reason(written: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        template(written)


@pytest.mark.parametrize(
    "written",
    [
        "{record.labels} as text",
        "{record.title | date}",
        "{record.epoch | date('years')}",
        "{record.id | join}",
        "{record.title | not}",
        "{record.title | split('')}",
        "{record.labels[].name}{record.labels[].name}",
        "{record.title | cut('x')}",
    ],
)
def test_a_value_that_does_not_fit_refuses_the_record(written: str) -> None:
    with pytest.raises(ValidationFailure):
        value(written)


def test_python_cannot_be_reached_through_a_path() -> None:
    assert value("{record.__class__}") is None
    assert value("{record.labels.__len__}") is None


def test_little_is_never_made_into_much() -> None:
    huge = {"text": "x" * 5_000_000, "list": ["y" * 10_000] * 5_000, "many": [[0] * 200] * 200}
    begun = time.process_time()

    for written in ("{record.text}" * 39 + "!", "{record.list | join}", "{record.many[][]}", "{record.text | upper}"):
        with pytest.raises(ValidationFailure):
            template(written).value(Scope({"record": huge}))

    assert len(template("{record.text | cut(9)}").value(Scope({"record": huge}))) == 9
    shared = Scope({"record": {"list": [{"a": 1}] * 500}})
    with pytest.raises(ValidationFailure, match="more steps"):
        for _ in range(100):
            template("{record.list[].a | text | sort | count}").value(shared)
    assert len(huge["many"]) ** 2 > MOST_WORK
    assert time.process_time() - begun < 2


@settings(max_examples=200, deadline=None)
@given(some.text(alphabet="{}|.[]()'\", -_abcdefrecordlowerjoin0123\\\n\0é", max_size=60))
def test_any_text_is_an_expression_or_refused_as_none(written: str) -> None:
    try:
        made = template(written)
    except ValueError:
        return
    try:
        came = made.value(Scope({"record": RECORD}))
    except ValidationFailure:
        return
    assert not isinstance(came, str) or len(came) <= LONGEST_TEXT


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=3), inner, max_size=4),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@given(JSON, some.sampled_from(sorted(FUNCTIONS)))
def test_a_function_takes_any_json_or_refuses_it(record: Any, name: str) -> None:
    brackets = "('ms')" if name == "date" else "(1)" if FUNCTIONS[name].arguments[0] else ""
    with suppress(ValidationFailure):
        template(f"{{record | {name}{brackets}}}").value(Scope({"record": record}))


@pytest.mark.parametrize(
    ("path", "body", "there"),
    [
        ("body", [], True),
        ("body.items", {"items": None}, True),
        ("body.items", {"error": "no"}, False),
        ("body.items", [], False),
        ("body.a[0].b", {"a": [{"b": []}]}, True),
        ("body.a[].b", {"a": []}, True),
    ],
)
def test_what_is_missing_is_told_from_what_is_null(path: str, body: Any, there: bool) -> None:
    assert parse_path(path).present(body) is there
