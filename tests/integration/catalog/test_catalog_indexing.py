"""Words come later: what was written waits, is found once it is indexed, and is never lost or overtaken on the way."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from tests.integration.catalog.shelf import ACME, THEIRS, add, change, id_of, moment

from windrow import catalog
from windrow.catalog import Filters
from windrow.catalog.indexing import Q, database_backlog
from windrow.contracts.errors import Fatal, WindrowError
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Transaction
from windrow.postgres.migrate import Q as MIGRATION
from windrow.postgres.migrate import known, migrate

PATIENCE = timedelta(seconds=60).total_seconds()


async def search(database: Database, text: str, scope: Scope = ACME, **filters: Any) -> tuple[list[UUID], int]:
    """What is found, and how many are behind."""
    async with database.tenant(scope.tenant_id) as tx:
        found = await catalog.search(tx, scope, text, Filters(**filters))
    return [hit.item.item_id for hit in found.hits], found.behind


async def portion(tx: Transaction) -> int:
    """What an indexer does within one transaction, which is ours to end."""
    count: int = await tx.value(Q.index, rows=40, newest=None)
    return count


async def blocked(database: Database) -> None:
    """Until somebody waits for a lock."""
    while True:
        async with database.connection() as connection:
            row = await (
                await connection.execute(
                    """SELECT count(*) AS waiting FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                        WHERE a.datname = current_database() AND NOT l.granted"""
                )
            ).fetchone()
        if row and row["waiting"]:
            return


def migrated_until(url: str, last: int) -> None:
    """The database anew, as an earlier version of this code left it."""
    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA windrow CASCADE")
        connection.execute(MIGRATION.prepare.text)
        connection.execute(MIGRATION.search_here.text)
        for each in known():
            if each.number <= last:
                connection.execute(each.text.encode())
                connection.execute(
                    MIGRATION.remember.text, {"number": each.number, "name": each.name, "checksum": each.checksum}
                )


class GivenUp(Exception):
    """An indexer that ends before its transaction does."""


async def test_an_item_that_was_written_is_behind_and_then_found(database: Database) -> None:
    (item_id,) = await add(database, "alpha")

    assert await search(database, "alpha") == ([], 1)
    assert await database_backlog(database) == 1
    assert await catalog.index_some(database, seconds=PATIENCE) == 1
    assert await search(database, "alpha") == ([item_id], 0)
    assert await catalog.index_some(database, seconds=PATIENCE) == 0


async def test_the_backlog_of_all_tenants_is_indexed_the_oldest_first(database: Database) -> None:
    (theirs,) = await add(database, "alpha", scope=THEIRS)
    (ours,) = await add(database, "alpha")

    assert await catalog.index_some(database, seconds=0) == 0
    async with database.system() as tx:
        assert await tx.value(Q.next_tenant, failed=[]) == "theirs"
    assert await catalog.index_some(database, seconds=PATIENCE) == 2
    assert await search(database, "alpha") == ([ours], 0)
    assert await search(database, "alpha", THEIRS) == ([theirs], 0)


async def test_a_tenant_that_cannot_be_indexed_holds_up_no_other(own_database_url: str) -> None:
    with psycopg.connect(own_database_url) as owner:
        owner.execute("ALTER TABLE windrow.search_words ADD CHECK (tenant_id <> 'theirs')")
    async with Database(own_database_url, size=4) as database:
        await add(database, "alpha", scope=THEIRS)
        (ours,) = await add(database, "alpha")

        with pytest.raises(WindrowError, match="search_words"):
            await catalog.index_some(database, seconds=PATIENCE)

        assert await search(database, "alpha") == ([ours], 0)
        assert await search(database, "alpha", THEIRS) == ([], 1)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"display_name": "omega"}, "omega"),
        ({"labels": ["omega"]}, "omega"),
        ({"owners": ["omega@example.com"]}, "omega"),
        ({"canonical_path": "way/omega"}, "omega"),
        ({"entity_type": "omega"}, "omega"),
    ],
)
async def test_a_change_of_what_it_is_found_by_is_indexed(database: Database, said: dict[str, Any], text: str) -> None:
    (item_id,) = await add(database, "alpha")
    await catalog.index_tenant(database, "acme")
    await change(database, item_id, at=moment(1), run="run-2", **said)

    assert await search(database, text) == ([], 1)
    assert await catalog.index_tenant(database, "acme") == 1
    assert await search(database, text) == ([item_id], 0)


async def test_a_change_of_anything_else_is_not_indexed(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    await catalog.index_tenant(database, "acme")
    await change(
        database,
        item_id,
        at=moment(1),
        run="run-2",
        attributes={"size": 2},
        source_version="2",
        url="https://x.example",
    )

    assert await search(database, "alpha") == ([item_id], 0)


async def test_what_is_gone_is_found_among_the_gone_only(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    await catalog.index_tenant(database, "acme")
    await change(database, item_id, at=moment(1), run="run-2", deleted=True)

    # not there any more from this moment on, although its words are still those of an item that is
    assert await search(database, "alpha") == ([], 1)
    assert await catalog.index_tenant(database, "acme") == 1
    assert await search(database, "alpha") == ([], 0)
    assert await search(database, "alpha", deleted=True) == ([item_id], 0)


async def test_a_write_that_is_rolled_back_leaves_nothing_to_index(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    await catalog.index_tenant(database, "acme")
    with pytest.raises(GivenUp):
        async with database.tenant("acme") as tx:
            await tx.connection.execute("UPDATE items SET display_name = 'omega', revision = 2")
            raise GivenUp

    assert await search(database, "alpha") == ([item_id], 0)


async def test_an_indexer_that_ends_half_way_loses_nothing(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    with pytest.raises(GivenUp):
        async with database.tenant("acme") as tx:
            assert await portion(tx) == 1
            raise GivenUp

    assert await search(database, "alpha") == ([], 1)
    assert await catalog.index_tenant(database, "acme") == 1
    assert await search(database, "alpha") == ([item_id], 0)


async def test_an_indexer_whose_connection_is_cut_loses_nothing(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    with pytest.raises(psycopg.OperationalError):
        async with await psycopg.AsyncConnection.connect(database.url) as doomed:
            await doomed.execute("SET search_path = windrow; SET ROLE windrow_app")
            await doomed.execute("SELECT enter_tenant('acme')")
            await doomed.execute(Q.index.text, {"rows": 1, "newest": None})
            async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as owner:
                await owner.execute("SELECT pg_terminate_backend(%s, 20000)", [doomed.info.backend_pid])
            await doomed.execute("SELECT 1")

    assert await catalog.index_tenant(database, "acme") == 1
    assert await search(database, "alpha") == ([item_id], 0)


async def test_an_older_revision_does_not_overtake_a_newer_one(database: Database) -> None:
    first, second = sorted(await add(database, "1", "2", display_name="early"))

    async with asyncio.timeout(PATIENCE):
        async with database.tenant("acme") as held:
            # the slow one has read both items, and waits at the first for a transaction that has not ended
            await held.connection.execute("INSERT INTO search_words VALUES ('acme', %s, 0, '')", [first])
            slow = asyncio.create_task(catalog.index_tenant(database, "acme"))
            await blocked(database)
            await change(database, second, at=moment(1), run="run-2", display_name="omega")
            assert await catalog.index_some(database, seconds=PATIENCE) == 1
            assert await search(database, "omega") == ([second], 2)
        assert await slow == 2

    assert await search(database, "omega") == ([second], 0)
    assert await search(database, "early") == ([first], 0)


async def test_indexers_at_once_index_everything_and_do_not_lock_one_another_out(database: Database) -> None:
    for turn in range(4):
        made = await add(database, *(f"n{number}" for number in range(120)), endpoint=f"repo{turn}")
        async with database.tenant("acme") as tx:
            await tx.connection.execute("UPDATE items SET labels = labels || ARRAY['late'], revision = revision + 1")
        assert len(made) == 120

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(
            *(catalog.index_tenant(database, "acme") for _ in range(4)),
            *(catalog.index_some(database, seconds=PATIENCE) for _ in range(2)),
        )

    async with database.tenant("acme") as tx:
        row = await (
            await tx.connection.execute(
                "SELECT count(*) AS n FROM items i JOIN search_words w USING (tenant_id, item_id, revision)"
            )
        ).fetchone()
    assert row == {"n": 480}
    assert await database_backlog(database) == 0


@pytest.mark.parametrize(("is_given_up", "left"), [(False, 0), (True, 1)])
async def test_whoever_waits_for_a_tenant_waits_for_what_others_have_in_hand(
    database: Database, is_given_up: bool, left: int
) -> None:
    (item_id,) = await add(database, "alpha")

    async with asyncio.timeout(PATIENCE):
        try:
            async with database.tenant("acme") as other:
                assert await portion(other) == 1
                waiting = asyncio.create_task(catalog.index_tenant(database, "acme"))
                await blocked(database)
                assert not waiting.done()
                if is_given_up:
                    raise GivenUp
        except GivenUp:
            pass
        assert await waiting == left

    assert await search(database, "alpha") == ([item_id], 0)


async def test_whoever_waits_for_a_tenant_does_not_wait_for_what_comes_meanwhile(database: Database) -> None:
    (item_id,) = await add(database, "alpha")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(GivenUp):
            async with database.tenant("acme") as other:
                assert await portion(other) == 1
                waiting = asyncio.create_task(catalog.index_tenant(database, "acme"))
                await blocked(database)
                await add(database, "later")
                raise GivenUp
        assert await waiting == 1

    assert await search(database, "alpha") == ([item_id], 1)
    assert await search(database, "later") == ([], 1)


async def test_no_writer_waits_for_an_indexer_nor_an_indexer_for_a_writer(database: Database) -> None:
    (item_id,) = await add(database, "alpha")

    async with asyncio.timeout(PATIENCE):
        async with database.tenant("acme") as indexer:
            assert await portion(indexer) == 1
            await change(database, item_id, at=moment(1), run="run-2", display_name="beta")
        async with database.tenant("acme") as writer:
            await writer.connection.execute("UPDATE items SET display_name = 'gamma', revision = 3")
            assert await catalog.index_tenant(database, "acme") == 1
            assert await search(database, "beta") == ([item_id], 0)

    assert await search(database, "gamma") == ([], 1)
    assert await catalog.index_tenant(database, "acme") == 1
    assert await search(database, "gamma") == ([item_id], 0)


async def test_one_statement_that_writes_very_many_is_indexed_in_portions(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(250)))
    await catalog.index_tenant(database, "acme")
    async with database.tenant("acme") as tx:
        await tx.connection.execute("UPDATE items SET deleted = true, revision = revision + 1")
        rows = await (
            await tx.connection.execute("SELECT cardinality(item_ids) AS n FROM search_backlog ORDER BY id")
        ).fetchall()

    assert sorted(row["n"] for row in rows) == [50, 100, 100]


def test_what_compares_all_rows_before_and_after_never_does_it_pair_by_pair(database_url: str) -> None:
    # the plan of the first statement of a session is kept for all others, however many rows they change
    with psycopg.connect(database_url) as connection:
        settings = connection.execute(
            """SELECT p.proname, p.proconfig FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE t.tgoldtable IS NOT NULL AND t.tgnewtable IS NOT NULL"""
        ).fetchall()

    assert {name for name, _ in settings} >= {"await_other_words", "keep_item_history"}
    for name, changed in settings:
        assert "enable_nestloop=off" in (changed or []), name


async def test_no_tenant_sees_the_backlog_or_the_words_of_another(database: Database) -> None:
    await add(database, "alpha")
    await add(database, "beta", scope=THEIRS)
    await catalog.index_tenant(database, "acme")

    async with database.tenant("theirs") as tx:
        rows = await (
            await tx.connection.execute(
                "SELECT item_ids[1] AS id FROM search_backlog UNION SELECT item_id FROM search_words"
            )
        ).fetchall()
    assert [row["id"] for row in rows] == [id_of("beta", scope=THEIRS)]


async def test_the_system_sees_who_is_behind_and_no_words(database: Database) -> None:
    await add(database, "alpha")
    await add(database, "beta", scope=THEIRS)

    async with database.system() as tx:
        rows = await (await tx.connection.execute("SELECT tenant_id FROM search_backlog")).fetchall()
    assert {row["tenant_id"] for row in rows} == {"acme", "theirs"}
    for denied in ("SELECT FROM search_words", "DELETE FROM search_backlog"):
        with pytest.raises(Fatal, match="permission denied"):
            async with database.system() as tx:
                await tx.connection.execute(denied)


async def test_items_from_before_the_migration_are_indexed_like_all_others(own_database_url: str) -> None:
    migrated_until(own_database_url, 9)
    async with Database(own_database_url, size=4) as database:
        ours = await add(database, *(f"n{number}" for number in range(230)), labels=["early"])
        (theirs,) = await add(database, "alpha", scope=THEIRS)
        await migrate(own_database_url)

        assert await search(database, "n17") == ([], 230)
        assert await catalog.index_tenant(database, "acme") == 230
        assert await search(database, "alpha", THEIRS) == ([], 1)
        assert await catalog.index_some(database, seconds=PATIENCE) == 1
        assert await search(database, "alpha", THEIRS) == ([theirs], 0)
        assert (await search(database, "n17 "))[0] == [ours[17]]
        with psycopg.connect(own_database_url) as owner:
            assert owner.execute("SELECT count(*) FROM windrow.items").fetchone() == (0,)


async def test_labels_from_before_they_were_words_are_indexed_anew(own_database_url: str) -> None:
    migrated_until(own_database_url, 21)
    async with Database(own_database_url, size=4) as database:
        (ours,) = await add(database, "alpha", labels=["not red"])
        await add(database, "waiting", scope=THEIRS)
        await catalog.index_tenant(database, "acme")
        await migrate(own_database_url)

        assert await search(database, "", label="not red") == ([], 1)
        assert await catalog.index_tenant(database, "acme") == 1
        assert await search(database, "", label="not red") == ([ours], 0)
        assert await search(database, "", label="red") == ([], 0)
        assert await search(database, "waiting", THEIRS) == ([], 1)
