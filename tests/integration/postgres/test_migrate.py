"""Migrations: once, in order, under a lock; never over a newer or an altered schema."""

import asyncio

import psycopg
import pytest

from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.postgres.migrate import inspect, known, migrate


@pytest.fixture
def empty_url(own_database_url: str) -> str:
    """A database that was never migrated: the fresh one with our schema dropped."""
    with psycopg.connect(own_database_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA windrow CASCADE")
    return own_database_url


async def test_two_processes_that_start_together_migrate_once(empty_url: str) -> None:
    found = await asyncio.gather(*(migrate(empty_url) for _ in range(4)))

    applied_by_each = sorted(len(schema.pending) for schema in found)
    assert applied_by_each == [0, 0, 0, len(known())]


async def test_a_migrated_database_has_nothing_pending(own_database_url: str) -> None:
    assert (await migrate(own_database_url)).pending == ()
    assert (await inspect(own_database_url)).applied == tuple(range(1, len(known()) + 1))


async def test_inspecting_an_empty_database_changes_nothing(empty_url: str) -> None:
    assert (await inspect(empty_url)).applied == ()

    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT to_regnamespace('windrow')").fetchone() == (None,)


async def test_a_schema_newer_than_the_code_is_left_alone(own_database_url: str) -> None:
    with psycopg.connect(own_database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO windrow.migrations VALUES (9999, 'later', 'x')")

    with pytest.raises(Fatal, match="migration 9999") as caught:
        await migrate(own_database_url)

    assert caught.value.code is Code.SCHEMA_NEWER
    assert caught.value.hint


async def test_an_applied_migration_that_was_altered_since_stops_everything(own_database_url: str) -> None:
    with psycopg.connect(own_database_url, autocommit=True) as connection:
        connection.execute("UPDATE windrow.migrations SET checksum = 'other' WHERE number = 1")

    with pytest.raises(Fatal, match="migration 0001") as caught:
        await migrate(own_database_url)

    assert caught.value.code is Code.CORRUPTED


async def test_a_migration_that_fails_leaves_nothing_of_itself(empty_url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA windrow")
        connection.execute("CREATE TABLE windrow.idempotency_keys ()")  # the first migration makes audit_log, then this

    with pytest.raises(Fatal):
        await migrate(empty_url)

    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT to_regclass('windrow.audit_log')").fetchone() == (None,)


async def test_an_unreachable_database_is_told_in_one_line() -> None:
    with pytest.raises(RetryableTransient) as caught:
        await migrate("postgresql://nobody@127.0.0.1:1/x")

    assert caught.value.code is Code.DATABASE_UNREACHABLE
    assert "\n" not in caught.value.message
