"""The raw limit, in a process of its own: COPY into a staging table, then INSERT … ON CONFLICT … WHERE the hash differs."""

import json
import sys
import time
import uuid
from typing import Any

import psycopg

from bench.harvest_rows import rows
from windrow.contracts.identity import Identity, canonical, content_hash
from windrow.contracts.scope import Scope

BATCH = 5000
COLUMNS = {
    "item_id": "uuid",
    "entity_type": "text",
    "external_id": "text",
    "display_name": "text",
    "canonical_path": "text",
    "url": "text",
    "owners": "text[]",
    "labels": "text[]",
    "source_version": "text",
    "source_created_at": "timestamptz",
    "source_updated_at": "timestamptz",
    "attributes": "jsonb",
    "content_hash": "text",
}
# what ours has beside: the same values for every row
CONSTANT = {
    "tenant_id": "'bench'",
    "project_id": "'main'",
    "endpoint_id": "'bench'",
    "source_system": "'bench'",
    "deleted": "false",
    "observation": "1",
    "run_id": "'raw'",
    "fetched_at": "now()",
    "connector": "'bench'",
    "connector_version": "'1'",
    "spec_ref": "'bench@1'",
    "first_run_id": "'raw'",
    "first_seen_at": "now()",
    "changed_at": "now()",
}


def main(url: str, kind: str, items: int) -> None:
    identity = Identity(Scope("bench", "main"), "bench")
    # a loader that only loads is given its rows: to make them is not what is measured here
    prepared = [_prepared(row, identity) for row in rows(0, items)]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = windrow")
        _tables(connection, kind)
        began = time.perf_counter()
        for first in range(0, items, BATCH):
            _load(connection, prepared[first : first + BATCH])
        took = time.perf_counter() - began
        connection.execute("DROP TABLE bench_items")
    print(json.dumps({"seconds": took}))


def _prepared(row: dict[str, Any], identity: Identity) -> list[Any]:
    values = {
        **row,
        "item_id": uuid.UUID(identity.item_id(row["external_id"])),
        "content_hash": content_hash(canonical(row)),
    }
    values["attributes"] = json.dumps(row["attributes"])
    return [values[name] for name in COLUMNS]


def _tables(connection: psycopg.Connection[Any], kind: str) -> None:
    connection.execute("DROP TABLE IF EXISTS bench_items")
    if kind == "like_ours":
        connection.execute("CREATE TABLE bench_items (LIKE items INCLUDING ALL)")
    else:
        connection.execute(
            "CREATE TABLE bench_items AS SELECT "
            + ", ".join([*CONSTANT, *COLUMNS])
            + " FROM items WITH NO DATA; ALTER TABLE bench_items ADD PRIMARY KEY (tenant_id, item_id)"
        )
    staged = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TEMP TABLE stage ({staged}) ON COMMIT DELETE ROWS")


def _load(connection: psycopg.Connection[Any], batch: list[list[Any]]) -> None:
    names = ", ".join(COLUMNS)
    constants = ", ".join(CONSTANT)
    changed = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "item_id")
    with connection.transaction():
        with connection.cursor().copy(f"COPY stage ({names}) FROM STDIN") as copy:
            for row in batch:
                copy.write_row(row)
        connection.execute(
            f"INSERT INTO bench_items AS i ({names}, {constants}) SELECT {names}, {', '.join(CONSTANT.values())} FROM stage"
            f" ON CONFLICT (tenant_id, item_id) DO UPDATE SET {changed} WHERE i.content_hash <> excluded.content_hash"
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
