"""A source that is read as a snapshot: its last page tells what was true when its first one was asked for."""

from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
from tests.integration.harvest.shop import Shop, ShopConnector, catalog, context_of, open_shop, order_of, persist, rows

from windrow.contracts.page import Cursor, Page
from windrow.endpoints import Endpoint
from windrow.harvest.run import Outcome
from windrow.harvest.slice import SliceReport, harvest
from windrow.postgres import Database


class Snapshots(ShopConnector):
    """Each page says which snapshot it is of."""

    name = "monday"

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            yield msgspec.structs.replace(page, snapshot=self.name)


async def one_page(database: Database, shop: Shop, endpoint: Endpoint) -> SliceReport:
    """A slice whose time is over after its first page."""
    connector = Snapshots(shop.connector().config, context_of("run-1"), shop)
    return await harvest(database, connector, order_of(endpoint, "run-1", budget=timedelta(0)))


async def seen_by_an_event(database: Database, endpoint: Endpoint, name: str, **said: str) -> None:
    """News of one thing, through the events lane."""
    shop = Shop()
    shop.puts(name, **said)
    await harvest(database, shop.connector("event"), order_of(endpoint, "event", "events"))
    await persist(database, endpoint, "events")


async def test_the_rest_of_a_snapshot_does_not_overwrite_what_was_learnt_since_it_began(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:03}" for number in range(150)))
    endpoint = await open_shop(database)
    first = await one_page(database, shop, endpoint)
    await seen_by_an_event(database, endpoint, "thing 149", display_name="Newer")

    second = await one_page(database, shop, endpoint)
    await persist(database, endpoint)

    assert (first.outcome, second.outcome) == (Outcome.MORE, Outcome.DONE)
    assert (await catalog(database))["thing 149"]["display_name"] == "Newer"
    assert await rows(database, "SELECT sum(outdated) AS outdated FROM harvest_outbox WHERE lane = 'live'") == [
        {"outdated": 1}
    ]


async def test_what_an_event_finds_unchanged_stands_above_the_rest_of_a_snapshot(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:03}" for number in range(150)))
    endpoint = await open_shop(database)
    await seen_by_an_event(database, endpoint, "thing 149", display_name="As it is")
    shop.puts("thing 149", display_name="As it was for a moment")
    await one_page(database, shop, endpoint)
    # between two slices nobody is at work on the lane, and yet it will bring something older
    await seen_by_an_event(database, endpoint, "thing 149", display_name="As it is")

    await one_page(database, shop, endpoint)
    await persist(database, endpoint)

    assert (await catalog(database))["thing 149"]["display_name"] == "As it is"


async def test_the_pages_of_a_snapshot_have_one_observation_and_those_of_the_next_another(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:03}" for number in range(150)))
    endpoint = await open_shop(database)
    for _ in range(2):
        await one_page(database, shop, endpoint)
    shop.puts("thing 003", display_name="Changed")
    for _ in range(2):
        await one_page(database, shop, endpoint)

    observations = [
        row["observation"] for row in await rows(database, "SELECT observation FROM harvest_outbox ORDER BY seq")
    ]

    assert observations[0] == observations[1] < observations[2] == observations[3]


async def test_of_an_item_on_two_pages_of_a_snapshot_the_last_word_counts(database: Database) -> None:
    shop = Shop()
    shop.puts(*(f"thing {number:03}" for number in range(150)))
    shop.things["thing 120"] = {**shop.things["thing 000"], "display_name": "The last word"}
    endpoint = await open_shop(database)

    for _ in range(2):
        await one_page(database, shop, endpoint)
    await persist(database, endpoint)

    assert (await catalog(database))["thing 000"]["display_name"] == "The last word"
