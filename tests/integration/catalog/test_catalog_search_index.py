"""The index behind the search: used under row-level security, and nobody's window into other tenants."""

import psycopg
import pytest
from psycopg import errors as pg
from tests.integration.catalog.shelf import ACME, THEIRS, add, id_of

from windrow import catalog
from windrow.postgres import Database


async def test_a_search_reads_the_index_and_not_the_table(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(200)))
    await catalog.index_tenant(database, "acme")

    async with database.tenant("acme") as tx:
        answer = await catalog.search(tx, ACME, "n17")
        rows = await (
            await tx.connection.execute(
                "SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'search_words'"
            )
        ).fetchall()

    assert answer.count == 11
    assert [(row["seq_scan"], row["idx_scan"] > 0) for row in rows] == [(0, True)]


async def test_the_owner_sees_only_what_the_sessions_tenant_is_looking_for(
    database: Database, database_url: str
) -> None:
    await add(database, "alpha", "beta")
    await add(database, "alpha", scope=THEIRS)
    for tenant in ("acme", "theirs"):
        await catalog.index_tenant(database, tenant)
    named = {id_of("alpha"): "acme/alpha", id_of("alpha", scope=THEIRS): "theirs/alpha"}

    def seen(tenant: str, word: str) -> list[str]:
        with psycopg.connect(database_url, options="-c search_path=windrow,public") as connection:
            connection.execute(
                """SELECT set_config('windrow.tenant_id', %(tenant)s, true), set_config('windrow.searched', (
                     SELECT string_agg(format('%%L', words_owner(name, 'main', false) || lot || 'n' || %(word)s), '|')
                       FROM unnest(ARRAY['acme', 'theirs']) AS name, generate_series(0, 6) AS lot), true)""",
                {"tenant": tenant, "word": word},
            )
            return [named[row[0]] for row in connection.execute("SELECT item_id FROM search_words")]

    assert seen("acme", "alpha") == ["acme/alpha"]
    assert seen("theirs", "alpha") == ["theirs/alpha"]
    assert seen("", "alpha") == []
    assert seen("acme", "") == []


async def test_an_owner_above_all_policies_finds_no_more_than_any_other(own_database_url: str) -> None:
    with psycopg.connect(own_database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE windrow.search_words NO FORCE ROW LEVEL SECURITY")
    async with Database(own_database_url, size=2) as database:
        await add(database, "alpha", "beta")
        await add(database, "alpha", scope=THEIRS)
        for tenant in ("acme", "theirs"):
            await catalog.index_tenant(database, tenant)

        async with database.tenant("acme") as tx:
            found = await catalog.search(tx, ACME, "alpha")
            row = await (await tx.connection.execute("SELECT count(*) AS n FROM search_words")).fetchone()

    assert [hit.item.item_id for hit in found.hits] == [id_of("alpha")]
    assert row == {"n": 2}


async def test_no_search_stays_under_way(database: Database) -> None:
    await add(database, "alpha")
    await catalog.index_tenant(database, "acme")

    async with database.tenant("acme") as tx:
        assert (await catalog.search(tx, ACME, "alpha")).count == 1
        left = await (await tx.connection.execute("SELECT searched() AS searched")).fetchone()

    assert left == {"searched": None}


def test_the_application_may_search_and_tidy_and_others_may_not(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True, options="-c search_path=windrow,public") as connection:
        connection.execute("SET ROLE windrow_system")
        with pytest.raises(pg.InsufficientPrivilege):
            connection.execute("SELECT search_lots('main', false, '{0}', '''~nx''', 1, 1)")
        connection.execute("SET ROLE windrow_app")
        assert connection.execute("SELECT search_lots('main', false, '{0}', '''~nx''', 1, 1)").fetchall() == []


def test_the_functions_that_run_as_the_owner_have_a_pinned_search_path(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        definers = connection.execute(
            """SELECT proname, proconfig FROM pg_proc WHERE prosecdef AND pronamespace = 'windrow'::regnamespace"""
        ).fetchall()

    assert {name for name, _ in definers} >= {"search_lots", "tidy_search"}
    for name, settings in definers:
        assert "search_path=windrow, pg_temp" in settings, name
