"""The clauses and the tests that carry them: no mark without a clause, no finished area without its proofs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ID = r"(?:KV|LT|NI|MW|HV|OR|EV|RR)-\d+"
# what the issues done so far have promised; each issue adds its own
PROMISED = {
    *(f"KV-{number}" for number in range(1, 11)),
    *(f"LT-{number}" for number in range(1, 6)),
    *(f"NI-{number}" for number in range(1, 6)),
    *(
        f"HV-{number}"
        for number in (
            *range(1, 6),
            *range(10, 14),
            *range(20, 25),
            30,
            31,
            32,
            *range(40, 45),
            50,
            60,
            61,
            62,
            70,
            80,
            81,
        )
    ),
    *(f"MW-{number}" for number in (1, 2, 3, *range(10, 18), *range(20, 27), 30, 31, *range(40, 45), *range(50, 54))),
    *(f"MW-{number}" for number in (60, 61, 62, 70, 71, 72)),
    *(f"OR-{number}" for number in (*range(1, 6), *range(10, 15), *range(20, 28), 30, 31, 32, 40, 41, 42, 50, 51, 52)),
    *(f"RR-{number}" for number in range(1, 15)),
    *(f"EV-{number}" for number in range(1, 16)),
}


def clauses() -> set[str]:
    text = (ROOT / "docs" / "requirements.md").read_text()
    return set(re.findall(rf"(?:^- |[.] |^)({ID}) ", text, flags=re.MULTILINE))


def proven() -> set[str]:
    marks = [
        call
        for test in (ROOT / "tests").rglob("*.py")
        for call in re.findall(r"mark\.req\(([^)]*)\)", test.read_text())
    ]
    return {clause for call in marks for clause in re.findall(ID, call)}


def test_every_mark_names_a_clause() -> None:
    assert proven() - clauses() == set()


def test_every_promised_clause_is_proven() -> None:
    assert clauses() >= PROMISED
    assert PROMISED - proven() == set()


def test_what_is_not_yet_proven_is_listed(request: pytest.FixtureRequest) -> None:
    missing = sorted(clauses() - proven(), key=lambda clause: (clause[:2], int(clause[3:])))
    report = f"{len(clauses()) - len(missing)} of {len(clauses())} clauses carry a test; not yet: {' '.join(missing) or 'none'}"
    request.node.user_properties.append(("requirements", report))

    assert len(missing) < len(clauses())
