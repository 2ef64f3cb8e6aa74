"""What is gone: told by the source as a tombstone, or found by a listing that is whole and can be trusted."""

from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import NAMELESS, Script, thing, things
from tests.integration.harvest.shop import ACME, OPERATOR, open_shop, persist, rows, run_slice
from tests.integration.harvest.test_harvest_cursor import moved

from windrow import endpoints
from windrow.catalog import listing
from windrow.catalog.listing import Place
from windrow.contracts.errors import Code, RetryableTransient
from windrow.endpoints import Endpoint
from windrow.harvest.persist import _IDS_A_MESSAGE, announce
from windrow.outbox.lane import Lane
from windrow.postgres import Database

TWENTY = things(*range(20))
FEWER = things(*range(18))
GONE = {"thing 00018", "thing 00019"}
PLACE = Place("main", "shop")


async def known(database: Database) -> Endpoint:
    """An endpoint with twenty things, all listed once."""
    endpoint = await open_shop(database)
    await run_slice(database, Script.listing(TWENTY), endpoint, "run-0")
    await persist(database, endpoint)
    return endpoint


async def states(database: Database) -> list[tuple[str, str | None]]:
    found = await rows(database, "SELECT state, why FROM listings ORDER BY generation")
    return [(row["state"], row["why"]) for row in found]


async def gone(database: Database) -> set[str]:
    return {row["external_id"] for row in await rows(database, "SELECT external_id FROM items WHERE deleted")}


async def edited(database: Database, endpoint: Endpoint, **config: Any) -> Endpoint:
    async with database.tenant(ACME.tenant_id) as tx:
        now = await endpoints.get(tx, ACME, endpoint.endpoint_id)
        return await endpoints.edit(tx, now, {"config": config}, expected_version=now.version, actor=OPERATOR)


async def test_what_a_whole_listing_lacks_is_gone_and_told(database: Database, said: Said) -> None:
    endpoint = await known(database)

    await run_slice(database, Script.listing(FEWER[:9], FEWER[9:]), endpoint)
    await persist(database, endpoint)

    assert await gone(database) == GONE
    assert [state for state, _ in await states(database)] == ["applied", "applied"]
    told = (await rows(database, "SELECT payload FROM messages ORDER BY published_at DESC LIMIT 1"))[0]["payload"]
    assert len(told["deleted"]) == 2
    assert said.events("listing.applied")[-1]["gone"] == 2


async def test_a_deleted_item_keeps_what_was_known_of_it_and_its_history(database: Database) -> None:
    endpoint = await known(database)
    await run_slice(database, Script.listing(FEWER), endpoint)
    await persist(database, endpoint)

    (item,) = await rows(database, "SELECT * FROM items WHERE external_id = 'thing 00019'")
    assert (item["display_name"], item["deleted"], item["revision"], item["run_id"]) == (
        "Thing 00019",
        True,
        2,
        "run-1",
    )
    assert len(await rows(database, "SELECT FROM item_history")) == 2


async def test_a_partial_listing_deletes_nothing(database: Database) -> None:
    endpoint = await known(database)
    source = Script([script.Said(FEWER[:9], opens=True), script.Said(FEWER[9:])])

    await run_slice(database, source, endpoint)
    await persist(database, endpoint)

    assert await gone(database) == set()
    assert [state for state, _ in await states(database)] == ["applied", "open"]


async def test_a_listing_that_ended_in_an_error_deletes_nothing_and_neither_does_what_goes_on_from_it_elsewhere(
    database: Database,
) -> None:
    endpoint = await known(database)
    source = Script.listing(FEWER[:9], FEWER[9:])
    source.lines.insert(1, RetryableTransient("reset", code=Code.NETWORK))
    with pytest.raises(RetryableTransient):
        await run_slice(database, source, endpoint)
    await persist(database, endpoint)
    assert await gone(database) == set()

    await run_slice(database, source, endpoint)
    await persist(database, endpoint)
    assert await gone(database) == GONE, "from its cursor on it is the same listing, and whole in the end"


async def test_a_refused_record_that_can_be_named_is_there_all_the_same(database: Database) -> None:
    endpoint = await known(database)
    broken = thing("thing 00018") | {"display_name": ""}

    await run_slice(database, Script.listing([*FEWER, broken]), endpoint)
    await persist(database, endpoint)

    assert await gone(database) == {"thing 00019"}


async def test_a_refused_record_that_nobody_can_name_ends_the_listing(database: Database) -> None:
    endpoint = await known(database)

    await run_slice(database, Script.listing(FEWER[:9], [NAMELESS], FEWER[9:]), endpoint)
    await persist(database, endpoint)

    assert await gone(database) == set()
    state, why = (await states(database))[-1]
    assert state == "abandoned"
    assert "nobody can name" in (why or "")


