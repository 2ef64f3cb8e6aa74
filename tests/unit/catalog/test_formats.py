"""Items written down: what a reader gets back is what the catalog holds, whatever was in it."""

import io
import json
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from windrow.catalog.formats import Format, described, encoder
from windrow.catalog.reading import Held
from windrow.contracts.errors import Fatal
from windrow.contracts.item import NormalizedItem, Provenance, Relation

DAWN = datetime(2026, 1, 1, tzinfo=UTC)


def item(number: int = 1, **said: Any) -> Held:
    provenance = Provenance(
        source_system="git",
        connector="git",
        connector_version="1",
        fetched_at=DAWN,
        spec_ref="git@1",
        run_id="run-1",
        observation=7,
    )
    known = {"entity_type": "file", "external_id": f"x{number}", "display_name": f"X {number}"} | said
    return Held(
        item=NormalizedItem(
            item_id=f"{number:08x}-0000-8000-a000-000000000000",
            tenant_id="acme",
            project_id="main",
            endpoint_id="repo",
            source_system="git",
            content_hash="0" * 40,
            provenance=provenance,
            **known,
        ),
        revision=3,
        first_seen_at=DAWN,
        first_run_id="run-1",
        changed_at=DAWN,
    )


def written(kind: Format, *chunks: list[Held]) -> bytes:
    made = encoder(kind)
    return b"".join(made.add(chunk) for chunk in chunks) + made.end()


def rows_of(parquet: bytes) -> list[dict[str, Any]]:
    reader = pytest.importorskip("pyarrow.parquet")
    return reader.read_table(io.BytesIO(parquet)).to_pylist()


SAID = {
    "canonical_path": "/a",
    "owners": ("ada",),
    "labels": ("red", "green"),
    "source_updated_at": DAWN,
    "attributes": {"deep": [1, None, "é\u2028"], "a": 1.5},
    "relations": (Relation("parent", "x2"),),
}


def test_a_line_is_an_item_as_the_command_shows_it() -> None:
    held = item(**SAID)

    (line,) = written(Format.NDJSON, [held]).splitlines()

    assert json.loads(line) == json.loads(json.dumps(held.document()))


def test_a_compressed_part_is_the_same_lines() -> None:
    chunks = [[item(1), item(2)], [item(3, **SAID)]]

    compressed = written(Format.NDJSON_ZSTD, *chunks)

    assert zstandard.ZstdDecompressor().stream_reader(compressed).read() == written(Format.NDJSON, *chunks)


def test_lines_keep_the_schema_that_the_manifest_publishes() -> None:
    schema = described(Format.NDJSON)

    for line in written(Format.NDJSON, [item(1), item(2, **SAID)]).splitlines():
        Draft202012Validator(schema).validate(json.loads(line))


def test_a_row_holds_all_of_an_item() -> None:
    held = item(**SAID)

    (row,) = rows_of(written(Format.PARQUET, [held]))

    assert json.loads(row.pop("attributes")) == SAID["attributes"]
    assert row.pop("relations") == [{"type": "parent", "target": "x2"}]
    assert (row.pop("owners"), row.pop("labels")) == (["ada"], ["red", "green"])
    document = held.document() | held.document()["provenance"]
    known = {
        name: value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    assert {name: value for name, value in known.items() if value is not None and value is not False} == {
        name: value.replace("+00:00", "Z") if isinstance(value, str) else value
        for name, value in document.items()
        if name not in ("attributes", "relations", "owners", "labels", "provenance")
    }


def test_every_column_of_the_manifest_is_in_the_file() -> None:
    (row,) = rows_of(written(Format.PARQUET, [item()]))

    assert list(row) == list(described(Format.PARQUET))


def test_many_rows_become_several_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    monkeypatch.setattr("windrow.catalog.formats.GROUP_ITEMS", 10)

    made = written(Format.PARQUET, *([item(number) for number in range(start, start + 7)] for start in range(0, 35, 7)))

    assert parquet.ParquetFile(io.BytesIO(made)).num_row_groups == 4
    assert [row["external_id"] for row in rows_of(made)] == [f"x{number}" for number in range(35)]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(
    texts,
    st.dictionaries(texts, values, max_size=4),
    st.datetimes(timezones=st.just(UTC)),
)
@pytest.mark.parametrize("kind", [Format.NDJSON, Format.PARQUET])
def test_whatever_a_source_says_comes_back(kind: Format, name: str, attributes: dict[str, Any], at: datetime) -> None:
    made = written(kind, [item(display_name=name, attributes=attributes, source_created_at=at)])

    if kind is Format.PARQUET:
        (row,) = rows_of(made)
        assert (row["display_name"], json.loads(row["attributes"]), row["source_created_at"]) == (name, attributes, at)
    else:
        read = json.loads(made)
        assert (read["display_name"], read.get("attributes", {})) == (name, attributes)
        assert datetime.fromisoformat(read["source_created_at"]) == at


def test_parquet_without_its_library_is_told_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(Fatal, match="not installed") as told:
        encoder(Format.PARQUET)

    assert "windrow[parquet]" in (told.value.hint or "")
