"""A server in the catalog, and in a preview."""

from tests.integration.connectors.postgres.conftest import Opened
from tests.integration.connectors.postgres.estate import Estate
from tests.integration.connectors.postgres.reading import Reader
from tests.integration.harvest.shop import catalog, open_shop, order_of, persist

from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, preview
from windrow.harvest.slice import harvest
from windrow.postgres import Database


async def run(database: Database, reading: Reader, endpoint: Endpoint, run_id: str) -> set[str]:
    """One run; what the catalog holds after it."""
    await harvest(database, reading.connector(), order_of(endpoint, run_id))
    await persist(database, endpoint)
    return {reading.plain(each) for each in await catalog(database)}


async def test_what_is_dropped_is_gone_from_the_catalog_and_what_is_hidden_is_not(
    database: Database, estate: Estate, reader: Opened
) -> None:
    tables = "".join(f"CREATE TABLE t{n} ();" for n in range(10))
    estate.sql("shop", f"{tables} CREATE SCHEMA own; GRANT USAGE ON SCHEMA own TO PUBLIC; CREATE TABLE own.one ()")
    endpoint, reading = await open_shop(database), reader()
    first = await run(database, reading, endpoint, "run-1")

    estate.sql("shop", "DROP TABLE t3")
    second = await run(database, reading, endpoint, "run-2")
    estate.sql("shop", "REVOKE USAGE ON SCHEMA own FROM PUBLIC; DROP TABLE t4")
    third = await run(database, reading, endpoint, "run-3")

    assert {"shop", "shop/own/one", "shop/public/t3"} < first
    assert second == first - {"shop/public/t3"}
    assert third == second


ROWS = """
CREATE TYPE mood AS ENUM ('glad');
CREATE TABLE person (id int, name text, api_token text, photo bytea, mood mood, story text);
INSERT INTO person SELECT n, 'Name ' || n, 'tok-canary-' || n, '\\xffd8', 'glad', repeat('x', 100000) FROM generate_series(1, 50) n;
CREATE TABLE large AS SELECT n FROM generate_series(1, 50000) n; ANALYZE large;
CREATE FUNCTION tempting() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''code of somebody ran as us''; END';
CREATE VIEW trap AS SELECT tempting();
CREATE TABLE guarded (id int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON guarded USING (tempting() = 1); INSERT INTO guarded VALUES (1);
CREATE TABLE closed (id int); INSERT INTO closed VALUES (1);
GRANT SELECT ON person, large, trap, guarded TO PUBLIC;
"""


async def test_a_preview_shows_a_few_rows_where_the_endpoint_says_so(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", ROWS)
    reading = reader(preview_rows=3)

    sample = await preview(reading.connector(), Bounds(rows=50))

    shown = {reading.plain(named): rows for named, rows in sample.samples.items()}
    # no view and no policy was asked, and nothing that the login may not read
    assert shown.keys() == {"shop/public/person", "shop/public/large"}
    assert shown["shop/public/person"] == [
        {"id": str(n), "name": f"Name {n}", "api_token": "[redacted]", "photo": "2 bytes", "story": "x" * 100}
        for n in (1, 2, 3)
    ]
    assert len(shown["shop/public/large"]) == 3
    assert shown["shop/public/large"] != [{"n": "1"}, {"n": "2"}, {"n": "3"}]
    assert reading.said == []
    assert not any("samples" in item or "Name 1" in str(item) for item in sample.items)


async def test_without_its_word_no_row_is_read(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", ROWS)
    reading = reader()

    sample = await preview(reading.connector(), Bounds(rows=50))

    assert sample.samples == {}
    assert len(sample.items) == 7
    assert not [call for call in reading.calls if call.startswith("shown")]


async def test_rows_that_have_no_room_are_left_out(estate: Estate, reader: Opened) -> None:
    columns = ", ".join(f"repeat('y', 200) AS c{n}" for n in range(40))
    estate.sql(
        "shop", f"CREATE TABLE wide AS SELECT {columns} FROM generate_series(1, 20); GRANT SELECT ON wide TO PUBLIC"
    )

    sample = await preview(reader(preview_rows=20).connector(), Bounds(rows=50, bytes=20_000))

    assert len(sample.items) == 3
    assert sample.samples == {}
    assert sample.bytes <= 20_000
