"""No tenant reads or writes another's rows: table by table, from the database's own catalog.

A new table is covered without anyone remembering. Where its columns have rules that a plain value breaks, the test of
that table fails and asks for a sample in SAMPLES.
"""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors as pg
from psycopg import sql

SAMPLES: dict[str, dict[str, Any]] = {
    "leases": {"key": "tenant/ours/project/main/x"},
    "harvest_outbox": {"encoding": "json"},
    "media_events": {"from_stage": "Queued", "to_stage": "Failed", "number": 2},
    "speakers": {"kind": "channel"},
}

# what is no tenant's: how far the schema is, and which object store the rows name objects of
INSTALLATIONS = {"migrations", "object_store"}

BY_TYPE: dict[str, Any] = {
    "text": "x",
    "bigint": 1,
    "integer": 1,
    "smallint": 1,
    "boolean": True,
    "uuid": "00000000-0000-0000-0000-000000000001",
    "timestamp with time zone": "2026-01-01T00:00:00Z",
    "jsonb": "{}",
    "json": "{}",
    "bytea": b"x",
    "double precision": 1.0,
    "interval": "1 hour",
    "ARRAY": [],
    "tsvector": "x",
}


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        opened.execute("SET search_path = windrow, public")
        yield opened


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    """Every table of ours that has a tenant, parents before children."""
    found = connection.execute(
        """SELECT c.relname, array_agg(p.relname) FILTER (WHERE p.relname IS NOT NULL AND p.oid <> c.oid)
             FROM pg_class c
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
             LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f'
             LEFT JOIN pg_class p ON p.oid = f.confrelid
            WHERE c.relnamespace = 'windrow'::regnamespace AND c.relkind IN ('r', 'p')
            GROUP BY c.relname"""
    ).fetchall()
    parents = {name: set(above or ()) for name, above in found}
    ordered: list[str] = []
    while len(ordered) < len(parents):
        ordered += sorted(name for name, above in parents.items() if name not in ordered and above <= set(ordered))
    return ordered


def may(connection: psycopg.Connection[Any], role: str, table: str, what: str) -> bool:
    row = connection.execute("SELECT has_table_privilege(%s, %s, %s)", (role, table, what)).fetchone()
    assert row
    return bool(row[0])


def become(connection: psycopg.Connection[Any], role: str, tenant: str = "") -> None:
    connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    connection.execute("SELECT set_config('windrow.tenant_id', %s, false)", (tenant,))


def insert(connection: psycopg.Connection[Any], table: str, tenant: str) -> None:
    columns = connection.execute(
        """SELECT column_name, data_type FROM information_schema.columns
            WHERE table_schema = 'windrow' AND table_name = %s AND is_identity = 'NO' AND is_generated = 'NEVER'
              AND (is_nullable = 'NO' AND column_default IS NULL OR column_name = 'tenant_id')""",
        (table,),
    ).fetchall()
    values = {name: BY_TYPE[kind] for name, kind in columns} | SAMPLES.get(table, {}) | {"tenant_id": tenant}
    connection.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        ),
        list(values.values()),
    )


def count(connection: psycopg.Connection[Any], table: str) -> int:
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
    assert row
    return int(row[0])


def filled(connection: psycopg.Connection[Any]) -> list[str]:
    """One row of tenant `ours` in every table that the application may write."""
    written = []
    for table in tables(connection):
        if may(connection, "windrow_app", table, "INSERT"):
            become(connection, "windrow_app", "ours")
            insert(connection, table, "ours")
            connection.execute("RESET ROLE")
            written.append(table)
    return written


def test_every_table_with_a_tenant_forces_row_level_security(connection: psycopg.Connection[Any]) -> None:
    open_tables = connection.execute(
        """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
            WHERE c.relnamespace = 'windrow'::regnamespace AND c.relkind IN ('r', 'p')
              AND NOT (c.relrowsecurity AND c.relforcerowsecurity
                       AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polroles = ARRAY['windrow_app'::regrole::oid]))"""
    ).fetchall()

    assert tables(connection)
    assert open_tables == []


