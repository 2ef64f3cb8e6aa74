"""What is read again, and when something counts as gone."""

from datetime import timedelta

import psycopg
import pytest
from tests.integration.connectors.postgres.conftest import Opened
from tests.integration.connectors.postgres.estate import Estate
from tests.integration.connectors.postgres.reading import Reader

from windrow.contracts.errors import Code, Fatal


@pytest.fixture
def both(estate: Estate, reader: Opened) -> Reader:
    """Reads two databases, with a table and a view in each."""
    for database in ("shop", "stock"):
        estate.sql(database, "CREATE TABLE one (id int PRIMARY KEY); CREATE VIEW two AS SELECT * FROM one")
    return reader(databases=[f"{estate.mark}_*"])


async def test_an_unchanged_server_costs_one_question_a_database_and_gives_nothing(both: Reader) -> None:
    await both.pages()
    both.calls.clear()
    before = both.at

    (page,) = await both.pages()

    assert (list(page.records), page.last, page.opens, page.whole) == ([], True, False, False)
    assert both.at == before
    assert both.calls == ["connect", "databases", *["connect", "fingerprint"] * 2]


async def test_what_changes_all_the_time_changes_nothing(estate: Estate, both: Reader) -> None:
    estate.sql("shop", "CREATE MATERIALIZED VIEW kept AS SELECT 1 AS n")
    await both.pages()

    for happening in (
        "INSERT INTO one SELECT generate_series(1, 5000)",
        "ANALYZE one",
        "VACUUM FULL one",
        "TRUNCATE one",
        "CREATE INDEX ON one (id)",
        "CREATE TEMPORARY TABLE mine (id int PRIMARY KEY)",
        "REFRESH MATERIALIZED VIEW kept",
    ):
        estate.sql("shop", happening)
        assert [list(page.records) for page in await both.pages()] == [[]], happening


async def test_every_change_of_what_is_told_is_found(estate: Estate, both: Reader) -> None:
    await both.pages()

    for change in (
        "ALTER TABLE one ADD extra text",
        "ALTER TABLE one ALTER extra TYPE varchar(9)",
        "ALTER TABLE one RENAME extra TO other",
        "ALTER TABLE one ADD UNIQUE (other)",
        "COMMENT ON TABLE one IS 'the first'",
        "COMMENT ON COLUMN one.id IS 'its number'",
        "COMMENT ON SCHEMA public IS 'for all'",
        "CREATE OR REPLACE VIEW two AS SELECT o.id FROM one o, pg_class",
        "CREATE TABLE three ()",
        "ALTER TABLE three SET UNLOGGED",
        "DROP VIEW two",
        "CREATE SCHEMA more",
        "ALTER TABLE one ENABLE ROW LEVEL SECURITY",
    ):
        estate.sql("shop", change)
        pages = await both.pages()
        # the other database gives nothing; so this is no listing, and nothing is taken for gone
        assert {record["database"] for page in pages for record in page.records} == {estate.name("shop")}, change
        assert not any(page.opens or page.whole for page in pages), change
    assert [list(page.records) for page in await both.pages()] == [[]]


async def test_where_every_database_has_changed_it_is_a_listing(estate: Estate, both: Reader) -> None:
    await both.pages()

    estate.sql("shop", "DROP VIEW two")
    estate.sql("stock", "CREATE TABLE three ()")
    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert "shop/public/two" not in both.of(pages)
    assert "stock/public/three" in both.of(pages)


async def test_a_database_that_is_dropped_is_gone_from_a_listing(estate: Estate, both: Reader) -> None:
    estate.create("third")
    await both.pages()

    estate.drop("third")
    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert {named.split("/")[0] for named in both.of(pages)} == {"shop", "stock"}


async def test_everything_is_listed_again_when_it_is_time(both: Reader) -> None:
    both.config["relist_hours"] = 6
    await both.pages()

    both.now += timedelta(hours=5, minutes=59)
    assert [page.opens for page in await both.pages()] == [False]
    both.now += timedelta(minutes=1)
    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert len(both.of(pages)) == 8


async def test_another_configuration_lists_everything(both: Reader) -> None:
    await both.pages()
    both.config["exclude"] = ["public.two"]

    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, True)


async def test_a_configuration_that_changes_within_a_pass_begins_anew(estate: Estate, both: Reader) -> None:
    estate.sql("shop", "".join(f"CREATE TABLE t{n:02} ();" for n in range(60)))
    await both.pages(50, most=1)
    both.config["exclude"] = ["public.two"]

    pages = await both.pages(50)

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert {"shop", "shop/public/t00", "stock/public/one"} <= both.of(pages).keys()


