"""Single plays of the protocol: interleavings that once broke it, or that the model meets too seldom to rely on."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from tests.integration.harvest.orchard import BLIGHT, Picker, Way
from tests.integration.harvest.play import Play

from windrow.contracts.page import Cursor, Page
from windrow.harvest.slice import Order, harvest
from windrow.postgres import Database

LISTING = Way("listing")

# a listing says that something is gone only of what the catalog knows by then; what it does not know yet, or knows as gone,
# is not marked, and older news of another lane that comes later adds it
unmended = pytest.mark.xfail(strict=True, raises=AssertionError, reason="older news adds what a later listing lacked")


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

    def __init__(self, play: Play) -> None:
        super().__init__(play.orchard, play.endpoint.config, "slow", Way("changes"))
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        self.asked.set()
        await self.answer.wait()
        async for page in super().fetch_pages(cursor, page_size):
            yield page


@pytest.mark.xfail(
    strict=True, raises=AssertionError, reason="asked later is taken for newer, also where the answers overlap"
)
async def test_a_change_is_not_lost_to_a_request_that_was_made_later_and_answered_earlier(play: Play) -> None:
    play.orchard.reports = True
    await play.harvester("live", Way("changes"))
    slow = SlowPicker(play)
    order = Order(endpoint=play.endpoint, lane=play.lane("live"), run_id="slow")
    live = asyncio.create_task(harvest(play.database, slow, order))
    await slow.asked.wait()
    await play.harvester("backfill:1", Way("backfill"))
    play.orchard.plant("a", "cherry")
    slow.answer.set()
    await live
    await play.harvester("live", Way("changes"))
    await play.subscriber(20)

    (item,) = play.evidence.rows("SELECT display_name FROM items WHERE external_id = 'a'")
    assert item["display_name"] == "cherry"


@unmended
async def test_what_a_later_listing_lacked_is_not_added_by_older_news(play: Play) -> None:
    play.orchard.plant("d", "plum")
    await event_on_hold(play, "d")
    play.orchard.fell("d")
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()


@unmended
async def test_what_a_later_listing_lacked_is_not_brought_back_by_older_news(play: Play) -> None:
    play.orchard.fell("b")
    await live(play)
    play.orchard.plant("b", "plum")
    await event_on_hold(play, "b")
    play.orchard.fell("b")
    await live(play)
    await the_event_goes_on(play)

    play.evidence.check()


@unmended
async def test_what_a_later_listing_lacked_is_not_added_from_the_quarantine(play: Play) -> None:
    play.orchard.plant("d", BLIGHT)
    await live(play)
    play.orchard.fell("d")
    await live(play)
    await play.retry_what_was_refused()
    await play.subscriber(20)

    play.evidence.check()


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
