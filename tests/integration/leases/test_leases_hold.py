"""Work done while holding: renewed in the background, stopped before the lease can end."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest
from tests.conftest import Said
from tests.integration.leases.holders import KEY, MINUTE, acquire, run_out, taken

from windrow import leases
from windrow.contracts.errors import Code, Conflict
from windrow.leases import Held, Lease
from windrow.postgres import Database

# renewed every second, and lost only by a machine that stands still for two more
SHORT = timedelta(seconds=3)


async def holders(database: Database) -> list[str]:
    async with database.tenant("acme") as tx:
        return [lease.holder for lease in await leases.live(tx, KEY)]


async def test_the_key_is_held_while_the_body_runs_and_free_after_it(database: Database) -> None:
    async with leases.held(database, KEY, "ada", ttl=MINUTE) as lease:
        assert await acquire(database, "bob") == Held("ada", lease.expires_at)

    assert await holders(database) == []


async def test_a_body_longer_than_the_lease_keeps_it_by_renewals(database: Database) -> None:
    async with leases.held(database, KEY, "ada", ttl=SHORT) as lease:
        async with database.connection() as connection:
            await connection.execute("SELECT pg_sleep_until(%s)", [lease.expires_at])
        async with database.tenant("acme") as tx:
            await leases.check(tx, lease)

    assert await holders(database) == []


async def test_a_key_that_is_held_cannot_be_held_again(database: Database) -> None:
    await taken(database, "ada")

    with pytest.raises(Conflict, match="held by ada") as refused:
        async with leases.held(database, KEY, "bob", ttl=SHORT):
            pytest.fail("the body must not run")
    assert refused.value.code is Code.CONTENTION


@pytest.mark.parametrize("successor", [False, True])
async def test_a_body_whose_lease_was_lost_is_cancelled(database: Database, said: Said, successor: bool) -> None:
    ran_on = False
    with pytest.raises(Conflict) as lost:
        async with leases.held(database, KEY, "ada", ttl=SHORT):
            async with database.tenant("acme") as tx:  # in one: a renewal comes before both or after both
                await run_out(tx)
                if successor:
                    await taken(tx, "bob")
            await asyncio.Event().wait()
            ran_on = True

    assert lost.value.code is Code.LEASE_LOST
    assert not ran_on
    assert [line["reason"] for line in said.events("lease.lost")] == ["superseded" if successor else "expired"]
    assert await holders(database) == (["bob"] if successor else [])


async def test_a_body_that_is_cut_off_from_the_database_is_stopped_before_its_lease_ends(
    database_url: str, said: Said
) -> None:
    loop, ttl = asyncio.get_running_loop(), timedelta(seconds=2)
    ended, in_time = asyncio.Event(), False
    async with Database(database_url) as cut_off:
        # the database counts from later than we do, so its end cannot be before this. After a standstill the loop does
        # what is overdue in the order in which it was due; a body that is stopped hears of it one turn later
        loop.call_at(loop.time() + ttl.total_seconds(), loop.call_soon, loop.call_soon, ended.set)
        with pytest.raises(Conflict, match="unreachable") as lost:
            async with leases.held(cut_off, KEY, "ada", ttl=ttl):
                await cut_off.__aexit__()
                try:
                    await asyncio.Event().wait()
                finally:
                    in_time = not ended.is_set()

    assert in_time
    assert lost.value.code is Code.LEASE_LOST
    assert {line["what"] for line in said.events("attempt.retried")} == {"renew a lease"}
    assert [line["reason"] for line in said.events("lease.lost")] == ["unreachable"]


async def test_a_hiccup_of_the_database_does_not_lose_the_lease(database: Database, database_url: str) -> None:
    async with (
        Database(database_url, size=1) as narrow,
        leases.held(narrow, KEY, "ada", ttl=timedelta(seconds=3)) as lease,
    ):
        narrow._pool.timeout = 0.3
        async with narrow.connection() as hogged:  # the renewal finds no connection for longer than its first try
            await hogged.execute("SELECT pg_sleep(1.4)")
        async with database.connection() as connection:
            await connection.execute("SELECT pg_sleep_until(%s)", [lease.expires_at])
        async with database.tenant("acme") as tx:
            await leases.check(tx, lease)


async def test_what_the_body_raises_passes_and_the_key_is_free(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with leases.held(database, KEY, "ada", ttl=MINUTE):
            raise ZeroDivisionError

    assert await holders(database) == []


async def test_the_bodys_own_timeout_is_not_taken_for_a_lost_lease(database: Database) -> None:
    with pytest.raises(TimeoutError):
        async with leases.held(database, KEY, "ada", ttl=MINUTE):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()

    assert await holders(database) == []


async def test_a_cancelled_body_gives_the_key_back(database: Database) -> None:
    entered = asyncio.Event()

    async def work() -> None:
        async with leases.held(database, KEY, "ada", ttl=timedelta(minutes=1)):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await holders(database) == []
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith("renew")] == []


async def test_a_body_that_swallows_its_cancellation_is_still_told(database: Database) -> None:
    with pytest.raises(Conflict, match="lost"):
        async with leases.held(database, KEY, "ada", ttl=SHORT):
            await run_out(database)
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()


async def test_a_body_may_end_at_any_moment_of_a_renewal(database: Database) -> None:
    async with asyncio.timeout(90):
        for turn in range(60):
            # over before the lease is lost, or after: only that it ends is asked here
            with suppress(Conflict):
                async with leases.held(database, KEY, f"h{turn}", ttl=timedelta(milliseconds=60)):
                    await asyncio.sleep(0.019 + turn * 0.00005)  # the renewal goes out at 20 ms
            await run_out(database)


async def test_several_hold_several_slots(database: Database) -> None:
    async with (
        leases.held(database, KEY, "ada", ttl=MINUTE, slots=2) as one,
        leases.held(database, KEY, "bob", ttl=MINUTE, slots=2) as two,
    ):
        assert {one.slot, two.slot} == {0, 1}
        assert not isinstance(await acquire(database, "eve", slots=2), Lease)
