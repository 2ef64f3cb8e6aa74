"""One lease from its acquisition to its end, and what a zombie can no longer do."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Said
from tests.integration.kv.desk import counted
from tests.integration.leases.holders import KEY, MINUTE, acquire, run_out, taken

from windrow import leases
from windrow.contracts.errors import Code, Conflict, Fatal
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.leases import Held, Lease, Lost, Reason
from windrow.postgres import Database


@pytest.mark.req("KV-6")
async def test_a_free_key_is_acquired_until_a_time_of_the_databases_clock(database: Database) -> None:
    lease = await taken(database, "ada")

    assert (lease.key, lease.slot, lease.epoch, lease.holder) == (KEY, 0, 1, "ada")
    assert abs(lease.expires_at - datetime.now(UTC) - MINUTE) < timedelta(seconds=30)


@pytest.mark.req("KV-6")
async def test_a_held_key_is_denied_with_its_holder_and_its_end(database: Database) -> None:
    lease = await taken(database, "ada")

    assert await acquire(database, "bob") == Held("ada", lease.expires_at)


@pytest.mark.req("KV-6")
async def test_a_released_key_is_free_at_once_under_the_next_epoch(database: Database) -> None:
    lease = await taken(database, "ada")

    assert await leases.release(database, lease)
    assert (await taken(database, "bob")).epoch == 2


@pytest.mark.req("KV-6")
async def test_a_lease_past_its_time_is_free_under_the_next_epoch(database: Database) -> None:
    await taken(database, "ada")
    await run_out(database)

    bob = await taken(database, "bob")

    assert (bob.epoch, bob.slot) == (2, 0)


@pytest.mark.req("KV-6")
async def test_a_renewal_gives_the_whole_time_again_and_keeps_the_epoch(database: Database) -> None:
    lease = await taken(database, "ada")

    renewed = await leases.renew(database, lease)

    assert isinstance(renewed, Lease)
    assert renewed.expires_at > lease.expires_at
    assert renewed == replace(lease, expires_at=renewed.expires_at)
    assert renewed.expires_at - lease.expires_at < timedelta(seconds=30)
    async with database.tenant("acme") as tx:
        assert await leases.live(tx, KEY) == [renewed]


@pytest.mark.req("KV-6")
async def test_a_holder_whose_lease_ran_out_can_neither_renew_nor_release_nor_write(database: Database) -> None:
    zombie = await taken(database, "ada")
    await run_out(database)

    assert await leases.renew(database, zombie) == Lost(Reason.EXPIRED)
    assert not await leases.release(database, zombie)
    with pytest.raises(Conflict, match="expired") as lost:
        async with database.tenant("acme") as tx:
            await leases.check(tx, zombie)
    assert lost.value.code is Code.LEASE_LOST


@pytest.mark.req("KV-6")
async def test_a_holder_whose_lease_ran_out_cannot_touch_the_one_of_its_successor(database: Database) -> None:
    zombie = await taken(database, "ada")
    await run_out(database)
    bob = await taken(database, "bob")

    assert await leases.renew(database, zombie) == Lost(Reason.SUPERSEDED)
    assert not await leases.release(database, zombie)
    async with database.tenant("acme") as tx:
        assert await leases.live(tx, KEY) == [bob]


@pytest.mark.req("KV-6")
async def test_nobody_can_renew_or_release_in_the_name_of_another(database: Database) -> None:
    lease = await taken(database, "ada")
    thief = replace(lease, holder="bob")

    assert await leases.renew(database, thief) == Lost(Reason.SUPERSEDED)
    assert not await leases.release(database, thief)
    assert isinstance(await leases.renew(database, lease), Lease)


async def test_a_lease_is_given_back_once(database: Database, said: Said) -> None:
    lease = await taken(database, "ada")
    await leases.release(database, lease)

    assert not await leases.release(database, lease)
    assert await leases.renew(database, lease) == Lost(Reason.RELEASED)
    assert said.events("lease.lost") == []


async def test_a_lease_that_never_was_is_lost(database: Database) -> None:
    invented = Lease(KEY, 3, 1, "ada", MINUTE, datetime.now(UTC))

    assert await leases.renew(database, invented) == Lost(Reason.SUPERSEDED)


async def test_the_same_holder_again_takes_its_slot_over_and_its_first_try_is_fenced(database: Database) -> None:
    first = await taken(database, "ada", slots=3)
    await taken(database, "bob", slots=3)

    second = await taken(database, "ada", slots=3)

    assert (second.slot, second.epoch) == (first.slot, first.epoch + 1)
    assert await leases.renew(database, first) == Lost(Reason.SUPERSEDED)
    async with database.tenant("acme") as tx:
        assert [lease.holder for lease in await leases.live(tx, KEY)] == ["ada", "bob"]


async def test_epochs_rise_through_release_expiry_and_acquisition_in_any_order(database: Database) -> None:
    epochs = []
    for turn in range(6):
        lease = await taken(database, f"h{turn}")
        epochs.append(lease.epoch)
        if turn % 2:
            await leases.release(database, lease)
        else:
            await run_out(database)

    assert epochs == [1, 2, 3, 4, 5, 6]


async def test_time_passes_inside_of_a_transaction_too(database: Database) -> None:
    async with database.tenant("acme") as tx:
        lease = await taken(tx, "ada", ttl=timedelta(milliseconds=20))
        await tx.connection.execute("SELECT pg_sleep(0.03)")

        assert await leases.renew(tx, lease) == Lost(Reason.EXPIRED)


async def test_a_key_has_as_many_holders_as_slots(database: Database) -> None:
    held = [await acquire(database, f"h{number}", slots=3) for number in range(4)]

    assert [lease.slot for lease in held[:3]] == [0, 1, 2]
    assert held[3] == Held("h0", held[0].expires_at)
    await leases.release(database, held[1])
    assert (await taken(database, "h4", slots=3)).slot == 1


async def test_where_the_slots_were_lowered_the_old_holders_still_count(database: Database) -> None:
    held = [await taken(database, f"h{number}", slots=4) for number in range(4)]
    await leases.release(database, held[0])
    await leases.release(database, held[1])

    assert isinstance(await acquire(database, "new", slots=2), Held)
    await leases.release(database, held[3])
    assert (await taken(database, "new", slots=2)).slot == 0
    assert isinstance(await acquire(database, "newer", slots=2), Held)
    await leases.release(database, held[2])
    assert (await taken(database, "newer", slots=2)).slot == 1


async def test_an_acquisition_that_was_rolled_back_holds_nothing(database: Database, said: Said) -> None:
    with pytest.raises(RuntimeError):
        async with database.tenant("acme") as tx:
            await taken(tx, "ada")
            raise RuntimeError

    assert said.events("lease.acquired") == []
    assert isinstance(await acquire(database, "bob"), Lease)


async def test_keys_of_two_tenants_are_two_leases(database: Database) -> None:
    await taken(database, "ada")

    theirs = await acquire(database, "ada", key=Key(Scope("other", "main"), KEY.path))
    assert isinstance(theirs, Lease)


async def test_a_tenant_cannot_check_a_lease_in_the_transaction_of_another(database: Database) -> None:
    lease = await taken(database, "ada")

    with pytest.raises(Fatal, match="this transaction is tenant other"):
        async with database.tenant("other") as tx:
            await leases.check(tx, lease)


async def test_what_happens_to_leases_is_told_and_counted(database: Database, said: Said) -> None:
    metrics = ("leases_acquired_total", "leases_denied_total", "leases_lost_total")
    before = [counted(name) for name in metrics]

    lease = await taken(database, "ada")
    await acquire(database, "bob")
    await run_out(database)
    await leases.renew(database, lease)
    await leases.release(database, await taken(database, "bob"))

    acquired, denied, lost, _, released = said.events()
    about = {"key": str(KEY), "tenant_id": "acme", "project_id": "main"}
    assert acquired.items() >= {**about, "event": "lease.acquired", "slot": 0, "epoch": 1, "holder": "ada"}.items()
    assert denied.items() >= {**about, "event": "lease.denied", "holder": "bob", "held_by": "ada"}.items()
    assert lost.items() >= {**about, "event": "lease.lost", "level": "WARN", "epoch": 1, "reason": "expired"}.items()
    assert released.items() >= {**about, "event": "lease.released", "epoch": 2, "holder": "bob"}.items()
    assert [counted(name) - was for name, was in zip(metrics, before, strict=True)] == [2, 1, 1]
