"""The harvest cursor and its fence: who may move it, and what happens to those who may not."""

import asyncio
import uuid
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.lossy import LossyDatabase, once
from tests.integration.harvest.script import BAD, Script, things
from tests.integration.harvest.shop import ACME, catalog, open_shop, order_of, persist, rows, run_slice
from tests.integration.kv.desk import counted

from windrow import kv
from windrow.contracts.errors import Code, Conflict, RetryableTransient
from windrow.contracts.keys import Key
from windrow.harvest import run as runs
from windrow.harvest.cursors import Cursors
from windrow.harvest.run import Outcome
from windrow.harvest.slice import harvest
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane
from windrow.postgres import Database

KEY = Key.parse("tenant/acme/project/main/harvest/shop/cursor")
LIVE = Lane(ACME, "shop")
OPERATOR = kv.Writer("meta-api", "cursor")


async def moved(database: Database, cursor: Any) -> None:
    """An operator puts the cursor elsewhere."""
    found = await kv.get(database, KEY)
    value = {**(found.value if found else {}), "cursor_token": cursor}
    await kv.put(
        database,
        KEY,
        value,
        expected_version=found.version if found else 0,
        request_id=uuid.uuid4().hex,
        semantics=kv.Semantics(kv.Purpose.CURSOR, "operator"),
        writer=OPERATOR,
    )


@pytest.mark.req("HV-30")
async def test_the_cursor_stands_at_its_key_with_what_it_came_with(database: Database) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(things(1, 2), cursor={"since": 7})), endpoint)

    found = await kv.get(database, KEY)
    assert found
    (batch,) = await rows(database, "SELECT batch_id, seq FROM harvest_outbox")
    assert found.value == {
        "cursor_token": {"since": 7},
        "batch_id": batch["batch_id"],
        "item_count": 2,
        "spec_ref": "connector.script@1.0",
    }
    assert (found.version, found.semantics.purpose, found.last_writer) == (batch["seq"], "cursor", "harvester:script")


@pytest.mark.req("HV-30")
async def test_two_endpoints_of_one_connector_do_not_share_a_cursor(database: Database) -> None:
    for name in ("shop", "annex"):
        await run_slice(database, Script.of(script.Said(things(1))), await open_shop(database, name), f"run-{name}")

    assert await kv.get(database, Key.parse("tenant/acme/project/main/harvest/annex/cursor"))
    assert (await kv.get(database, KEY)).version == 1


async def test_another_lane_has_a_cursor_of_its_own(database: Database) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(things(1))), endpoint, lane="backfill:2020")

    assert await kv.get(database, KEY) is None
    assert await kv.get(database, Key.parse("tenant/acme/project/main/harvest/shop/lanes/backfill:2020/cursor"))