async def test_what_changes_while_it_is_read_is_read_again(estate: Estate, reader: Opened) -> None:
    """A run that dies in the middle goes on from its cursor; what was read before it is looked at once more."""
    estate.sql("shop", "".join(f"CREATE TABLE t{n:02} ();" for n in range(60)))
    reading = reader()
    first = await reading.pages(50, most=1)
    estate.sql("shop", "ALTER TABLE t00 ADD extra int")
    rest = await reading.pages(50)

    assert "extra" not in str(reading.of(first + rest)["shop/public/t00"].attributes)
    again = await reading.items(50)
    assert [each["name"] for each in again["shop/public/t00"].attributes["columns"]] == ["extra"]


async def test_all_pages_of_a_database_tell_of_one_moment(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", "".join(f"CREATE TABLE t{n:02} ();" for n in range(100)))
    reading = reader(databases=[estate.name("shop")])
    pages = []
    async for page in reading.connector().fetch_pages(None, 50):
        pages.append(page)
        if len(pages) == 1:
            estate.sql("shop", "DROP TABLE t99; CREATE TABLE t100 ()")

    found = reading.of(pages)
    assert "shop/public/t99" in found
    assert "shop/public/t100" not in found


async def test_a_schema_that_may_not_be_looked_into_makes_no_listing_whole(estate: Estate, both: Reader) -> None:
    estate.sql("shop", "CREATE SCHEMA hidden; CREATE TABLE hidden.away (); GRANT USAGE ON SCHEMA hidden TO PUBLIC")
    assert "shop/hidden/away" in await both.items()

    estate.sql("shop", "REVOKE USAGE ON SCHEMA hidden FROM PUBLIC; DROP VIEW two")
    estate.sql("stock", "DROP VIEW two")
    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, False)
    assert "shop/hidden/away" not in both.of(pages)
    ((position, reason),) = both.said
    assert both.plain(position) == "shop/hidden"
    assert "USAGE" in reason
    # told, and not told again until something changes
    assert [list(page.records) for page in await both.pages()] == [[]]
    assert {each.name: each.well for each in await both.prepare()} == {
        "server": True,
        "databases": True,
        "schemas": False,
    }
    # what is left out on purpose is nobody's loss
    both.config["exclude"] = ["hidden"]
    assert (await both.pages())[-1].whole


async def test_a_database_that_may_not_be_entered_makes_no_listing_whole(estate: Estate, both: Reader) -> None:
    estate.sql(None, f"REVOKE CONNECT ON DATABASE {estate.name('stock')} FROM PUBLIC")

    pages = await both.pages()

    assert (pages[0].opens, pages[-1].whole) == (True, False)
    assert [both.plain(position) for position, _ in both.said] == ["stock"]
    assert [list(page.records) for page in await both.pages()] == [[]]
    estate.sql(None, f"GRANT CONNECT ON DATABASE {estate.name('stock')} TO {estate.user}")
    assert "stock/public/one" in await both.items()


async def test_a_session_reads_only_and_shows_who_it_is(estate: Estate, reader: Opened) -> None:
    reading = reader(databases=[estate.name("shop")])
    pages = reading.connector().fetch_pages(None, 50)
    await anext(pages)

    ((application, state, level),) = estate.sql(
        None,
        "SELECT application_name, state, (SELECT count(*) FROM pg_locks l WHERE l.pid = a.pid AND l.mode <> 'AccessShareLock'"
        f" AND l.locktype = 'relation') FROM pg_stat_activity a WHERE usename = '{estate.user}'",
    )

    assert (application, state, level) == ("windrow", "idle in transaction", 0)
    await pages.aclose()  # type: ignore[attr-defined]
    assert estate.sql(None, f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{estate.user}'") == [(0,)]


async def test_a_table_that_somebody_holds_is_listed_without_waiting(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", "CREATE TABLE one ()")
    url = estate._url.copy_with(path=f"/{estate.name('shop')}")
    with psycopg.connect(str(url)) as holder:
        holder.execute("LOCK TABLE one IN ACCESS EXCLUSIVE MODE")

        assert "shop/public/one" in await reader().items()


async def test_a_cursor_of_somebody_elses_is_refused(both: Reader) -> None:
    for made_up in ({"pass": 0}, {"pass": 1, "at": {"database": "x", "step": 9}}, {"path": "x"}, [1]):
        both.at = made_up
        with pytest.raises(Fatal) as raised:
            await both.pages()
        assert raised.value.code is Code.CORRUPTED
