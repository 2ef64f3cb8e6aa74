"""A batch that cannot be persisted stops its own lane, with the reason; everything else flows."""

import asyncio
from typing import Any

import psycopg
import pytest
from tests.conftest import Said
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import thing, things
from tests.integration.harvest.shop import ACME, OPERATOR, catalog, open_shop, rows, subscriber_of
from tests.integration.kv.desk import counted

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.harvest.persist import Budget
from windrow.outbox import stop
from windrow.outbox.lane import Lane
from windrow.postgres import Database, audit

# what becomes of a payload that somebody spoilt, and what the database says to it
SPOILT = {
    "not json": b"[{",
    "no array": b"{}",
    "no uuid": b'[{"item_id": "nobody", "entity_type": "thing", "external_id": "x", "display_name": "x", "content_hash": "1"}]',
    "a null": b'[{"item_id": "8c49ab4a-3d25-8c35-a0f7-a8ab3ba41d62", "external_id": "x", "display_name": "x", "content_hash": "1"}]',
    "not utf-8": b"\xff\xfe",
}


async def spoil(database: Database, lane: Lane, seq: int, payload: bytes = SPOILT["no uuid"]) -> None:
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute(
            "UPDATE harvest_outbox SET payload = %s WHERE lane = %s AND endpoint_id = %s AND seq = %s",
            [payload, lane.name, lane.endpoint_id, seq],
        )


async def status(database: Database, lane: Lane) -> stop.LaneStatus:
    async with database.tenant(ACME.tenant_id) as tx:
        found = await stop.statuses(tx, project=ACME.project_id, endpoint=lane.endpoint_id)
    return next(each for each in found if each.lane == lane.name)


async def drained(database: Database, **limits: Any) -> None:
    """One subscriber works until it finds nothing more."""
    subscriber = subscriber_of(database, **limits)
    while await subscriber._step():
        pass


@pytest.mark.parametrize("payload", SPOILT.values(), ids=SPOILT)
async def test_a_poisoned_batch_stops_its_lane_at_it_with_the_reason(
    database: Database, said: Said, payload: bytes
) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    for number in range(4):
        await hand.asks_and_says(thing(f"x{number}"))
    await spoil(database, hand.piece.lane, 3, payload)
    failed = counted("worker_batch_processed_total", directive="script", result="failed")

    await hand.is_persisted()

    assert (await catalog(database)).keys() == {"x0", "x1"}, "those before it are persisted, those behind it wait"
    found = await status(database, hand.piece.lane)
    assert (found.stopped_seq, found.pending) == (3, 2)
    assert found.stopped_why
    (line,) = said.events("lane.stopped")
    assert (line["level"], line["seq"], line["reason"]) == ("ERROR", 3, found.stopped_why)
    assert counted("worker_batch_processed_total", directive="script", result="failed") == failed + 1


async def test_other_lanes_flow_also_those_of_the_same_endpoint(database: Database) -> None:
    endpoint, other = await open_shop(database), await open_shop(database, "other")
    hands = [
        await Hand.begins(database, endpoint),
        await Hand.begins(database, endpoint, "backfill:1"),
        await Hand.begins(database, other, run_id="run-other"),
    ]
    for number, hand in enumerate(hands):
        await hand.asks_and_says(thing(f"x{number}"))
    await spoil(database, hands[0].piece.lane, 1)

    await drained(database)

    assert (await catalog(database)).keys() == {"x1", "x2"}


