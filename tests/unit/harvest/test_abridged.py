"""What is kept of a line can be stored and is bounded, whatever it was."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.harvest.abridged import LONGEST, LONGEST_ERROR, abridged

texts = st.text(st.characters(codec=None), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@given(value=values | st.text(min_size=LONGEST - 2, max_size=LONGEST + 2))
@settings(max_examples=200)
def test_whatever_was_said_is_json_that_postgres_takes(value: object) -> None:
    kept = abridged({"event": "x", "run_id": "r", "said": value, "error": value})

    text = json.dumps(kept, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert "\\u0000" not in json.dumps(kept).replace("\\\\", "")
    assert kept.keys() <= {"said", "error"}


def test_what_is_too_long_is_cut_where_it_matters_least() -> None:
    kept = abridged(
        {"said": "a" * 5000, "listed": ["a"] * 5000, "error": "a" * 5000 + "the end", "short": [1, {"b": None}]}
    )

    assert (len(kept["said"]), len(kept["listed"])) == (LONGEST + 1, LONGEST + 1)
    assert kept["error"].endswith("the end")
    assert len(kept["error"]) == LONGEST_ERROR + 1
    assert kept["short"] == [1, {"b": None}]


def test_what_all_lines_of_a_run_have_in_common_is_not_kept_with_each() -> None:
    said = {"tenant_id": "acme", "correlation_id": "c", "spec_id": "unknown", "agent": "harvester", "lane": "live"}

    assert abridged(said) == {"agent": "harvester", "lane": "live"}
