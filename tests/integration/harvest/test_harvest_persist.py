"""The outbox becomes the catalog: in order within a lane, by observation between lanes, each batch once."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import Script, thing, things
from tests.integration.harvest.shop import ACME, catalog, open_shop, persist, rows, run_slice, subscriber_of
from tests.integration.kv.desk import counted

from windrow.contracts.errors import Code, Conflict
from windrow.harvest.persist import Budget, persist_lane, persist_next
from windrow.harvest.subscriber import Subscriber, SubscriberLimits
from windrow.outbox import claim
from windrow.outbox.claim import Settled
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

A, B = thing("x", display_name="A"), thing("x", display_name="B")


async def name(database: Database) -> str:
    """What the catalog calls x."""
    return str((await catalog(database))["x"]["display_name"])


async def outcomes(database: Database) -> list[tuple[Any, ...]]:
    found = await rows(
        database, "SELECT lane, created, updated, deleted, unchanged, outdated FROM harvest_outbox ORDER BY observation"
    )
    return [tuple(row.values()) for row in found]


@pytest.mark.req("HV-21", "MW-41")
async def test_a_batch_is_persisted_by_upsert_and_the_same_again_changes_nothing(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(*things(1, 2), A)
    await hand.asks_and_says(*things(1, 2), B)
    await hand.is_persisted(batches=1)

    assert await outcomes(database) == [("live", 3, 0, 0, 0, 0), ("live", 0, 1, 0, 2, 0)]
    assert await name(database) == "B"
    assert len(await rows(database, "SELECT FROM items")) == 3


@pytest.mark.req("HV-22")
async def test_a_batch_is_processed_only_with_the_commit_that_persists_it(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said(things(1))), endpoint)

    class Crash(Exception):
        pass

    with pytest.raises(Crash):
        async with database.tenant(ACME.tenant_id) as tx:
            lane = Lane(ACME, "shop")
            assert await claim.lock_lane(tx, lane)
            settled = Settled(seq=1, created=1, updated=0, deleted=0, unchanged=0, outdated=0)
            await claim.settle(tx, lane, [settled])
            raise Crash

    assert await rows(database, "SELECT status FROM harvest_outbox") == [{"status": "pending"}]
    await persist(database, endpoint)
    (batch,) = await rows(database, "SELECT status, xmin::text FROM harvest_outbox")
    assert [batch["xmin"]] == [row["xmin"] for row in await rows(database, "SELECT xmin::text FROM items")]


@pytest.mark.req("HV-22")
async def test_a_batch_that_somebody_settled_meanwhile_undoes_all_of_the_transaction(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said(things(1))), endpoint)
    await persist(database, endpoint)

    settled = Settled(seq=1, created=1, updated=0, deleted=0, unchanged=0, outdated=0)
    with pytest.raises(Conflict) as caught:
        async with database.tenant(ACME.tenant_id) as tx:
            await claim.settle(tx, Lane(ACME, "shop"), [settled])

    assert caught.value.code is Code.CAS_MISMATCH


@pytest.mark.req("MW-43")
async def test_an_unchanged_load_writes_no_row_and_is_one_line_with_its_count(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)
    tables = ("items", "item_history", "item_relations")

    async def physical() -> list[Any]:
        return [await rows(database, f"SELECT ctid::text, xmin::text FROM {table} ORDER BY ctid") for table in tables]

    load = [things(*range(50), relations=[{"type": "near", "target": "y"}]), things(50, 51)]
    await run_slice(database, Script.of(*map(script.Said, load)), endpoint)
    await persist(database, endpoint)
    before = await physical()
    said.raw.clear()

    await run_slice(database, Script.of(*map(script.Said, load)), endpoint, "run-2")
    await persist(database, endpoint)

    assert await physical() == before
    (line,) = said.events("batch.persisted")
    assert (line["level"], line["outcome"], line["unchanged"], line["batches"]) == ("INFO", "unchanged", 52, 2)
    assert (line["agent"], line["created"], line["updated"]) == ("meta-worker", 0, 0)


@pytest.mark.req("MW-43")
async def test_two_items_may_have_the_same_content_and_one_may_get_that_of_another(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(thing("x", display_name="same"), thing("y", display_name="other"))
    await hand.asks_and_says(thing("y", display_name="same"))
    await hand.is_persisted()

    found = await catalog(database)
    assert {item["display_name"] for item in found.values()} == {"same"}
    assert len({item["item_id"] for item in found.values()}) == 2


async def test_what_became_of_the_items_is_counted(database: Database) -> None:
    def now() -> dict[str, float]:
        kinds = ("created", "updated", "deleted", "unchanged", "outdated")
        return {kind: counted("worker_batch_processed_total", directive="script", result=kind) for kind in kinds}

    endpoint = await open_shop(database)
    before = now()
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(A, *things(1, 2))
    await hand.asks_and_says(B, *things(1), thing("thing 00002", deleted=True))
    await hand.is_persisted()

    after = now()
    assert {kind: after[kind] - before[kind] for kind in after} == {
        "created": 3,
        "updated": 1,
        "deleted": 1,
        "unchanged": 1,
        "outdated": 0,
    }


@pytest.mark.parametrize("at_once", [1, 20])
async def test_a_source_that_goes_back_and_forth_ends_with_its_last_word(database: Database, at_once: int) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    for said in (A, B, A):
        await hand.asks_and_says(said, cursor="same")

    await hand.is_persisted(at_once)

    assert await name(database) == "A"
    labels = await rows(database, "SELECT batch_id FROM harvest_outbox WHERE seq > 1 ORDER BY seq")
    assert (await catalog(database))["x"]["revision"] == 3
    assert len(labels) == 2


async def test_between_lanes_the_later_question_wins_whoever_comes_first(database: Database) -> None:
    endpoint = await open_shop(database)
    slow, live = await Hand.begins(database, endpoint, "backfill:1"), await Hand.begins(database, endpoint)
    old, new = await slow.asks(), await live.asks()
    await live.says(new, A)
    await live.is_persisted()

    await slow.says(old, B)
    await slow.is_persisted()

    assert await name(database) == "A"
    assert await outcomes(database) == [("backfill:1", 0, 0, 0, 0, 1), ("live", 1, 0, 0, 0, 0)]


async def test_what_live_saw_unchanged_stands_against_an_older_answer_that_is_still_under_way(
    database: Database,
) -> None:
    endpoint = await open_shop(database)
    live = await Hand.begins(database, endpoint)
    await live.asks_and_says(A)
    await live.is_persisted()
    slow = await Hand.begins(database, endpoint, "backfill:1")
    old, new = await slow.asks(), await live.asks()

    await live.says(new, A)
    await live.is_persisted()
    await slow.says(old, B)
    await slow.is_persisted()

    assert await name(database) == "A"
    (item,) = (await catalog(database)).values()
    assert (item["observation"], item["revision"]) == (new, 1), "it was noted, and nothing else"


async def test_the_same_holds_against_what_is_published_and_not_persisted_yet(database: Database) -> None:
    endpoint = await open_shop(database)
    live = await Hand.begins(database, endpoint)
    await live.asks_and_says(A)
    await live.is_persisted()
    slow = await Hand.begins(database, endpoint, "backfill:1")
    old, new = await slow.asks(), await live.asks()
    await slow.says(old, B)
    await slow.ends()

    await live.says(new, A)
    await live.is_persisted()
    await slow.is_persisted()

    assert await name(database) == "A"


async def test_where_nothing_older_can_come_nothing_is_noted(database: Database) -> None:
    endpoint = await open_shop(database)
    slow = await Hand.begins(database, endpoint, "backfill:1")
    await slow.asks_and_says(B)
    await slow.is_persisted()
    await slow.ends()
    live = await Hand.begins(database, endpoint)
    await live.asks_and_says(A)
    await live.is_persisted()
    (before,) = await rows(database, "SELECT ctid::text, xmin::text, observation FROM items")

    await live.asks_and_says(A)
    await live.is_persisted()

    assert await rows(database, "SELECT ctid::text, xmin::text, observation FROM items") == [before]


async def test_a_slow_backfill_cannot_bring_back_what_is_gone(database: Database) -> None:
    endpoint = await open_shop(database)
    slow, live = await Hand.begins(database, endpoint, "backfill:1"), await Hand.begins(database, endpoint)
    old = await slow.asks()
    await live.asks_and_says(A)
    await live.asks_and_says(thing("x", deleted=True))
    await live.is_persisted()

    await slow.says(old, B)
    await slow.is_persisted()

    assert await catalog(database) == {}
    await live.asks_and_says(A)
    await live.is_persisted()
    assert await name(database) == "A", "but the source itself can"


async def test_a_tombstone_of_something_never_seen_keeps_older_news_out_too(database: Database) -> None:
    endpoint = await open_shop(database)
    slow, live = await Hand.begins(database, endpoint, "backfill:1"), await Hand.begins(database, endpoint)
    old = await slow.asks()
    await live.asks_and_says(thing("x", deleted=True))
    await live.is_persisted()

    await slow.says(old, B)
    await slow.is_persisted()

    assert await catalog(database) == {}


async def test_a_lane_that_is_being_persisted_is_passed_over_and_its_batches_wait_in_order(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(A)

    async with database.tenant(ACME.tenant_id) as tx:
        assert await claim.lock_lane(tx, hand.piece.lane)
        assert await persist_next(database, budget=Budget()) is None
        assert await persist_lane(database, hand.piece.lane, budget=Budget()) is None

    await hand.is_persisted()
    assert await name(database) == "A"


@pytest.mark.req("HV-21", "HV-22")
async def test_several_subscribers_at_once_persist_every_batch_once_and_in_order(database: Database) -> None:
    hands = []
    for number in range(6):
        endpoint = await open_shop(database, f"shop-{number}")
        hands.append(await Hand.begins(database, endpoint, run_id=f"run-{number}"))
    for word in range(8):
        for hand in hands:
            await hand.asks_and_says(thing("x", display_name=f"word {word}"), thing(f"only {word}"))

    async def work() -> int:
        done = 0
        misses = 0
        while misses < 3:
            found = await persist_next(database, budget=Budget(batches=2))
            done += found.batches if found else 0
            misses = 0 if found else misses + 1
        return done

    done = await asyncio.gather(*(work() for _ in range(4)))

    assert sum(done) == 48
    for row in await rows(database, "SELECT * FROM items WHERE external_id = 'x'"):
        assert (row["display_name"], row["revision"]) == ("word 7", 8)
    assert len(await rows(database, "SELECT FROM items")) == 6 * 9
    settled = await rows(database, "SELECT sum(created) AS created, sum(updated) AS updated FROM harvest_outbox")
    assert settled == [{"created": 54, "updated": 42}]


@pytest.mark.req("HV-21")
async def test_a_subscriber_is_woken_by_what_is_published_and_looks_unasked_as_well(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database)
    wakeups = Wakeups(database.url)
    patient = Subscriber(database, wakeups, limits=SubscriberLimits(lanes=1, poll=timedelta(hours=1)))
    tasks = [asyncio.create_task(wakeups.run()), asyncio.create_task(patient.run())]
    await wakeups.listening.wait()
    await run_slice(database, Script.of(script.Said(things(1))), endpoint)
    await settled(database)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    # nobody listens to this one's wake-ups
    restless = Subscriber(
        database, Wakeups(database.url), limits=SubscriberLimits(lanes=1, poll=timedelta(milliseconds=10))
    )
    task = asyncio.create_task(restless.run())
    await run_slice(database, Script.of(script.Said(things(2))), endpoint, "run-2")
    await settled(database)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert len(await catalog(database)) == 2


async def settled(database: Database) -> None:
    """Until nothing is pending; who settles holds the lane, so waiting for its lock is waiting for him."""
    async with asyncio.timeout(60):
        while await rows(database, "SELECT FROM harvest_outbox WHERE status = 'pending'"):
            await rows(database, "SELECT FROM outbox_lanes FOR UPDATE")


async def test_the_change_feed_tells_what_each_batch_changed(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(A, *things(1))
    await hand.asks_and_says(B, *things(1))
    await hand.asks_and_says(B)
    await hand.is_persisted()

    told = await rows(
        database, "SELECT key, payload FROM messages WHERE topic = 'catalog.changes' ORDER BY published_at"
    )
    ids = {row["external_id"]: str(row["item_id"]) for row in (await catalog(database)).values()}
    assert [row["payload"]["updated"] for row in told] == [[], [ids["x"]]]
    assert sorted(told[0]["payload"]["created"]) == sorted(ids.values())
    assert {row["key"] for row in told} == {"main/shop"}


async def test_a_subscriber_that_is_drained_leaves_other_lanes_alone(database: Database) -> None:
    endpoint = await open_shop(database)
    live, other = await Hand.begins(database, endpoint), await Hand.begins(database, endpoint, "backfill:1")
    await live.asks_and_says(A)
    await other.asks_and_says(*things(1))

    await subscriber_of(database).drain(live.piece.lane)

    assert (await catalog(database)).keys() == {"x"}