@pytest.mark.req("HV-30", "MW-44")
async def test_a_cursor_that_somebody_moved_inside_our_epoch_is_a_conflict_and_stays_where_he_put_it(
    database: Database,
) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said(things(1)), script.Said(things(2)), script.Said(things(3)))
    connector, published = source.connector(), asyncio.Event()

    class Meddled(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async for page in connector.fetch_pages(cursor, page_size):
                if page.position == "page 1":
                    await published.wait()
                    await moved(database, {"page": 0})
                yield page

    with pytest.raises(Conflict) as caught:
        order = order_of(endpoint, "run-1", watch=lambda _: published.set())
        await harvest(database, Meddled(source, "run-1"), order)

    assert caught.value.code is Code.CAS_MISMATCH
    assert (await kv.get(database, KEY)).value["cursor_token"] == {"page": 0}
    assert [row["seq"] for row in await rows(database, "SELECT seq FROM harvest_outbox")] == [1]


@pytest.mark.req("HV-30")
async def test_a_slice_that_was_superseded_stops_and_touches_nothing(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)
    begun: list[lanes.Slice] = []

    class Overtaken(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async with database.tenant(ACME.tenant_id) as tx:
                begun.append(await lanes.begin(tx, LIVE, "run-2"))
            async for page in super().fetch_pages(cursor, page_size):
                yield page

    source = Script.of(script.Said([*things(1), BAD]), script.Said(things(2)))
    report = await harvest(database, Overtaken(source, "run-1"), order_of(endpoint, "run-1"))

    assert report.outcome is Outcome.SUPERSEDED
    assert len(begun) == 1, "it does not begin again"
    for table in ("harvest_outbox", "quarantine", "listings", "kv"):
        assert await rows(database, f"SELECT FROM {table}") == []
    (line,) = said.events("harvest.superseded")
    assert (line["level"], line["epoch"], line["run_id"]) == ("WARN", 1, "run-1")
    (lane,) = await rows(database, "SELECT epoch, run_id, floor IS NOT NULL AS held FROM harvest_lanes")
    assert lane == {"epoch": 2, "run_id": "run-2", "held": True}


async def test_a_zombie_whose_source_fails_leaves_no_word_behind_either(database: Database) -> None:
    endpoint = await open_shop(database)

    class Overtaken(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async with database.tenant(ACME.tenant_id) as tx:
                await lanes.begin(tx, LIVE, "run-2")
            async for page in super().fetch_pages(cursor, page_size):
                yield page

    source = Script.of(RetryableTransient("reset", code=Code.NETWORK), script.Said(things(1)))
    with pytest.raises(RetryableTransient):
        await harvest(database, Overtaken(source, "run-1"), order_of(endpoint, "run-1"))

    assert await rows(database, "SELECT FROM kv") == []


@pytest.mark.req("HV-22")
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_page_whose_commit_answer_was_lost_is_published_and_counted_once(
    database: Database, database_url: str, said: Said, moment: str
) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said([*things(1, 2), BAD]), script.Said(things(3)))
    before = counted("harvest_items_total", directive="script"), counted("harvest_batches_total", directive="script")

    # the first commit is that of the slice's begin
    async with LossyDatabase(database_url, once(moment, 2)) as lossy:
        report = await harvest(lossy, source.connector(), order_of(endpoint, "run-1"))
    await persist(database, endpoint)

    assert report.outcome is Outcome.DONE
    assert (report.totals.fetched, report.totals.published, report.totals.quarantined) == (4, 3, 1)
    assert (await catalog(database)).keys() == {"thing 00001", "thing 00002", "thing 00003"}
    assert [row["items"] for row in await rows(database, "SELECT items FROM harvest_outbox ORDER BY seq")] == [2, 1]
    assert [row["times"] for row in await rows(database, "SELECT times FROM quarantine")] == [1]
    assert len(said.events("harvest.replayed")) == (moment == "after")
    assert len(said.events("harvest.published")) == 2
    after = counted("harvest_items_total", directive="script"), counted("harvest_batches_total", directive="script")
    assert (after[0] - before[0], after[1] - before[1]) == (3, 2)


@pytest.mark.req("HV-32", "MW-51")
async def test_a_run_that_fails_leaves_how_far_it_came_and_one_that_ends_well_clears_it(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(
        script.Said([*things(1), BAD]), RetryableTransient("reset", code=Code.NETWORK), script.Said(things(2))
    )

    with pytest.raises(RetryableTransient):
        await run_slice(database, source, endpoint, "run-1")

    cursor = await kv.get(database, KEY)
    partial = await kv.get(database, KEY.child("partial"))
    assert cursor
    assert partial
    assert cursor.value["cursor_token"] == {"page": 1}, "the cursor stays behind what was published"
    prints = await kv.Fingerprints.load(database, ACME.tenant_id)
    assert partial.value == {
        "run_id": "run-1",
        "cursor": prints.of({"page": 1}),
        "pages": 1,
        "fetched": 2,
        "published": 1,
        "quarantined": 1,
        "error_class": "RetryableTransient",
        "code": "NETWORK",
        "reason": "reset",
    }
    assert partial.expires_at, "if no success comes, it runs out by itself"

    await run_slice(database, source, endpoint, "run-2")
    assert await kv.get(database, KEY.child("partial")) is None


@pytest.mark.req("HV-32")
async def test_a_partial_holds_no_secret_and_nothing_that_cannot_be_stored(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(
        RetryableTransient("https://ada:hunter2-canary@host/ \0 \ud800", code=Code.NETWORK), script.Said(things(1))
    )

    with pytest.raises(RetryableTransient):
        await run_slice(database, source, endpoint)

    partial = await kv.get(database, KEY.child("partial"))
    assert partial
    assert "hunter2-canary" not in partial.value["reason"]


async def test_neither_does_the_run_while_it_is_tried_again_nor_when_it_has_ended(database: Database) -> None:
    endpoint = await open_shop(database)
    error = RetryableTransient("https://ada:hunter2-canary@host/ \0 \ud800", code=Code.NETWORK)
    with pytest.raises(RetryableTransient):
        await run_slice(database, Script.of(error, script.Said(things(1))), endpoint, "run-1")
    (tried,) = await rows(database, "SELECT message FROM harvest_runs")

    async with database.tenant(endpoint.scope.tenant_id) as tx:
        await runs.end_run(tx, "run-1", Outcome.FAILED, error=error)

    assert await rows(database, "SELECT message FROM harvest_runs") == [tried]
    assert "hunter2-canary" not in tried["message"]
    assert tried["message"].endswith("@host/ \ufffd ?")


async def test_a_slice_that_failed_holds_up_nobody(database: Database) -> None:
    endpoint = await open_shop(database)

    with pytest.raises(RetryableTransient):
        await run_slice(
            database, Script.of(RetryableTransient("reset", code=Code.NETWORK), script.Said(things(1))), endpoint
        )

    assert await rows(database, "SELECT floor FROM harvest_lanes") == [{"floor": None}]


async def test_a_cursor_is_read_back_after_it_was_reset_and_its_numbers_go_on_rising(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said(things(1))), endpoint)
    await kv.delete(database, KEY, expected_version=1, request_id="r", writer=OPERATOR)

    await run_slice(database, Script.of(script.Said(things(2))), endpoint, "run-2")

    assert (await Cursors(LIVE, "script").load(database)).version == 3
    assert [row["seq"] for row in await rows(database, "SELECT seq FROM harvest_outbox ORDER BY 1")] == [1, 3]


async def test_a_slice_goes_on_where_the_one_before_it_ended(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(*(script.Said(things(number)) for number in range(4)))

    outcomes = []
    for _ in range(4):
        report = await run_slice(database, source, endpoint, budget=timedelta(0))
        outcomes.append(report.outcome)

    assert outcomes == [Outcome.MORE] * 3 + [Outcome.DONE]
    async with database.tenant(ACME.tenant_id) as tx:
        found = await runs.counts_of(tx, "run-1")
    assert (found.pages, found.published) == (4, 4)


async def test_a_cancelled_slice_ends_between_two_pages(database: Database) -> None:
    endpoint = await open_shop(database)
    asked: list[int] = []
    source = Script.of(lambda: asked.append(1), *(script.Said(things(number)) for number in range(4)))

    report = await run_slice(database, source, endpoint, cancelled=lambda: len(source.asked) >= 2)

    assert report.outcome is Outcome.CANCELLED
    assert (report.totals.pages, len(source.asked)) == (2, 2)


async def test_a_page_that_is_being_published_comes_to_its_end_when_the_slice_is_cancelled(database: Database) -> None:
    endpoint = await open_shop(database)
    reached = asyncio.Event()

    class Hanging(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async for page in super().fetch_pages(cursor, page_size):
                if page.position == "page 1":
                    reached.set()
                    await asyncio.Event().wait()
                yield page

    source = Script.of(script.Said(things(1)), script.Said(things(2)))
    slice_ = asyncio.create_task(harvest(database, Hanging(source, "run-1"), order_of(endpoint, "run-1")))
    await reached.wait()
    slice_.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slice_

    assert [row["seq"] for row in await rows(database, "SELECT seq FROM harvest_outbox")] == [1]
    assert (await kv.get(database, KEY)).version == 1
