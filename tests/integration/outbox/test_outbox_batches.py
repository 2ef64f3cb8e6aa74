"""Batches in the outbox: what a row holds, in which order they are taken, and how long they are kept."""

import pytest
from tests.conftest import Said
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import thing, things
from tests.integration.harvest.shop import ACME, open_shop, rows
from tests.integration.kv.desk import counted

from windrow.outbox import claim, retention
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane, Superseded
from windrow.postgres import Database


async def settled_ago(database: Database, seq: int, hours: float) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute(
            "UPDATE harvest_outbox SET settled_at = now() - make_interval(secs => %s) WHERE seq = %s",
            [hours * 3600, seq],
        )


@pytest.mark.req("HV-20")
async def test_a_batch_is_a_row_with_all_that_persisting_it_needs(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    asked = await hand.asks()
    published = await hand.says(
        asked, thing("x", relations=[{"type": "near", "target": "y"}]), thing("y", deleted=True)
    )

    (row,) = await rows(database, "SELECT *, convert_from(payload, 'UTF8')::jsonb AS said FROM harvest_outbox")

    assert (row["tenant_id"], row["project_id"], row["endpoint_id"], row["lane"]) == ("acme", "main", "shop", "live")
    assert (row["batch_id"],) == published.batch_ids
    assert (row["seq"], row["epoch"], row["observation"], row["status"]) == (1, 1, asked, "pending")
    assert (row["spec_ref"], row["run_id"]) == ("connector.script@1.0", "run-live")
    assert (row["items"], row["relations"], row["tombstones"]) == (2, 1, 1)
    assert row["created_at"] >= row["fetched_at"]
    assert {item["external_id"] for item in row["said"]} == {"x", "y"}


async def test_batches_are_taken_lowest_first_within_the_budget_and_at_least_one(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    for number in range(5):
        await hand.asks_and_says(*things(number), thing("filler", attributes={"x": "y" * 1000}))

    async with database.tenant(ACME.tenant_id) as tx:
        lane = hand.piece.lane
        few = await claim.pending(tx, lane, most=3, most_bytes=10**9)
        small = await claim.pending(tx, lane, most=20, most_bytes=2000)
        least = await claim.pending(tx, lane, most=20, most_bytes=1)

    assert [batch.seq for batch in few] == [1, 2, 3]
    assert [batch.seq for batch in small] == [1, 2]
    assert [batch.seq for batch in least] == [1]


async def test_the_lane_that_has_waited_longest_is_next_and_then_goes_to_the_end_of_the_line(
    database: Database,
) -> None:
    hands = []
    for name in ("a", "b", "c"):
        hands.append(await Hand.begins(database, await open_shop(database, name), run_id=f"run-{name}"))
        for _ in range(2):
            await hands[-1].asks_and_says(thing("x"))

    taken = []
    for _ in range(6):
        async with database.system() as tx:
            lane = await claim.next_lane(tx)
            assert lane
            (batch,) = await claim.pending(tx, lane, most=1, most_bytes=1)
            counts = {"created": 1, "updated": 0, "deleted": 0, "unchanged": 0, "outdated": 0}
            await claim.settle(tx, lane, [claim.Settled(seq=batch.seq, **counts)])
            taken.append(lane.endpoint_id)

    assert sorted(taken[:3]) == sorted(taken[3:]) == ["a", "b", "c"]


@pytest.mark.req("HV-23")
async def test_what_was_settled_is_kept_48_hours_and_what_is_pending_for_ever(database: Database, said: Said) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    for number in range(4):
        await hand.asks_and_says(*things(number))
    await hand.is_persisted()
    await hand.asks_and_says(*things(9))
    for seq, hours in ((1, 49), (2, 48.1), (3, 47.9)):
        await settled_ago(database, seq, hours)
    await rows(database, "UPDATE harvest_outbox SET status = 'discarded' WHERE seq = 2 RETURNING seq")
    await rows(database, "UPDATE harvest_outbox SET created_at = now() - interval '1 year' WHERE seq = 5 RETURNING seq")

    removed = await retention.purge(database)

    assert removed == 2
    assert [row["seq"] for row in await rows(database, "SELECT seq FROM harvest_outbox ORDER BY seq")] == [3, 4, 5]
    (line,) = said.events("outbox.purged")
    assert line["batches"] == 2


@pytest.mark.req("HV-23")
async def test_a_purge_removes_more_than_one_transaction_would_and_says_nothing_when_there_is_nothing(
    database: Database, said: Said
) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    await hand.asks_and_says(thing("x"))
    await hand.is_persisted()
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute(
            "INSERT INTO harvest_outbox SELECT (json_populate_record(o, json_build_object('seq', n, 'settled_at', now() - interval '3 days'))).*"
            " FROM harvest_outbox o, generate_series(2, 1201) AS n"
        )

    assert await retention.purge(database) == 1200
    assert await retention.purge(database) == 0
    assert len(said.events("outbox.purged")) == 1


async def test_what_waits_and_what_is_stopped_is_measured_over_all_tenants(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    for number in range(3):
        await hand.asks_and_says(*things(number))
    await rows(database, "UPDATE harvest_outbox SET created_at = now() - interval '90 s' WHERE seq = 1 RETURNING seq")
    await rows(database, "UPDATE outbox_lanes SET stopped_at = now(), stopped_seq = 1 RETURNING lane")

    await retention.measure(database)

    assert counted("harvest_outbox_pending_batches") == 3
    assert 90 <= counted("harvest_outbox_lag_seconds") < 150
    assert counted("harvest_lanes_stopped") == 1


async def test_the_fence_lets_only_the_last_who_began_through(database: Database) -> None:
    endpoint = await open_shop(database)
    first = await Hand.begins(database, endpoint, run_id="run-1")
    second = await Hand.begins(database, endpoint, run_id="run-2")

    assert (first.piece.epoch, second.piece.epoch) == (1, 2)
    with pytest.raises(Superseded):
        await first.asks_and_says(thing("x"))
    assert not await first.ends()
    await second.asks_and_says(thing("x"))
    assert await second.ends()


async def test_a_closed_lane_lets_nobody_through_until_somebody_begins_again(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint, "backfill:1")
    await hand.asks_and_says(thing("x"))

    async with database.tenant(ACME.tenant_id) as tx:
        assert await lanes.close(tx, hand.piece.lane)
        assert not await lanes.close(tx, hand.piece.lane)

    with pytest.raises(Superseded):
        await hand.asks_and_says(thing("y"))
    again = await Hand.begins(database, endpoint, "backfill:1", "run-2")
    await again.asks_and_says(thing("y"))


async def test_what_may_still_come_elsewhere_is_the_oldest_under_way_or_pending(database: Database) -> None:
    endpoint = await open_shop(database)
    live = Lane(ACME, "shop")

    async def elsewhere() -> int | None:
        async with database.tenant(ACME.tenant_id) as tx:
            return await lanes.oldest_elsewhere(tx, live)

    await Hand.begins(database, endpoint)
    assert await elsewhere() is None, "what this lane itself has does not count"
    slow = await Hand.begins(database, endpoint, "backfill:1")
    begun = await elsewhere()
    asked = await slow.asks()
    assert begun is not None
    assert begun <= asked
    await slow.says(asked, thing("x"))
    assert await elsewhere() == asked
    await slow.ends()
    assert await elsewhere() == asked, "it is not persisted yet"
    await slow.is_persisted()
    assert await elsewhere() is None
