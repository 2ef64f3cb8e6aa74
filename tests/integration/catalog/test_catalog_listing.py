"""Listings as they are kept: one under way a lane, its pages, and what may still be decided."""

import pytest
from tests.integration.harvest.shop import ACME, rows

from windrow.catalog import listing
from windrow.catalog.listing import CarriedOut, Place
from windrow.postgres import Database, Transaction

PLACE = Place("main", "shop")
ONE = "8c49ab4a-3d25-8c35-a0f7-a8ab3ba41d62"


async def opened(tx: Transaction, generation: int, lane: str = "live", filters: str = "f") -> None:
    await listing.open_listing(
        tx, PLACE, lane=lane, run_id="run", filters=filters, observation=generation, horizon=generation - 1
    )
    await listing.add_page(tx, PLACE, generation, generation, [ONE])


async def goes_on(tx: Transaction, version: int, lane: str = "live", filters: str = "f") -> int | None:
    return await listing.under_way(tx, PLACE, lane, cursor_version=version, filters=filters)


async def states(database: Database) -> list[tuple[int, str, int]]:
    found = await rows(database, "SELECT generation, state, filters_since FROM listings ORDER BY 1")
    return [tuple(row.values()) for row in found]  # type: ignore[misc]


async def test_a_listing_goes_on_from_the_cursor_and_with_the_filters_that_it_had(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await opened(tx, 10)
        assert await goes_on(tx, 10) == 10
        assert await goes_on(tx, 10, lane="events") is None
        assert await goes_on(tx, 10, filters="g") is None
        assert await goes_on(tx, 10) is None, "it is over"
        await opened(tx, 20)
        assert await goes_on(tx, 21) is None

    assert [state for _, state, _ in await states(database)] == ["abandoned", "abandoned"]


async def test_a_new_listing_ends_those_of_its_lane_that_were_not_carried_out(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await opened(tx, 10)
        await listing.make_whole(tx, PLACE, 10)
        await opened(tx, 11, lane="backfill:1")
        await opened(tx, 12)
        assert await listing.weigh(tx, PLACE, 10) is None

    assert [(at, state) for at, state, _ in await states(database)] == [(10, "abandoned"), (11, "open"), (12, "open")]


async def test_filters_count_from_the_first_listing_with_them_and_anew_when_they_come_back(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        for generation, filters in ((10, "f"), (20, "f"), (30, "g"), (40, "f"), (50, "f")):
            await opened(tx, generation, filters=filters)

    assert [since for _, _, since in await states(database)] == [10, 10, 30, 40, 40]


async def test_what_is_not_decided_is_what_may_still_delete_behind_a_lanes_back(database: Database) -> None:
    async def undecided(lane: str) -> int | None:
        async with database.tenant(ACME.tenant_id) as tx:
            return await listing.oldest_undecided(tx, PLACE, lane)

    async with database.tenant(ACME.tenant_id) as tx:
        await opened(tx, 10)
    assert (await undecided("live"), await undecided("events")) == (None, 9)

    async with database.tenant(ACME.tenant_id) as tx:
        await listing.make_whole(tx, PLACE, 10)
    assert (await undecided("live"), await undecided("events")) == (None, 9)

    await rows(database, "UPDATE listings SET state = 'held' RETURNING generation")
    assert (await undecided("live"), await undecided("events")) == (9, 9)

    async with database.tenant(ACME.tenant_id) as tx:
        assert await listing.refuse(tx, PLACE, 10, "no")
    assert (await undecided("live"), await undecided("events")) == (None, None)


async def test_the_pages_of_a_listing_go_when_a_later_one_was_carried_out(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        for generation in (10, 20):
            await opened(tx, generation)
            await listing.make_whole(tx, PLACE, generation)
            weighed = await listing.weigh(tx, PLACE, generation)
            assert weighed
            assert weighed.gone == []

    assert [row["generation"] for row in await rows(database, "SELECT generation FROM listing_pages")] == [20]


async def test_those_of_the_last_one_stay_through_one_change_of_filters(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        for generation, filters in ((10, "f"), (20, "f"), (30, "g"), (40, "g"), (50, "h")):
            await opened(tx, generation, filters=filters)
            await listing.make_whole(tx, PLACE, generation)
            await listing.weigh(tx, PLACE, generation)
            if generation == 40:
                assert [one.generation for one in await listing.carried_out_since(tx, PLACE, 5)] == [40, 20]
        assert [one.generation for one in await listing.carried_out_since(tx, PLACE, 5)] == [50, 40]
        assert [one.generation for one in await listing.carried_out_since(tx, PLACE, 40)] == [50]


@pytest.mark.parametrize(
    ("observation", "tells"),
    [(9, None), (10, 20), (18, 20), (19, None), (29, None), (30, 40), (38, 40), (39, None), (50, None)],
)
def test_a_later_listing_tells_of_what_was_asked_for_with_its_filters_before_it_began(
    observation: int, tells: int | None
) -> None:
    found = [CarriedOut(40, filters_since=30, horizon=39), CarriedOut(20, filters_since=10, horizon=19)]

    assert listing.later_listing(found, observation) == tells


async def test_an_empty_catalog_has_nothing_to_miss(database: Database) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await listing.open_listing(tx, PLACE, lane="live", run_id="run", filters="f", observation=10, horizon=9)
        await listing.add_page(tx, PLACE, 10, 1, [])
        await listing.make_whole(tx, PLACE, 10)
        weighed = await listing.weigh(tx, PLACE, 10)

    assert weighed
    assert (weighed.gone, weighed.held, weighed.known) == ([], 0, 0)
