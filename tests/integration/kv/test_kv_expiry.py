"""What time does: entries run out, sweeps make them tombstones, the ledger forgets."""

import asyncio

import pytest
from tests.conftest import Said
from tests.integration.kv.desk import CURSOR, FLEETING, KEY, counted, delete, put, run_out

from windrow import kv
from windrow.contracts.errors import Fatal
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.kv import Replayed, Stale, Stored
from windrow.kv.store import Q
from windrow.postgres import Database

THEIRS = Key(Scope("other", "main"), KEY.path)


@pytest.mark.req("KV-5")
async def test_an_entry_past_its_time_reads_as_absent_by_the_databases_clock(database: Database) -> None:
    async with database.tenant("acme") as tx:
        await put(tx, "a", 0, "r1", semantics=FLEETING)
        assert await kv.get(tx, KEY)
        await tx.connection.execute("UPDATE kv SET expires_at = clock_timestamp() + interval '50 ms'")
        # the clock goes on inside of a transaction too
        await tx.connection.execute("SELECT pg_sleep_until((SELECT expires_at FROM kv))")

        assert await kv.get(tx, KEY) is None


@pytest.mark.req("KV-5", "KV-9")
@pytest.mark.parametrize("swept", [False, True], ids=["before the sweep", "after the sweep"])
async def test_what_ran_out_can_be_taken_again_and_its_versions_go_on(database: Database, swept: bool) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await run_out(database)
    if swept:
        await kv.sweep(database)

    assert await put(database, "b", 1, "r2", semantics=FLEETING) == Stale(0, None)
    assert await put(database, "b", 0, "r2", semantics=FLEETING) == Stored(2)
    assert (await kv.get(database, KEY)).value == "b"


@pytest.mark.req("KV-5")
async def test_a_sweep_soft_deletes_what_ran_out_and_nothing_else(database: Database) -> None:
    await put(database, "canary-fleeting", 0, "r1", semantics=FLEETING)
    await put(database, "canary-theirs", 0, "r1", semantics=FLEETING, key=THEIRS)
    await put(database, "lasting", 0, "r1", key=KEY.child("lasting"))
    await put(database, "later", 0, "r1", key=KEY.child("later"), semantics=FLEETING)
    await run_out(database)
    await run_out(database, THEIRS)

    assert await kv.sweep(database) == 2
    assert await kv.sweep(database) == 0
    async with database.tenant("acme") as tx:
        rows = await (await tx.connection.execute("SELECT key, version, value FROM kv ORDER BY key")).fetchall()
    assert [(row["version"], row["value"]) for row in rows] == [(1, None), (1, "lasting"), (1, "later")]


@pytest.mark.req("KV-5")
@pytest.mark.parametrize("how", ["sweep", "put"])
async def test_an_expiry_is_logged_once_with_its_semantics_whoever_notices(
    database: Database, said: Said, how: str
) -> None:
    counted_before = counted("kv_expirations_total", purpose="latch")
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await run_out(database)
    if how == "sweep":
        await kv.sweep(database)
    await put(database, "b", 0, "r2", semantics=CURSOR)
    await kv.sweep(database)

    (expired,) = said.events("kv.expired")
    assert expired["expired_at"]
    assert (
        expired.items()
        >= {
            "level": "INFO",
            "key": str(KEY),
            "tenant_id": "acme",
            "project_id": "main",
            "version": 1,
            "purpose": "latch",
            "producer": "orchestrator",
            "consumer_hints": ["worker"],
            "ttl_seconds": 60,
        }.items()
    )
    assert counted("kv_expirations_total", purpose="latch") - counted_before == 1


async def test_an_expiry_is_in_the_audit_trail_with_the_hash_of_what_was_there(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await run_out(database)
    await kv.sweep(database)
    await put(database, "b", 0, "r2")

    async with database.tenant("acme") as tx:
        again, expired, created = await kv.history(tx, KEY)
    assert (expired.action, expired.authority, expired.project_id) == ("kv.expire", "ttl", "main")
    assert (expired.before_hash, expired.after_hash) == (created.after_hash, None)
    assert again.before_hash is None


async def test_a_sweep_takes_a_bounded_bite(database: Database) -> None:
    for name in range(5):
        key = KEY.child(str(name))
        await put(database, name, 0, "r1", key=key, semantics=FLEETING)
        await run_out(database, key)

    assert [await kv.sweep(database, limit=2) for _ in range(4)] == [2, 2, 1, 0]


async def test_sweeps_at_the_same_time_do_not_take_the_same_twice(database: Database, said: Said) -> None:
    for name in range(10):
        key = KEY.child(str(name))
        await put(database, name, 0, "r1", key=key, semantics=FLEETING)
        await run_out(database, key)

    await asyncio.gather(*(kv.sweep(database) for _ in range(4)))
    await kv.sweep(database)

    assert len(said.events("kv.expired")) == 10


async def test_a_sweep_leaves_an_entry_to_the_one_who_is_writing_it(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await run_out(database)

    async with database.tenant("acme") as tx:
        await put(tx, "b", 0, "r2")
        assert await kv.sweep(database) == 0

    assert (await kv.get(database, KEY)).value == "b"


async def test_a_sweep_leaves_an_entry_that_got_more_time_since_it_looked(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)

    async with database.tenant("acme") as tx:
        assert await tx.rows(Q.expire, keys=[str(KEY)]) == []

    assert await kv.get(database, KEY)


async def test_a_put_gives_an_entry_its_whole_time_again(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    first = await kv.get(database, KEY)
    await put(database, "b", 1, "r2", semantics=FLEETING)

    assert (await kv.get(database, KEY)).expires_at > first.expires_at


async def test_the_system_role_sees_no_value(database: Database) -> None:
    with pytest.raises(Fatal, match="permission denied"):
        async with database.system() as tx:
            await tx.rows(Q.page, begin="", end="~", after="", limit=1)


@pytest.mark.req("KV-4")
async def test_the_ledger_forgets_after_its_retention_but_never_who_made_the_present_version(
    database: Database,
) -> None:
    await put(database, "a", 0, "r1")
    await put(database, "b", 1, "r2")

    assert await kv.purge_requests(database, keep_days=1) == 0
    assert await kv.purge_requests(database, keep_days=0) == 1

    assert await put(database, "b", 1, "r2") == Replayed(2)
    assert await put(database, "a", 0, "r1") == Stale(2, "b")


async def test_a_deletion_that_was_the_last_write_is_still_replayed_after_the_purge(database: Database) -> None:
    await put(database, "a", 0, "r1")
    await delete(database, 1, "d1")
    await kv.purge_requests(database, keep_days=0)

    assert await delete(database, 1, "d1") == Replayed(2)


async def test_a_purge_takes_a_bounded_bite(database: Database) -> None:
    for number in range(5):
        await put(database, number, number, f"r{number}")

    assert [await kv.purge_requests(database, keep_days=0, limit=3) for _ in range(3)] == [3, 1, 0]
