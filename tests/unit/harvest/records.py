"""Records as sources give them: nearly right, quite wrong, and anything at all."""

import math
from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    ["", "a\0b", "\ud800", "\udfff\ud800", "é" * 9, "A" * 4200]
)
NUMBERS = st.integers() | st.floats() | st.sampled_from([2**63, -(2**63) - 1, 2**64, 10**400, math.nan, math.inf])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)
MOMENTS = st.datetimes().map(lambda moment: f"{moment.isoformat()}Z") | st.sampled_from(
    [
        "2026-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+14:00",
        "2026-02-30T00:00:00Z",
        "soon",
        "",
    ]
)
NAMES = st.sampled_from(["file", "page", "thing:part", "a" * 64]) | TEXT
# nearly right: the fields of the contract, each with what it may hold or something else
RECORDS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"entity_type": NAMES, "external_id": st.sampled_from(["a", "b", "c"]) | TEXT, "display_name": TEXT},
    optional={
        "canonical_path": TEXT | st.none(),
        "url": TEXT,
        "owners": st.lists(TEXT, max_size=3),
        "labels": st.lists(TEXT, max_size=3),
        "source_version": TEXT,
        "source_created_at": MOMENTS,
        "source_updated_at": MOMENTS,
        "deleted": st.booleans(),
        "attributes": st.dictionaries(TEXT, JSON, max_size=4),
        "relations": st.lists(st.fixed_dictionaries({"type": NAMES, "target": TEXT}), max_size=3),
    },
)
ANYTHING: st.SearchStrategy[Any] = (
    JSON | st.binary(max_size=20) | st.builds(object) | st.sets(st.integers(), max_size=3)
)
