"""Whatever refining lets through, the real server can hold, and gives back as it was."""

from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import dict_row
from tests.unit.harvest.records import ANYTHING, RECORDS

from windrow.contracts.identity import Identity
from windrow.contracts.page import Transformed
from windrow.contracts.scope import Scope
from windrow.harvest.refine import refine

IDENTITY = Identity(Scope("acme", "main"), "shop")
READ = """
  SELECT * FROM jsonb_to_recordset(convert_from(%b::bytea, 'UTF8')::jsonb) AS r (
    item_id uuid, entity_type text, external_id text, display_name text, canonical_path text, url text, owners text[],
    labels text[], source_version text, source_created_at timestamptz, source_updated_at timestamptz, deleted boolean,
    attributes jsonb, content_hash text)
"""


@pytest.fixture(scope="module")
def server(shared_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(shared_url, autocommit=True, row_factory=dict_row) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


@pytest.mark.req("NI-5")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(RECORDS | ANYTHING, min_size=1, max_size=6))
def test_every_row_is_read_by_postgres_as_it_was_written(server: psycopg.Connection[Any], items: list[Any]) -> None:
    refined = refine(Transformed(items=items, places=range(len(items))), IDENTITY)
    payload = b"[" + b",".join(refined.rows) + b"]"

    found = server.execute(READ, [payload]).fetchall()

    for row, written in zip(found, map(msgspec.json.decode, refined.rows), strict=True):
        for name in ("entity_type", "external_id", "display_name", "canonical_path", "url", "source_version"):
            assert row[name] == written.get(name)
        for name in ("owners", "labels"):
            assert row[name] == written.get(name)
        assert str(row["item_id"]) == written["item_id"]
        for name in ("source_created_at", "source_updated_at"):
            assert row[name] == (msgspec.convert(written[name], type(row[name])) if written.get(name) else None)
        assert row["attributes"] == written.get("attributes")