async def test_a_retried_lane_goes_on_in_order_once_the_batch_is_well(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    for word in ("A", "B", "C"):
        await hand.asks_and_says(thing("x", display_name=word))
    (well,) = await rows(database, "SELECT payload FROM harvest_outbox WHERE seq = 2")
    await spoil(database, hand.piece.lane, 2)
    await hand.is_persisted()
    await spoil(database, hand.piece.lane, 2, well["payload"])

    async with database.tenant(ACME.tenant_id) as tx:
        assert await stop.retry(tx, hand.piece.lane, actor=OPERATOR, reason="mended") == 2
    await hand.is_persisted()

    assert (await catalog(database))["x"]["display_name"] == "C"
    assert (await catalog(database))["x"]["revision"] == 3


async def test_a_retry_of_what_is_still_broken_stops_again(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    await hand.asks_and_says(thing("x"))
    await spoil(database, hand.piece.lane, 1)
    await hand.is_persisted()

    async with database.tenant(ACME.tenant_id) as tx:
        await stop.retry(tx, hand.piece.lane, actor=OPERATOR)
    await hand.is_persisted()

    assert (await status(database, hand.piece.lane)).stopped_seq == 1


async def test_a_discarded_batch_is_set_aside_in_its_place_and_accounted_for(database: Database, said: Said) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    await hand.asks_and_says(*things(1, 2, 3))
    await hand.asks_and_says(thing("x"))
    await spoil(database, hand.piece.lane, 1)
    await hand.is_persisted()

    async with database.tenant(ACME.tenant_id) as tx:
        assert await stop.discard(tx, hand.piece.lane, actor=OPERATOR, reason="beyond repair") == 1
    await hand.is_persisted()

    assert (await catalog(database)).keys() == {"x"}
    states = await rows(database, "SELECT seq, status FROM harvest_outbox ORDER BY seq")
    assert [row["status"] for row in states] == ["discarded", "processed"]
    async with database.tenant(ACME.tenant_id) as tx:
        (entry,) = await audit.history(tx, subject="lane/shop/live")
    assert (entry.action, entry.actor, entry.reason, entry.details) == (
        "outbox.discard",
        "ada",
        "beyond repair",
        {"seq": 1},
    )
    (line,) = said.events("lane.resumed")
    assert (line["action"], line["seq"], line["actor"]) == ("discard", 1, "ada")


@pytest.mark.parametrize("act", [stop.retry, stop.discard])
async def test_a_lane_that_is_not_stopped_cannot_be_resumed(database: Database, act: Any) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    await hand.asks_and_says(thing("x"))

    with pytest.raises(ValidationFailure, match="not stopped"):
        async with database.tenant(ACME.tenant_id) as tx:
            await act(tx, hand.piece.lane, actor=OPERATOR, reason="?")

    await hand.is_persisted()
    assert (await catalog(database)).keys() == {"x"}


async def test_two_operators_cannot_both_discard_a_batch(database: Database) -> None:
    hand = await Hand.begins(database, await open_shop(database))
    await hand.asks_and_says(thing("x"))
    await hand.asks_and_says(thing("y"))
    await spoil(database, hand.piece.lane, 1)
    await hand.is_persisted()

    async def discard() -> int:
        async with database.tenant(ACME.tenant_id) as tx:
            return await stop.discard(tx, hand.piece.lane, actor=OPERATOR, reason="?")

    done = await asyncio.gather(discard(), discard(), return_exceptions=True)

    assert sorted(type(each).__name__ for each in done) == ["ValidationFailure", "int"]
    states = await rows(database, "SELECT status FROM harvest_outbox ORDER BY seq")
    assert [row["status"] for row in states] == ["discarded", "pending"]


async def broken_catalog(database: Database, database_url: str, body: str) -> None:
    """From here on whoever writes an item called x runs into this."""

    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        await owner.execute(
            f"CREATE FUNCTION windrow.trip() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
            f" IF NEW.external_id = 'x' THEN {body} END IF; RETURN NEW; END$$".encode()
        )
        await owner.execute(
            "CREATE TRIGGER trip BEFORE INSERT ON windrow.items FOR EACH ROW EXECUTE FUNCTION windrow.trip()"
        )


@pytest.mark.parametrize(
    ("state", "error"),
    [("53100", Fatal), ("25006", Fatal), ("42P01", Fatal), ("40P01", Conflict), ("57P03", RetryableTransient)],
    ids=["disk full", "read only", "schema missing", "deadlock", "not ready"],
)
async def test_what_is_wrong_with_the_database_stops_no_lane(
    own_database_url: str, state: str, error: type[WindrowError]
) -> None:
    async with Database(own_database_url, size=4) as database:
        await broken_catalog(database, own_database_url, f"RAISE EXCEPTION USING ERRCODE = '{state}';")
        hand = await Hand.begins(database, await open_shop(database))
        await hand.asks_and_says(thing("x"))

        with pytest.raises(error):
            await hand.is_persisted()

        assert (await status(database, hand.piece.lane)).stopped_at is None


async def test_what_nobody_knows_is_tried_five_times_before_it_stops_the_lane(own_database_url: str) -> None:
    async with Database(own_database_url, size=4) as database:
        await broken_catalog(database, own_database_url, "RAISE EXCEPTION 'odd';")
        hand = await Hand.begins(database, await open_shop(database))
        for name in ("w", "x", "y"):
            await hand.asks_and_says(thing(name))
        subscriber = subscriber_of(database, budget=Budget(batches=20))

        failures = []
        while (await status(database, hand.piece.lane)).stopped_at is None:
            try:
                await subscriber.drain(hand.piece.lane)
            except WindrowError as error:
                failures.append(error.code)

        assert failures == [Code.UNKNOWN] * 4, "the fifth stops the lane"
        assert (await catalog(database)).keys() == {"w"}
        assert (await status(database, hand.piece.lane)).stopped_seq == 2
