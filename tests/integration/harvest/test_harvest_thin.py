"""The thin line: a page becomes a batch, a batch becomes the catalog."""

from tests.integration.harvest.shop import Shop, catalog, open_shop, persist, rows, run_slice

from windrow.harvest.run import Outcome
from windrow.postgres import Database


async def test_what_the_source_holds_is_in_the_catalog(database: Database) -> None:
    shop = Shop()
    shop.puts(
        *(f"thing {number:04}" for number in range(250)),
        labels=["b", "a"],
        relations=[{"type": "near", "target": "thing 0001"}],
    )
    endpoint = await open_shop(database)

    report = await run_slice(database, shop, endpoint)
    await persist(database, endpoint)

    assert report.outcome is Outcome.DONE
    assert (report.totals.pages, report.totals.published) == (3, 250)
    found = await catalog(database)
    assert found.keys() == shop.things.keys()
    assert found["thing 0007"]["labels"] == ["a", "b"]
    assert len(await rows(database, "SELECT * FROM item_relations")) == 250


async def test_a_second_run_of_an_unchanged_source_writes_nothing(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:04}" for number in range(120)))
    endpoint = await open_shop(database)
    await run_slice(database, shop, endpoint)
    await persist(database, endpoint)
    before = await catalog(database)

    await run_slice(database, shop, endpoint, "run-2")
    await persist(database, endpoint)

    assert await catalog(database) == before
    settled = await rows(
        database,
        "SELECT sum(created) AS created, sum(unchanged) AS unchanged FROM harvest_outbox WHERE run_id = 'run-2'",
    )
    assert settled == [{"created": 0, "unchanged": 120}]


async def test_changes_and_deletes_arrive_with_their_history(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:04}" for number in range(120)))
    endpoint = await open_shop(database)
    await run_slice(database, shop, endpoint)
    await persist(database, endpoint)

    shop.puts("thing 0003", display_name="Another")
    del shop.things["thing 0099"]
    await run_slice(database, shop, endpoint, "run-2")
    await persist(database, endpoint)

    found = await catalog(database)
    assert found.keys() == shop.things.keys()
    assert found["thing 0003"]["display_name"] == "Another"
    history = await rows(
        database,
        "SELECT i.external_id, h.was ->> 'display_name' AS was, h.ended_by FROM item_history h JOIN items i USING (tenant_id, item_id) ORDER BY 1",
    )
    assert [(row["external_id"], row["was"], row["ended_by"]) for row in history] == [
        ("thing 0003", "Thing 0003", "run-2"),
        ("thing 0099", "Thing 0099", "run-2"),
    ]