def test_every_table_has_a_tenant_but_those_of_the_installation(connection: psycopg.Connection[Any]) -> None:
    named = {row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'windrow'")}

    assert named - set(tables(connection)) == INSTALLATIONS
    assert not any(may(connection, "windrow_app", table, "INSERT, UPDATE, DELETE") for table in INSTALLATIONS)


def test_unique_keys_lead_with_the_tenant(connection: psycopg.Connection[Any]) -> None:
    others = connection.execute(
        """SELECT i.indexrelid::regclass::text FROM pg_index i
             JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'windrow'::regnamespace
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
            WHERE i.indisunique AND a.attname <> 'tenant_id' AND c.relname <> ALL (%s)""",
        (sorted(INSTALLATIONS),),
    ).fetchall()

    assert others == []


def test_no_tenant_sees_or_changes_the_rows_of_another(connection: psycopg.Connection[Any]) -> None:
    for table in filled(connection):
        become(connection, "windrow_app", "theirs")
        assert count(connection, table) == 0, table
        with pytest.raises(pg.InsufficientPrivilege, match="row-level security"):
            insert(connection, table, "ours")
        for verb, statement in (("UPDATE", "UPDATE {} SET tenant_id = tenant_id"), ("DELETE", "DELETE FROM {}")):
            if may(connection, "windrow_app", table, verb):
                assert connection.execute(sql.SQL(statement).format(sql.Identifier(table))).rowcount == 0, (table, verb)
        become(connection, "windrow_app", "ours")
        assert count(connection, table) >= 1, table  # a trigger may have added one
        connection.execute("RESET ROLE")


def test_a_row_cannot_be_given_away_to_another_tenant(connection: psycopg.Connection[Any]) -> None:
    for table in filled(connection):
        if may(connection, "windrow_app", table, "UPDATE"):
            become(connection, "windrow_app", "ours")
            with pytest.raises((pg.InsufficientPrivilege, pg.ForeignKeyViolation)):
                connection.execute(sql.SQL("UPDATE {} SET tenant_id = 'theirs'").format(sql.Identifier(table)))
            connection.execute("RESET ROLE")


def test_without_a_tenant_nothing_is_seen_and_nothing_can_be_written(connection: psycopg.Connection[Any]) -> None:
    for table in filled(connection):
        become(connection, "windrow_app")
        assert count(connection, table) == 0, table
        with pytest.raises(pg.InsufficientPrivilege):
            insert(connection, table, "ours")
        connection.execute("RESET ROLE")


def test_the_owner_of_the_tables_sees_no_rows(connection: psycopg.Connection[Any]) -> None:
    for table in filled(connection):
        assert count(connection, table) == 0, table


def test_the_system_role_reaches_queue_tables_only(connection: psycopg.Connection[Any]) -> None:
    for table in filled(connection):
        has_policy = connection.execute(
            "SELECT 1 FROM pg_policy WHERE polrelid = %s::regclass AND 'windrow_system'::regrole = ANY (polroles)",
            (table,),
        ).fetchone()
        become(connection, "windrow_system", "ours")
        if has_policy:
            assert count(connection, table) >= 1, table
        else:
            with pytest.raises(pg.InsufficientPrivilege):
                count(connection, table)
        connection.execute("RESET ROLE")


def test_neither_role_is_more_than_it_must_be(connection: psycopg.Connection[Any]) -> None:
    roles = connection.execute(
        """SELECT rolname FROM pg_roles WHERE rolname IN ('windrow_app', 'windrow_system')
              AND NOT (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb)"""
    ).fetchall()

    assert len(roles) == 2


def test_a_transaction_cannot_change_its_tenant_by_entering_another(connection: psycopg.Connection[Any]) -> None:
    become(connection, "windrow_app", "ours")
    connection.execute("SELECT enter_tenant('ours')")
    with pytest.raises(pg.InsufficientPrivilege, match="this transaction is tenant ours"):
        connection.execute("SELECT enter_tenant('theirs')")