async def test_a_filter_that_is_changed_during_a_listing_ends_it(database: Database) -> None:
    endpoint = await known(database)
    source = Script.listing(FEWER[:9], FEWER[9:])
    await run_slice(database, source, endpoint, budget=script.BRIEF)
    await edited(database, endpoint, shelf="top")

    await run_slice(database, source, endpoint)
    await persist(database, endpoint)

    assert await gone(database) == set()
    assert "filters were changed" in ((await states(database))[-1][1] or "")


async def test_a_listing_that_goes_on_with_other_filters_than_it_began_with_is_over(database: Database) -> None:
    endpoint = await known(database)
    source = Script.listing(FEWER[:9], FEWER[9:])
    await run_slice(database, source, endpoint, budget=script.BRIEF)
    now = await edited(database, endpoint, shelf="top")

    await run_slice(database, source, now)
    await persist(database, endpoint)

    assert await gone(database) == set()
    assert "filters were changed" in ((await states(database))[-1][1] or "")


async def test_the_first_listing_with_other_filters_deletes_nothing_and_the_next_only_what_they_have_shown(
    database: Database,
) -> None:
    endpoint = await known(database)
    narrow = await edited(database, endpoint, shelf="top")

    await run_slice(database, Script.listing(FEWER), narrow, "run-1")
    await persist(database, endpoint)
    assert await gone(database) == set(), "what the filter hides is not gone"

    await run_slice(database, Script.listing(FEWER[:17]), narrow, "run-2")
    await persist(database, endpoint)
    assert await gone(database) == {"thing 00017"}


async def test_a_removed_endpoints_listing_deletes_nothing(database: Database) -> None:
    endpoint = await known(database)
    async with database.tenant(ACME.tenant_id) as tx:
        await endpoints.remove(tx, ACME, "shop", actor=OPERATOR, reason="sold")

    await run_slice(database, Script.listing(FEWER), endpoint)
    await persist(database, endpoint)

    assert await gone(database) == set()


@pytest.mark.parametrize(("left", "held"), [(15, False), (14, True), (0, True)])
async def test_more_than_a_quarter_waits_for_an_operators_word(
    database: Database, said: Said, left: int, held: bool
) -> None:
    endpoint = await known(database)

    await run_slice(database, Script.listing(TWENTY[:left]), endpoint)
    await persist(database, endpoint)

    assert len(await gone(database)) == (0 if held else 20 - left)
    assert (await states(database))[-1][0] == ("held" if held else "applied")
    assert [line["missing"] for line in said.events("listing.held")] == ([20 - left] if held else [])


async def held(database: Database) -> tuple[Endpoint, int]:
    """Half of the things are not in the listing."""
    endpoint = await known(database)
    await run_slice(database, Script.listing(TWENTY[:10]), endpoint)
    await persist(database, endpoint)
    (found,) = await rows(database, "SELECT generation FROM listings WHERE state = 'held'")
    return endpoint, found["generation"]


async def test_an_approved_listing_is_carried_out_and_cannot_be_approved_twice(database: Database) -> None:
    _, generation = await held(database)

    async with database.tenant(ACME.tenant_id) as tx:
        weighed = await listing.approve(tx, PLACE, generation)
    async with database.tenant(ACME.tenant_id) as tx:
        again = await listing.approve(tx, PLACE, generation)

    assert weighed
    assert len(weighed.gone) == 10
    assert again is None
    assert len(await gone(database)) == 10


async def test_a_refused_listing_is_not_carried_out(database: Database) -> None:
    _, generation = await held(database)

    async with database.tenant(ACME.tenant_id) as tx:
        assert await listing.refuse(tx, PLACE, generation, "the disk was not mounted")
        assert await listing.approve(tx, PLACE, generation) is None

    assert await gone(database) == set()
    assert (await states(database))[-1] == ("abandoned", "the disk was not mounted")


@pytest.mark.parametrize("lane", ["live", "backfill:1"])
async def test_what_was_seen_since_stays_when_a_held_listing_is_approved(database: Database, lane: str) -> None:
    endpoint, generation = await held(database)
    hand = await Hand.begins(database, endpoint, lane)
    await hand.asks_and_says(TWENTY[15])
    await hand.is_persisted()

    async with database.tenant(ACME.tenant_id) as tx:
        await listing.approve(tx, PLACE, generation)

    assert "thing 00015" not in await gone(database)
    assert len(await gone(database)) == 9


