"""The door: what a transaction promises, and how its failures leave it."""

import asyncio

import pytest

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.postgres import Database, audit, idempotency
from windrow.postgres.wakeups import Wakeups

ME = Actor("tests", "local")


async def record(database: Database, tenant: str, subject: str) -> None:
    async with database.tenant(tenant) as tx:
        await audit.record(tx, ME, "test.done", subject)


async def subjects(database: Database, tenant: str) -> list[str]:
    async with database.tenant(tenant) as tx:
        return [entry.subject for entry in await audit.history(tx)]


async def test_what_fails_inside_leaves_nothing_behind(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.tenant("acme") as tx:
            await audit.record(tx, ME, "test.done", "x")
            raise RuntimeError

    assert await subjects(database, "acme") == []


async def test_a_cancelled_transaction_is_rolled_back_and_its_connection_reused(database_url: str) -> None:
    async with Database(database_url, size=1) as database:
        entered = asyncio.Event()

        async def hang() -> None:
            async with database.tenant("acme") as tx:
                await audit.record(tx, ME, "test.done", "x")
                entered.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(hang())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await subjects(database, "acme") == []


async def test_a_tenant_never_outlives_its_transaction(database_url: str) -> None:
    async with Database(database_url, size=1) as database:
        await record(database, "acme", "x")

        async with database.connection() as connection:
            row = await (await connection.execute("SELECT current_tenant() AS tenant, current_user AS role")).fetchone()

    assert row == {"tenant": None, "role": "windrow_app"}


async def test_the_system_role_becomes_the_tenant_it_works_for(database: Database) -> None:
    await record(database, "acme", "x")

    async with database.system() as tx:
        await tx.become("acme")
        assert [entry.subject for entry in await audit.history(tx)] == ["x"]


async def test_a_tenant_that_is_no_name_never_reaches_the_database(database: Database) -> None:
    with pytest.raises(ValidationFailure, match="is not a name"):
        async with database.tenant("x'; DROP TABLE audit_log; --"):
            pass


async def test_a_nul_character_is_refused_as_a_value(database: Database) -> None:
    with pytest.raises(ValidationFailure) as caught:
        await record(database, "acme", "a\x00b")

    assert caught.value.code is Code.INVALID_VALUE


async def test_a_database_that_is_away_is_transient_and_says_what_to_do() -> None:
    async with Database("postgresql://nobody@127.0.0.1:1/x", wait=0.3) as database:
        with pytest.raises(RetryableTransient) as caught:
            await record(database, "acme", "x")

    assert caught.value.code is Code.DATABASE_UNREACHABLE
    assert "windrow up" in (caught.value.hint or "")


async def test_deadlocks_are_conflicts(database: Database) -> None:
    both_hold = asyncio.Barrier(2)

    async def cross(first: str, second: str) -> None:
        async with database.tenant("acme") as tx:
            await idempotency.once(tx, first, 1, lambda: asyncio.sleep(0))
            await both_hold.wait()
            await idempotency.once(tx, second, 1, lambda: asyncio.sleep(0))

    results = await asyncio.gather(cross("a", "b"), cross("b", "a"), return_exceptions=True)

    (lost,) = [result for result in results if result is not None]
    assert isinstance(lost, Conflict)
    assert lost.code is Code.CONTENTION


async def test_the_audit_trail_cannot_be_altered_by_the_application(database: Database) -> None:
    await record(database, "acme", "x")
    with pytest.raises(Fatal, match="permission denied"):
        async with database.tenant("acme") as tx:
            await tx.execute(_raw("DELETE FROM audit_log"))


async def test_the_audit_trail_keeps_hashes_and_never_values(database: Database) -> None:
    async with database.tenant("acme") as tx:
        await audit.record(
            tx, ME, "x.changed", "x", before={"a": 1, "b": "swordfish"}, after={"b": "swordfish", "a": 1}
        )
        (entry,) = await audit.history(tx)

    assert entry.before_hash == entry.after_hash
    assert "swordfish" not in str(entry)
    assert (entry.actor, entry.authority) == ("tests", "local")


async def test_the_audit_trail_is_read_by_subject_and_page(database: Database) -> None:
    for number in range(5):
        await record(database, "acme", f"key/{number}")
    await record(database, "acme", "other")

    async with database.tenant("acme") as tx:
        newest = await audit.history(tx, subject="key/*", limit=2)
        older = await audit.history(tx, subject="key/*", before=newest[-1].id)

    assert [entry.subject for entry in newest + older] == ["key/4", "key/3", "key/2", "key/1", "key/0"]


async def test_twenty_requests_with_one_key_have_one_effect_and_one_answer(database: Database) -> None:
    async def ask(number: int) -> idempotency.Answer:
        async with database.tenant("acme") as tx:

            async def act() -> dict[str, int]:
                await audit.record(tx, ME, "effect", "x")
                return {"by": number}

            return await idempotency.once(tx, "key", {"what": "same"}, act)

    answers = await asyncio.gather(*(ask(number) for number in range(20)))

    assert len({str(answer.value) for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert await subjects(database, "acme") == ["x"]


async def test_one_key_for_two_different_requests_is_an_error(database: Database) -> None:
    async with database.tenant("acme") as tx:
        await idempotency.once(tx, "key", {"a": 1}, lambda: asyncio.sleep(0))
        with pytest.raises(ValidationFailure) as caught:
            await idempotency.once(tx, "key", {"a": 2}, lambda: asyncio.sleep(0))

    assert caught.value.code is Code.REQUEST_REUSED


async def test_old_idempotency_keys_are_forgotten_for_all_tenants(database: Database) -> None:
    for tenant in ("acme", "umbrella"):
        async with database.tenant(tenant) as tx:
            await idempotency.once(tx, "key", 1, lambda: asyncio.sleep(0))

    assert await idempotency.purge(database, keep_hours=1) == 0
    assert await idempotency.purge(database, keep_hours=0) == 2


async def test_a_notification_wakes_whoever_waits_for_its_channel(database: Database, database_url: str) -> None:
    wakeups = Wakeups(database_url)
    mine, other = wakeups.on("mine"), wakeups.on("other")
    listening = asyncio.create_task(wakeups.run())
    assert await mine.wait(poll=10)  # on connecting everyone looks once
    assert await other.wait(poll=10)

    async with database.connection() as connection:
        await connection.execute("SELECT pg_notify('mine', '')")

    assert await mine.wait(poll=10)
    assert not await other.wait(poll=0.01)
    listening.cancel()


async def test_a_lost_listening_connection_is_made_anew_and_everyone_looks(
    database: Database, database_url: str
) -> None:
    wakeups = Wakeups(database_url)
    mine = wakeups.on("mine")
    listening = asyncio.create_task(wakeups.run())
    assert await mine.wait(poll=10)

    async with database.connection() as connection:
        await connection.execute("RESET ROLE")
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        await connection.execute("SET ROLE windrow_app")

    assert await mine.wait(poll=10)
    listening.cancel()


def _raw(text: str):  # type: ignore[no-untyped-def]
    from windrow.postgres.queries import Query

    return Query("raw", "a test's own", text.encode())
