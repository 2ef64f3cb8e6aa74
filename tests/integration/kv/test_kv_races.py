"""Many writers of one key at once: nothing is lost, nothing is done twice."""

import asyncio

import pytest
from tests.integration.kv.desk import CURSOR, FLEETING, KEY, WRITER, delete, put, run_out

from windrow import kv
from windrow.kv import Outcome, Replayed, Stale, Stored
from windrow.postgres import Database, Transaction

WRITERS = 16
INCREMENTS = 200


async def increment(where: Transaction, request: str, known: tuple[int, int]) -> tuple[int, int]:
    """Add one to the number; what is known of version and number is only a guess to begin with."""
    version, number = known
    while True:
        # another number is another request
        match await put(where, number + 1, version, f"{request}-{number}"):
            case Stored(made):
                return made, number + 1
            case Stale(found, value):
                version, number = found, value or 0


@pytest.mark.req("KV-9")
@pytest.mark.timeout(900)  # a minute of two cores that are not shared
async def test_sixteen_writers_of_two_hundred_increments_each_lose_nothing(database: Database) -> None:
    made: list[int] = []

    async def writer(name: int) -> None:
        known = (0, 0)
        async with database.connection() as connection:
            for step in range(INCREMENTS):
                known = await increment(Transaction(connection), f"{name}-{step}", known)
                made.append(known[0])

    await asyncio.gather(*(writer(name) for name in range(WRITERS)))

    found = await kv.get(database, KEY)
    assert (found.value, found.version) == (WRITERS * INCREMENTS, WRITERS * INCREMENTS)
    assert sorted(made) == list(range(1, WRITERS * INCREMENTS + 1))


def sorted_by_kind(outcomes: list[Outcome]) -> dict[type, int]:
    return {kind: sum(isinstance(outcome, kind) for outcome in outcomes) for kind in (Stored, Replayed, Stale)}


@pytest.mark.req("KV-9")
@pytest.mark.parametrize("expected", [0, 1], ids=["creation", "update"])
async def test_of_many_that_race_for_one_version_one_wins(database: Database, expected: int) -> None:
    if expected:
        await put(database, "before", 0, "r0")

    outcomes = await asyncio.gather(*(put(database, name, expected, f"r-{name}") for name in range(16)))

    assert sorted_by_kind(outcomes) == {Stored: 1, Replayed: 0, Stale: 15}
    (winner,) = [name for name, outcome in enumerate(outcomes) if isinstance(outcome, Stored)]
    assert {(stale.version, stale.value) for stale in outcomes if isinstance(stale, Stale)} == {(expected + 1, winner)}


@pytest.mark.req("KV-4")
@pytest.mark.parametrize("expected", [0, 1], ids=["creation", "update"])
async def test_one_request_sent_many_times_at_once_is_written_once(database: Database, expected: int) -> None:
    if expected:
        await put(database, "before", 0, "r0")

    outcomes = await asyncio.gather(*(put(database, "same", expected, "r1") for _ in range(16)))

    assert sorted_by_kind(outcomes) == {Stored: 1, Replayed: 15, Stale: 0}
    assert {outcome.version for outcome in outcomes} == {expected + 1}
    async with database.tenant("acme") as tx:
        assert len(await kv.history(tx, KEY)) == expected + 1


async def test_of_many_that_race_to_take_what_ran_out_one_wins(database: Database) -> None:
    await put(database, "before", 0, "r0", semantics=FLEETING)
    await run_out(database)

    outcomes = await asyncio.gather(
        kv.sweep(database), *(put(database, name, 0, f"r-{name}", semantics=CURSOR) for name in range(8))
    )

    assert sorted_by_kind(outcomes[1:]) == {Stored: 1, Replayed: 0, Stale: 7}
    assert (await kv.get(database, KEY)).version == 2


async def test_a_put_and_a_deletion_of_one_version_exclude_each_other(database: Database) -> None:
    for turn in range(20):
        key = KEY.child(str(turn))
        await put(database, "a", 0, "r0", key=key)
        outcomes = await asyncio.gather(put(database, "b", 1, "r1", key=key), delete(database, 1, "d1", key=key))
        assert sorted_by_kind(outcomes) == {Stored: 1, Replayed: 0, Stale: 1}


async def test_a_writer_waits_for_the_one_before_it_and_then_decides(database: Database) -> None:
    await put(database, "a", 0, "r0")

    async with database.tenant("acme") as tx:
        await put(tx, "b", 1, "r1")
        rival = asyncio.create_task(put(database, "c", 1, "r2"))
        twin = asyncio.create_task(put(database, "b", 1, "r1"))
        await blocked(database, 2)

    assert await rival == Stale(2, "b")
    assert await twin == Replayed(2)


async def test_a_writer_goes_on_when_the_one_before_it_gave_up(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.tenant("acme") as tx:
            await put(tx, "a", 0, "r0")
            rival = asyncio.create_task(put(database, "b", 0, "r1"))
            twin = asyncio.create_task(put(database, "c", 0, "r1", key=KEY.child("x")))
            await blocked(database, 1)
            raise RuntimeError

    assert await rival == Stored(1)
    assert await twin == Stored(1)


async def test_an_entry_that_ran_out_while_the_writer_waited_counts_as_absent(database: Database) -> None:
    await put(database, "a", 0, "r0", semantics=FLEETING)

    async with database.tenant("acme") as tx:
        await tx.connection.execute("UPDATE kv SET expires_at = clock_timestamp() + interval '200 ms'")
    async with database.tenant("acme") as tx:
        # a lock without a change: the waiting statement does not look at the row anew by itself
        await tx.connection.execute("SELECT FROM kv FOR UPDATE")
        rival = asyncio.create_task(put(database, "b", 1, "r1"))
        await blocked(database, 1)
        await tx.connection.execute("SELECT pg_sleep_until((SELECT expires_at FROM kv))")

    assert await rival == Stale(0, None)


async def test_a_cancelled_put_is_there_wholly_or_not_at_all(database: Database) -> None:
    for turn in range(30):
        key = KEY.child(str(turn))
        task = asyncio.create_task(
            kv.put(database, key, turn, expected_version=0, request_id="r", semantics=CURSOR, writer=WRITER)
        )
        for _ in range(turn):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        found = await kv.get(database, key)
        async with database.tenant("acme") as tx:
            assert len(await kv.history(tx, key)) == (1 if found else 0)
        assert await put(database, turn, 0, "r", key=key) == (Replayed(1) if found else Stored(1))


async def blocked(database: Database, writers: int) -> None:
    """Until as many statements wait for a lock as are expected to."""
    while True:
        async with database.connection() as connection:
            row = await (
                await connection.execute(
                    """SELECT count(DISTINCT l.pid) AS waiting FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                        WHERE a.datname = current_database() AND NOT l.granted"""
                )
            ).fetchone()
        if row["waiting"] >= writers:
            return
