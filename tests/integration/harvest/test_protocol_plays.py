"""Single plays of the protocol: interleavings that once broke it, or that the model meets too seldom to rely on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from tests.integration.harvest.orchard import BLIGHT, Picker, Way
from tests.integration.harvest.play import Play
from tests.integration.harvest.puppets import Stage
from tests.integration.harvest.test_protocol_model import opened

from windrow.contracts.page import Cursor, Page
from windrow.harvest.slice import Order, harvest
from windrow.outbox import lane as lanes
from windrow.postgres import Database

LISTING = Way("listing")
Act = Callable[[], Coroutine[Any, Any, Any]]


@pytest.fixture
async def play(database: Database, database_url: str) -> AsyncIterator[Play]:
    """An orchard with two trees, listed once."""
    options = "-c search_path=windrow"
    with (
        psycopg.connect(database_url, autocommit=True, options=options) as tables,
        psycopg.connect(database_url, autocommit=True, options=options) as sequence,
    ):
        tables.execute("SET ROLE windrow_app")
        made = Play(
            database, tables, lambda: int(sequence.execute("SELECT last_value FROM observation_seq").fetchone()[0])
        )
        await made.open()
        for name in ("a", "b"):
            made.orchard.plant(name, "apple")
        await live(made)
        yield made


async def live(play: Play) -> None:
    """A whole listing, and everything is persisted."""
    await play.harvester("live", LISTING)
    await play.subscriber(20)


async def event_on_hold(play: Play, name: str) -> None:
    """Asked and published, but its lane is stopped before it is persisted."""
    await play.harvester("events", Way("event", about=name))
    play.spoil_a_batch(0)
    await play.subscriber(1)
    assert play.stopped() == ["events"]


async def the_event_goes_on(play: Play) -> None:
    play.mend_the_batches()
    await play.retry_a_lane("events")
    await play.subscriber(20)


class SlowPicker(Picker):
    """A source that takes its time, and then answers with what is there by then."""

    def __init__(self, play: Play, run_id: str, way: Way) -> None:
        super().__init__(play.orchard, play.endpoint.config, run_id, way)
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    async def on_its_way(self) -> None:
        self.asked.set()
        await self.answer.wait()


class LatePicker(SlowPicker):
    """A source that answers at once, but its answers are long on their way."""

    async def on_its_way(self) -> None:
        pass

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            await super().on_its_way()
            yield page


@asynccontextmanager
async def under_way(play: Play, lane: str, way: Way, kind: type[SlowPicker] = SlowPicker) -> AsyncIterator[None]:
    """A request of this lane is made at the beginning, and its answer is there at the end."""
    slow = kind(play, f"slow {lane}", way)
    order = Order(endpoint=play.endpoint, lane=play.lane(lane), run_id=f"slow {lane}")
    asking = asyncio.create_task(harvest(play.database, slow, order))
    await slow.asked.wait()
    try:
        yield
    finally:
        slow.answer.set()
        await asking


def observations(play: Play, lane: str) -> list[int]:
    rows = play.evidence.rows("SELECT lane, observation FROM harvest_outbox ORDER BY seq")
    return [row["observation"] for row in rows if row["lane"] == lane]


# requests that overlap


@pytest.mark.parametrize(("lane", "way"), [("backfill:1", Way("backfill")), ("events", Way("event", about="a"))])
async def test_a_change_is_not_lost_to_a_request_that_was_made_later_and_answered_earlier(
    play: Play, lane: str, way: Way
) -> None:
    play.orchard.reports = True
    await play.harvester("live", Way("changes"))
    async with under_way(play, "live", Way("changes")):
        await play.harvester(lane, way)
        play.orchard.plant("a", "cherry")
    await play.harvester("live", Way("changes"))
    for each in ("live", lane):
        await play.subscriber(lane=each)

    play.evidence.check()
    assert play.evidence.items["a"]["display_name"] == "cherry"


async def test_what_an_event_tells_is_not_lost_to_a_backfill_that_asked_later_and_was_answered_earlier(
    play: Play,
) -> None:
    async with under_way(play, "events", Way("event", about="a")):
        await play.harvester("backfill:1", Way("backfill"))
        play.orchard.plant("a", "cherry")
    for lane in ("events", "backfill:1"):
        await play.subscriber(lane=lane)

    play.evidence.check()
    assert play.evidence.items["a"]["display_name"] == "cherry"


async def test_what_was_asked_after_a_page_was_published_is_newer_than_the_page(play: Play) -> None:
    await play.harvester("live", LISTING, one_page=True)
    play.orchard.plant("a", "cherry")
    async with under_way(play, "live", LISTING):
        await play.harvester("events", Way("event", about="a"))
    for lane in ("events", "live"):
        await play.subscriber(lane=lane)

    play.evidence.check()
    assert play.evidence.items["a"]["display_name"] == "cherry"


async def test_what_yields_to_the_first_page_of_a_listing_is_not_deleted_by_that_listing(play: Play) -> None:
    async with under_way(play, "live", LISTING):
        play.orchard.plant("d", "plum")
        await play.harvester("events", Way("event", about="d"))
        play.orchard.fell("d")
    for lane in ("events", "live"):
        await play.subscriber(lane=lane)

    play.evidence.check()
    assert not play.evidence.items["d"]["deleted"], "it was seen after the listing began"
    await live(play)
    play.evidence.check()
    assert play.evidence.items["d"]["deleted"]


async def test_nor_is_what_yields_to_an_event_that_was_under_way_before_the_listing(play: Play) -> None:
    async with under_way(play, "events", Way("event", about="a")), under_way(play, "live", LISTING):
        play.orchard.plant("d", "plum")
        await play.harvester("backfill:1", Way("backfill"))
        play.orchard.fell("d")
    for lane in ("backfill:1", "live", "events"):
        await play.subscriber(lane=lane)

    play.evidence.check()
    assert not play.evidence.items["d"]["deleted"], "it was seen after the listing began"


async def test_a_lanes_numbers_never_fall_also_when_another_begins_at_the_same_moment(play: Play) -> None:
    async with play.database.tenant(play.scope.tenant_id) as tx:
        await lanes.begin(tx, play.lane("live"), "begins")
        await play.harvester("backfill:1", Way("backfill"), one_page=True)  # live has its floor, and nobody sees it yet
    await play.harvester("backfill:1", Way("backfill"), one_page=True)

    first, second = observations(play, "backfill:1")
    assert first == second


async def test_two_backfills_do_not_make_one_another_older_for_ever(play: Play) -> None:
    for lane in ("backfill:1", "backfill:2") * 2:
        await play.harvester(lane, Way("backfill"), one_page=True)
    await play.subscriber()

    play.evidence.check()
    both = observations(play, "backfill:1") + observations(play, "backfill:2")
    assert len(set(both)) == len(both)


async def test_only_live_lists(play: Play) -> None:
    await play.harvester("backfill:1", LISTING)
    await play.subscriber()

    play.evidence.check()
    assert [one["lane"] for one in play.evidence.listings] == ["live"]


# older news, and listings that lacked it


async def test_what_a_later_listing_lacked_is_not_added_by_older_news(play: Play) -> None:
    play.orchard.plant("d", "plum")
    await event_on_hold(play, "d")
    play.orchard.fell("d")
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()
    assert "d" not in play.evidence.items


async def test_nor_is_it_after_the_filters_were_changed(play: Play) -> None:
    play.orchard.plant("d", "plum")
    await event_on_hold(play, "d")
    play.orchard.fell("d")
    await live(play)
    await play.edit_the_filters()
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()
    assert "d" not in play.evidence.items


async def test_what_a_later_listing_lacked_is_not_brought_back_by_older_news(play: Play) -> None:
    play.orchard.fell("b")
    await live(play)
    play.orchard.plant("b", "plum")
    await event_on_hold(play, "b")
    play.orchard.fell("b")
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()
    assert play.evidence.items["b"]["deleted"]


async def test_what_a_later_listing_lacked_is_not_added_from_the_quarantine(play: Play) -> None:
    play.orchard.plant("d", BLIGHT)
    await live(play)
    play.orchard.fell("d")
    await live(play)
    await play.retry_what_was_refused()
    await play.subscriber(20)

    play.evidence.check()
    assert "d" not in play.evidence.items


async def test_what_a_later_listing_shows_is_added_by_older_news(play: Play) -> None:
    play.orchard.plant("d", "plum")
    await event_on_hold(play, "d")
    play.orchard.plant("d", BLIGHT)  # there, and refused
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()
    assert play.evidence.items["d"]["display_name"] == "plum"


async def test_older_news_of_what_the_filters_could_not_tell_to_be_gone_lets_the_next_listing_tell(play: Play) -> None:
    play.orchard.plant("c", "apple")
    await play.harvester("backfill:1", Way("backfill"))
    await play.subscriber()
    play.orchard.fell("c")
    await play.edit_the_filters()
    await live(play)
    play.orchard.plant("c", "plum")
    await event_on_hold(play, "c")
    play.orchard.fell("c")
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()
    await live(play)
    play.evidence.check()
    assert play.evidence.items["c"]["deleted"]


async def test_what_stood_from_before_these_filters_and_is_learnt_anew_is_deleted_by_the_next_listing(
    play: Play,
) -> None:
    play.orchard.plant("c", "apple")
    await play.harvester("backfill:1", Way("backfill"))
    await play.subscriber()
    play.orchard.fell("c")
    await play.edit_the_filters()
    await live(play)
    assert play.evidence.rows("SELECT FROM items WHERE external_id = 'c' AND NOT deleted"), "nobody could tell"
    play.orchard.plant("c", "plum")
    await play.harvester("events", Way("event", about="c"))
    await play.subscriber()
    play.orchard.fell("c")
    await live(play)

    play.evidence.check()
    assert play.evidence.items["c"]["deleted"]


@pytest.mark.parametrize("order", [("events", "live"), ("live", "events")], ids=" before ".join)
async def test_older_news_and_the_listing_that_lacks_it_do_not_pass_one_another_by(
    play: Play, database_url: str, order: tuple[str, str]
) -> None:
    play.orchard.plant("d", "plum")
    await play.harvester("events", Way("event", about="d"))
    play.orchard.fell("d")
    await play.harvester("live", LISTING)

    await side_by_side(play, database_url, *(lambda one=one: play.subscriber(lane=one) for one in order))

    play.evidence.check()
    assert play.evidence.found("d") is None


async def test_neither_do_older_news_and_an_operator_who_approves_the_listing(play: Play, database_url: str) -> None:
    play.orchard.plant("d", "plum")
    await play.harvester("events", Way("event", about="d"))
    for name in ("a", "b", "d"):
        play.orchard.fell(name)
    await play.harvester("live", LISTING)
    await play.subscriber(lane="live")

    await side_by_side(play, database_url, lambda: play.subscriber(lane="events"), play.approve)

    play.evidence.check()
    assert play.evidence.found("d") is None


async def side_by_side(play: Play, url: str, first: Act, second: Act) -> None:
    """The second does what it can while the first is about to commit."""
    play.database, stage = await opened(url), await Stage.open(url)
    one = await stage.enter("first", first())
    while "COMMIT" not in one.places:
        await stage.move(one)
    other = await stage.enter("second", second())
    for puppet in (other, one, other):
        while puppet.waiting:
            await stage.move(puppet)
    for puppet in (one, other):
        assert puppet.task
        await puppet.task
    await stage.close()
    await play.database.__aexit__()


# what was mended before


async def test_a_listing_that_went_on_under_other_filters_deletes_nothing(play: Play) -> None:
    await play.harvester("live", LISTING, one_page=True)
    await play.edit_the_filters()
    await live(play)

    play.evidence.check()
    assert not play.evidence.items["a"]["deleted"]


async def test_a_webhooks_unchanged_keeps_what_a_listing_under_way_does_not_show(play: Play) -> None:
    play.orchard.fell("a")
    await play.harvester("live", LISTING, one_page=True)
    play.orchard.plant("a", "apple")
    await play.harvester("events", Way("event", about="a"))
    await play.subscriber(1)
    await live(play)

    play.evidence.check()
    assert not play.evidence.items["a"]["deleted"]


async def test_an_older_backfill_does_not_undo_what_live_saw_unchanged(play: Play) -> None:
    play.orchard.plant("a", "cherry")
    await play.harvester("backfill:1", Way("backfill"))
    play.orchard.plant("a", "apple")
    await play.harvester("live", LISTING)
    for lane in ("live", "backfill:1"):
        await play.subscriber(lane=lane)

    play.evidence.check()
    assert play.evidence.items["a"]["display_name"] == "apple"


async def test_nor_does_one_whose_answer_is_still_on_its_way(play: Play) -> None:
    play.orchard.plant("a", "cherry")
    async with under_way(play, "backfill:1", Way("backfill"), LatePicker):
        play.orchard.plant("a", "apple")
        await live(play)
    await play.subscriber()

    play.evidence.check()
    assert play.evidence.items["a"]["display_name"] == "apple"
