"""Many who want the same slots at once, and the fence that a transaction stands behind."""

import asyncio

import pytest
from tests.integration.leases.holders import KEY, acquire, run_out, taken

from windrow import leases
from windrow.contracts.errors import Conflict
from windrow.leases import Held, Lease, Lost
from windrow.postgres import Database


@pytest.mark.req("KV-6")
@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("known", [False, True], ids=["new key", "known key"])
async def test_however_many_race_no_more_win_than_there_are_slots(database: Database, slots: int, known: bool) -> None:
    if known:
        for number in range(slots):
            await taken(database, f"before-{number}", slots=slots)
        await run_out(database)

    answers = await asyncio.gather(*(acquire(database, f"h{number}", slots=slots) for number in range(20)))

    won = [answer for answer in answers if isinstance(answer, Lease)]
    assert len(won) == slots
    assert {lease.slot for lease in won} == set(range(slots))


async def test_workers_that_come_and_go_never_exceed_the_slots(database: Database) -> None:
    inside, most, turns = set[str](), 0, 0

    async def worker(name: str) -> None:
        nonlocal most, turns
        for _ in range(15):
            match await acquire(database, name, slots=3):
                case Lease() as lease:
                    inside.add(name)
                    most, turns = max(most, len(inside)), turns + 1
                    assert isinstance(await leases.renew(database, lease), Lease)
                    inside.discard(name)
                    assert await leases.release(database, lease)

    await asyncio.gather(*(worker(f"w{number}") for number in range(10)))

    assert most <= 3
    assert turns > 15
    async with database.tenant("acme") as tx:
        assert await leases.live(tx, KEY) == []


async def test_the_same_holder_many_times_at_once_has_one_slot(database: Database) -> None:
    answers = await asyncio.gather(*(acquire(database, "ada", slots=5) for _ in range(12)))

    won = sorted((answer for answer in answers if isinstance(answer, Lease)), key=lambda lease: lease.epoch)
    assert len(won) >= 1
    assert {lease.slot for lease in won} == {0}
    assert len({lease.epoch for lease in won}) == len(won)
    async with database.tenant("acme") as tx:
        assert [lease.epoch for lease in await leases.live(tx, KEY)] == [won[-1].epoch]


async def test_an_acquisition_never_waits_for_one_under_way(database: Database) -> None:
    async with database.tenant("acme") as tx:
        await taken(tx, "ada")
        assert await acquire(database, "bob") == Held(None, None)
    await run_out(database)
    async with database.tenant("acme") as tx:
        await taken(tx, "ada")
        assert isinstance(await acquire(database, "bob"), Held)
        assert isinstance(await acquire(database, "ada"), Held)


async def test_two_transactions_that_want_each_others_keys_do_not_deadlock(database: Database) -> None:
    one, other = KEY.child("one"), KEY.child("other")
    async with database.tenant("acme") as ada, database.tenant("acme") as bob:
        assert isinstance(await acquire(ada, "ada", key=one), Lease)
        assert isinstance(await acquire(bob, "bob", key=other), Lease)

        assert isinstance(await acquire(ada, "ada", key=other), Held)
        assert isinstance(await acquire(bob, "bob", key=one), Held)


async def test_nobody_takes_a_slot_from_under_a_transaction_that_checked_it(database: Database) -> None:
    lease = await taken(database, "ada")

    async with database.tenant("acme") as tx:
        await leases.check(tx, lease)
        await run_out(database)
        assert isinstance(await acquire(database, "bob"), Held)
        assert isinstance(await acquire(database, "ada"), Held)

    assert (await taken(database, "bob")).epoch == 2


async def test_a_second_try_of_the_holder_does_not_overtake_the_transaction_of_the_first(database: Database) -> None:
    first = await taken(database, "ada")

    async with database.tenant("acme") as tx:
        await leases.check(tx, first)
        assert await acquire(database, "ada", slots=2) == Held("ada", first.expires_at)

    assert (await taken(database, "ada")).epoch == 2


async def test_a_release_does_not_open_the_fence_of_a_transaction_under_way(database: Database) -> None:
    lease = await taken(database, "ada")

    async with database.tenant("acme") as tx:
        await leases.check(tx, lease)
        assert await leases.release(database, lease)
        assert isinstance(await acquire(database, "bob"), Held)

    assert isinstance(await acquire(database, "bob"), Lease)


async def test_a_check_after_a_release_under_way_fences_the_new_row_too(database: Database) -> None:
    lease = await taken(database, "ada")

    async with database.tenant("acme") as fenced:
        async with database.tenant("acme") as releasing:
            await leases.release(releasing, lease)
            await leases.check(fenced, lease)
        assert isinstance(await acquire(database, "bob"), Held)


async def test_a_checked_lease_can_still_be_renewed(database: Database) -> None:
    lease = await taken(database, "ada")

    async with database.tenant("acme") as tx:
        await leases.check(tx, lease)
        async with asyncio.timeout(60):
            assert isinstance(await leases.renew(database, lease), Lease)


async def test_a_zombie_that_checks_while_its_slot_is_being_taken_is_refused(database: Database) -> None:
    zombie = await taken(database, "ada")
    await run_out(database)

    async def write() -> None:
        async with database.tenant("acme") as tx:
            await leases.check(tx, zombie)

    async with database.tenant("acme") as tx:
        await taken(tx, "bob")
        writing = asyncio.create_task(write())
        renewing = asyncio.create_task(leases.renew(database, zombie))
    with pytest.raises(Conflict, match="lost"):
        await writing
    assert isinstance(await renewing, Lost)