async def test_it_stays_also_when_both_were_persisted_at_once(database: Database) -> None:
    endpoint = await known(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(*TWENTY[:10], opens=True, whole=True)
    await hand.asks_and_says(TWENTY[15])
    await hand.is_persisted()
    (found,) = await rows(database, "SELECT generation FROM listings WHERE state = 'held'")

    async with database.tenant(ACME.tenant_id) as tx:
        await listing.approve(tx, PLACE, found["generation"])

    assert "thing 00015" not in await gone(database)


async def test_what_another_lane_saw_while_the_listing_was_under_way_is_not_gone(database: Database) -> None:
    endpoint = await known(database)
    live, other = await Hand.begins(database, endpoint), await Hand.begins(database, endpoint, "events")
    first = await live.asks()
    await other.asks_and_says(TWENTY[19])
    await other.is_persisted()

    await live.says(first, *FEWER, opens=True, whole=True)
    await live.is_persisted()

    assert await gone(database) == {"thing 00018"}


async def test_a_listing_that_a_newer_one_overtook_is_over_and_says_nothing(database: Database, said: Said) -> None:
    endpoint = await known(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(*FEWER, opens=True, whole=True)
    await hand.asks_and_says(*TWENTY[:5], opens=True)
    said.raw.clear()

    await hand.is_persisted()

    assert await gone(database) == set()
    assert [state for state, _ in await states(database)] == ["applied", "abandoned", "open"]
    assert said.events("listing.applied") == []


async def test_a_cursor_that_was_moved_ends_the_listing_that_was_under_way(database: Database) -> None:
    endpoint = await known(database)
    source = Script.listing(FEWER[:9], [], FEWER[9:])
    await run_slice(database, source, endpoint, budget=script.BRIEF)
    await moved(database, {"page": 2})

    await run_slice(database, source, endpoint)
    await persist(database, endpoint)

    assert await gone(database) == set()
    assert "cursor was moved" in ((await states(database))[-1][1] or "")


async def test_what_is_gone_comes_back_when_the_source_shows_it_again(database: Database) -> None:
    endpoint = await known(database)
    for number, page in enumerate((FEWER, TWENTY)):
        await run_slice(database, Script.listing(page), endpoint, f"run-{number + 1}")
        await persist(database, endpoint)

    assert await gone(database) == set()
    (item,) = await rows(database, "SELECT revision FROM items WHERE external_id = 'thing 00019'")
    assert item["revision"] == 3


async def test_a_slow_backfill_cannot_bring_back_what_a_listing_found_gone(database: Database) -> None:
    endpoint = await known(database)
    slow = await Hand.begins(database, endpoint, "backfill:1")
    old = await slow.asks()
    await run_slice(database, Script.listing(FEWER), endpoint)
    await persist(database, endpoint)

    await slow.says(old, thing("thing 00019", display_name="older"))
    await slow.is_persisted()

    assert await gone(database) == GONE


async def test_one_that_asked_after_the_listing_began_can(database: Database) -> None:
    endpoint = await known(database)
    live, other = await Hand.begins(database, endpoint), await Hand.begins(database, endpoint, "events")
    first, later = await live.asks(), await other.asks()
    await live.says(first, *FEWER, opens=True, whole=True)
    await live.is_persisted()

    await other.says(later, TWENTY[19])
    await other.is_persisted()

    assert await gone(database) == {"thing 00018"}


async def test_one_endpoints_listing_says_nothing_about_anothers_items(database: Database) -> None:
    await known(database)
    other = await open_shop(database, "other")

    await run_slice(database, Script.listing(things(100)), other, "run-other")
    await persist(database, other)

    assert await gone(database) == set()


async def test_a_reported_tombstone_takes_the_items_relations_with_it(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(thing("x", relations=[{"type": "near", "target": "y"}]), thing("y"))
    await hand.asks_and_says(thing("x", deleted=True))
    await hand.is_persisted()

    assert await gone(database) == {"x"}
    assert await rows(database, "SELECT FROM item_relations") == []


async def test_hundreds_of_tombstones_page_after_page_are_no_page_that_repeats_itself(database: Database) -> None:
    endpoint = await open_shop(database)
    pages = [things(*range(begin, begin + 50), deleted=True) for begin in range(0, 500, 50)]

    report = await run_slice(database, Script.of(*map(script.Said, pages)), endpoint)

    assert report.totals.pages == 10


async def test_more_deletes_than_a_message_can_carry_are_told_in_several(database: Database) -> None:
    await open_shop(database)
    ids = [f"8c49ab4a-3d25-8c35-a0f7-{number:012}" for number in range(3 * _IDS_A_MESSAGE - 1)]

    async with database.tenant(ACME.tenant_id) as tx:
        await announce(tx, Lane(ACME, "shop"), "run", {"created": [], "updated": [], "deleted": ids}, "listing", "7")

    told = await rows(database, "SELECT payload FROM messages")
    assert sorted(each for row in told for each in row["payload"]["deleted"]) == ids
    assert len(told) == 3
