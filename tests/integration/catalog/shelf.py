"""What the tests of the catalog put on its shelves: items written as a subscriber would, saying only what matters."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from windrow.contracts.identity import Identity, content_hash
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Query, Transaction

ACME = Scope("acme", "main")
THEIRS = Scope("theirs", "main")
DAWN = datetime(2026, 1, 1, tzinfo=UTC)


def id_of(external_id: str, endpoint: str = "repo", scope: Scope = ACME) -> UUID:
    return UUID(Identity(scope, endpoint).item_id(external_id))


def moment(minutes: int) -> datetime:
    return DAWN + timedelta(minutes=minutes)


def _row(scope: Scope, endpoint: str, external_id: str, said: dict[str, Any]) -> dict[str, Any]:
    seen = said.pop("at", DAWN)
    run = said.pop("run", "run-1")
    row = {
        "tenant_id": scope.tenant_id,
        "project_id": scope.project_id,
        "item_id": id_of(external_id, endpoint, scope),
        "endpoint_id": endpoint,
        "source_system": "git",
        "entity_type": "file",
        "external_id": external_id,
        "display_name": external_id.rpartition("/")[2],
        "canonical_path": None,
        "url": None,
        "owners": [],
        "labels": [],
        "source_version": None,
        "source_created_at": None,
        "source_updated_at": None,
        "deleted": False,
        "attributes": {},
        "observation": 1,
        "run_id": run,
        "fetched_at": seen,
        "connector": "git",
        "connector_version": "1.2.3",
        "spec_ref": "git@1",
        "first_run_id": run,
        "first_seen_at": seen,
        "changed_at": seen,
    } | said
    row["content_hash"] = content_hash(repr(sorted(row.items(), key=str)).encode())
    return row | {"attributes": Jsonb(row["attributes"])}


async def add(
    database: Database, *externals: str, scope: Scope = ACME, endpoint: str = "repo", **said: Any
) -> list[UUID]:
    """Items that differ in the source's own id, and so in their names; all in one transaction."""
    rows = [_row(scope, endpoint, external, dict(said)) for external in externals]
    insert = sql.SQL("INSERT INTO items ({}) VALUES ({})").format(
        sql.SQL(", ").join(map(sql.Identifier, rows[0])), sql.SQL(", ").join(map(sql.Placeholder, rows[0]))
    )
    async with database.tenant(scope.tenant_id) as tx:
        await tx.connection.cursor().executemany(insert, rows)
    return [row["item_id"] for row in rows]


async def change(
    database: Database, item_id: UUID, *, at: datetime, run: str, scope: Scope = ACME, **said: Any
) -> None:
    """News about an item: what it says now is different, and so is its hash."""
    stored = {name: Jsonb(value) if name == "attributes" else value for name, value in said.items()}
    stored |= {"changed_at": at, "run_id": run, "content_hash": content_hash(f"{item_id}{at}{run}{said}".encode())}
    fields = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in stored
    )
    update = sql.SQL("UPDATE items SET revision = revision + 1, {} WHERE item_id = %(id)s").format(fields)
    async with database.tenant(scope.tenant_id) as tx:
        assert (await tx.connection.execute(update, stored | {"id": item_id})).rowcount == 1


async def relate(database: Database, source: UUID, kind: str, target: str, *, endpoint: str = "repo") -> None:
    """One item names another, which need not be there."""
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute(
            "INSERT INTO item_relations VALUES ('acme', %s, %s, %s, %s)",
            [source, kind, id_of(target, endpoint), target],
        )


async def generic_plan(database: Database, query: Query) -> str:
    """How a connection comes to run it in the end: with the plan that fits whatever it is given; by its indexes, if it can."""
    text = query.text.decode()
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", text)
    async with database.tenant(ACME.tenant_id) as tx:
        for setting in ("enable_seqscan", "enable_bitmapscan"):
            await tx.connection.execute(f"SET LOCAL {setting} = off")
        told = await tx.connection.execute(f"EXPLAIN (GENERIC_PLAN) {numbered}".encode())
        return "\n".join(row["QUERY PLAN"] for row in await told.fetchall())


async def rows_read(tx: Transaction) -> int:
    """How many items this connection has read lately."""
    told = await tx.connection.execute(
        "SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_xact_user_tables WHERE relname = 'items'"
    )
    row = await told.fetchone()
    return row["n"] if row else 0
