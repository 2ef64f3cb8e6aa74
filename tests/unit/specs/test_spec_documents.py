"""A spec file as YAML: what cannot be read is refused with its line and the reason, and costs nothing."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.specs.sample import WHOLE, told

from windrow.specs.document import LARGEST, parse

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "1: the file is empty: declare something, or remove it"),
        (b"# only words\n\n", "1: the file is empty: declare something, or remove it"),
        (b"---\n...\n", "1: the file is empty: declare something, or remove it"),
        (b"queues:\n\tmeta-py: {}\n", "2: a tab: use spaces"),
        (b"queues:\n  a:\tb\n", "2: a tab: use spaces"),
        (b"queues: {\n", "2: not YAML: expected the node content, but found '<stream end>', while parsing a flow node"),
        (b"a: b\n  c: d\n", "2: not YAML: mapping values are not allowed here"),
        (b"a: 1\nb: \xff\n", "2: the file is not UTF-8"),
        (b"a: 1\nb: \x00\n", "2: a character that cannot be seen: remove it"),
        ("a: 1\nb: \u202ec\n".encode(), "2: a character that cannot be seen: remove it"),
        (b"a: 1\n---\nb: 2\n", "2: a second document: one a file"),
        (b"a: 1\na: 2\n", "2: a: is there twice, first on line 1"),
        (b"a:\n  b: 1\n  c: 2\n  b: 3\n", "4: a.b: is there twice, first on line 2"),
        (b"a:\n  1: x\n", "2: a: a key that is no text: put it in quotes, or name it otherwise"),
        (b"a:\n  ? [x]\n  : y\n", "2: a: a key that is no text: put it in quotes, or name it otherwise"),
        (b"a: &here b\n", "1: the anchor &here: write out what is meant where it is meant"),
        (b"a: b\nc: *here\n", "2: the alias *here: write out what is meant"),
        (b"a: !!python/object:os.system x\n", "1: the tag tag:yaml.org,2002:python/object:os.system: write plain YAML"),
        (b"a: !secret x\n", "1: the tag !secret: write plain YAML"),
        (b"[" * 60_000, "1: more than 8 levels, one in the other"),
        (b"a: " + b"{a: " * 5_000, "1: more than 8 levels, one in the other"),
        (b"x" * (LARGEST + 1), "1: the file is larger than 256 KiB: split it"),
    ],
    ids=lambda value: repr(value[:24]) if isinstance(value, bytes) else "",
)
def test_what_cannot_be_read_is_refused_with_its_line(content: bytes, expected: str) -> None:
    findings = parse("x.yaml", content).findings

    assert [str(each)[: len("x.yaml:") + len(expected)] for each in findings] == [f"x.yaml:{expected}"]


def test_a_bomb_of_anchors_costs_no_more_than_its_text() -> None:
    begun = time.process_time()

    findings = parse("bomb.yaml", BOMB.encode()).findings

    assert time.process_time() - begun < 1
    assert findings[0].reason == "the anchor &a: write out what is meant where it is meant"
    assert {each.line for each in findings} == set(range(1, 11))


@pytest.mark.parametrize("content", [b"!" * 60_000, b"a: [" + b"&a b, " * 9_000 + b"]", b"x" * 30_000 + b": &a b"])
def test_what_is_told_stays_short_whatever_was_written(content: bytes) -> None:
    findings = parse("x.yaml", content).findings

    assert 1 <= len(findings) <= 100
    assert all(len(str(each)) < 500 for each in findings)


def test_every_line_with_a_tab_is_told() -> None:
    findings = parse("x.yaml", b"a:\n\tb: 1\nc: 2\n\td: 3\n").findings

    assert [each.line for each in findings] == [2, 4]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("7", 7),
        ("-7", -7),
        ("0.5", 0.5),
        ("true", True),
        ("null", None),
        ("", None),
        ("~", None),
        ("'7'", "7"),
        ("yes", "yes"),
        ("off", "off"),
        ("1.0.0", "1.0.0"),
        ("12:30", "12:30"),
        ("2026-01-31", "2026-01-31"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        (".inf", ".inf"),
        ("9" * 5000, "9" * 5000),
        ("<<", "<<"),
        ("[1, a, {b: c}]", [1, "a", {"b": "c"}]),
    ],
)
def test_only_what_json_also_knows_is_guessed(written: str, meant: object) -> None:
    assert parse("x.yaml", f"a: {written}\n".encode()).value == {"a": meant}


def test_each_part_knows_its_line() -> None:
    lines = parse("x.yaml", b"a:\n  b:\n    - c\n    - d:\n        e\n").lines

    assert lines == {(): 1, ("a",): 1, ("a", "b"): 2, ("a", "b", 0): 3, ("a", "b", 1): 4, ("a", "b", 1, "d"): 4}


def test_a_byte_order_mark_and_the_line_ends_of_other_systems_are_taken(tmp_path: Path) -> None:
    assert told(tmp_path, sample=b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode()) == []


@given(some.one_of(some.binary(max_size=200), some.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t\r0", max_size=80)))
def test_no_content_is_more_than_a_value_or_findings(content: bytes | str) -> None:
    document = parse("x.yaml", content if isinstance(content, bytes) else content.encode())

    assert document.findings or document.lines
    assert all(each.line >= 1 and "\n" not in str(each) for each in document.findings)
