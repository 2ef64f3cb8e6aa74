"""A write in its transaction, and what it leaves behind: audit rows, log lines, counts."""

from contextlib import suppress

import psycopg
import pytest
from tests.conftest import Said
from tests.integration.kv.desk import KEY, counted, delete, put

from windrow import kv
from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Actor, Scope
from windrow.kv import Replayed, Stale, Stored
from windrow.postgres import Database


async def test_a_tenant_cannot_write_or_read_through_the_transaction_of_another(database: Database) -> None:
    with pytest.raises(Fatal, match="this transaction is tenant other"):
        async with database.tenant("other") as tx:
            await put(tx, "a", 0, "r1")
    with pytest.raises(Fatal, match="this transaction is tenant other"):
        async with database.tenant("other") as tx:
            await kv.get(tx, KEY)


async def test_a_statement_of_its_own_leaves_no_tenant_on_the_connection(database_url: str) -> None:
    async with Database(database_url, size=1) as database:
        await put(database, "a", 0, "r1")

        async with database.connection() as connection:
            row = await (await connection.execute("SELECT current_tenant() AS tenant")).fetchone()
    assert row == {"tenant": None}


@pytest.mark.req("KV-7")
async def test_the_audit_trail_has_hashes_of_before_and_after_and_never_a_value(database: Database) -> None:
    await put(database, "canary-before", 0, "r1", actor=Actor("ada", "role:admin"), spec_ref="s@1")
    await put(database, "canary-after", 1, "r2")
    await delete(database, 2, "d1")

    async with database.tenant("acme") as tx:
        deleted, changed, created = await kv.history(tx, KEY)
        text = str(await (await tx.connection.execute("SELECT a::text FROM audit_log a")).fetchall())
    assert (created.action, created.actor, created.authority, created.spec_ref) == (
        "kv.put",
        "ada",
        "role:admin",
        "s@1",
    )
    assert (created.before_hash, created.after_hash) == (None, changed.before_hash)
    assert (changed.actor, changed.request_id, changed.details) == ("harvester:github", "r2", {"version": 2})
    assert (deleted.action, deleted.before_hash, deleted.after_hash) == ("kv.delete", changed.after_hash, None)
    assert created.project_id == "main"
    assert "canary" not in text


async def test_what_wrote_nothing_leaves_no_trail(database: Database) -> None:
    await put(database, "a", 0, "r1")
    await put(database, "a", 0, "r1")
    await put(database, "b", 0, "r2")

    async with database.tenant("acme") as tx:
        assert len(await kv.history(tx, KEY)) == 1


@pytest.mark.req("KV-7")
async def test_every_write_is_logged_and_every_conflict_is_a_warning(database: Database, said: Said) -> None:
    await put(database, "canary-value", 0, "r1")
    await put(database, "canary-other", 0, "r2")
    await put(database, "canary-value", 0, "r1")
    await delete(database, 1, "d1")

    written, conflicted, replayed, deleted = said.events()
    about = {"key": str(KEY), "purpose": "cursor", "tenant_id": "acme", "project_id": "main"}
    assert (
        written.items() >= {**about, "event": "kv.written", "level": "INFO", "request_id": "r1", "version": 1}.items()
    )
    assert conflicted.items() >= {**about, "event": "kv.conflicted", "level": "WARN", "request_id": "r2"}.items()
    assert (conflicted["expected_version"], conflicted["version"]) == (0, 1)
    assert replayed.items() >= {**about, "event": "kv.replayed", "level": "INFO", "version": 1}.items()
    assert deleted.items() >= {**about, "event": "kv.deleted", "level": "INFO", "version": 2}.items()
    assert "canary" not in "".join(said.raw)


@pytest.mark.req("KV-8")
async def test_writes_and_conflicts_are_counted(database: Database) -> None:
    before = counted("kv_writes_total", purpose="cursor", action="put"), counted("kv_conflicts_total", purpose="cursor")

    await put(database, "a", 0, "r1")
    await put(database, "b", 1, "r2")
    await put(database, "c", 1, "r3")

    assert counted("kv_writes_total", purpose="cursor", action="put") - before[0] == 2
    assert counted("kv_conflicts_total", purpose="cursor") - before[1] == 1


async def test_in_a_transaction_the_write_is_there_only_when_it_commits(database: Database, said: Said) -> None:
    with pytest.raises(RuntimeError):
        async with database.tenant("acme") as tx:
            assert await put(tx, "a", 0, "r1") == Stored(1)
            assert (await kv.get(tx, KEY)).value == "a"
            raise RuntimeError

    assert await kv.get(database, KEY) is None
    assert said.events("kv.written") == []
    async with database.tenant("acme") as tx:
        assert await put(tx, "a", 0, "r1") == Stored(1)
        assert said.events("kv.written") == []
    assert len(said.events("kv.written")) == 1


async def test_what_a_savepoint_undid_is_not_told(database: Database, said: Said) -> None:
    async with database.tenant("acme") as tx:
        await put(tx, "a", 0, "r1")
        async with tx.savepoint():
            await put(tx, "b", 1, "r2")
            raise psycopg.Rollback

    assert [line["request_id"] for line in said.events("kv.written")] == ["r1"]
    assert (await kv.get(database, KEY)).version == 1


async def test_no_answer_breaks_the_callers_transaction(database: Database) -> None:
    await put(database, "a", 0, "r1")

    async with database.tenant("acme") as tx:
        assert await put(tx, "a", 0, "r1") == Replayed(1)
        assert await put(tx, "b", 0, "r2") == Stale(1, "a")
        with pytest.raises(ValidationFailure):
            await put(tx, "other", 1, "r1")
        assert await put(tx, "c", 1, "r3") == Stored(2)

    assert (await kv.get(database, KEY)).value == "c"


async def test_a_replay_inside_a_transaction_sees_its_own_write(database: Database) -> None:
    async with database.tenant("acme") as tx:
        assert await put(tx, "a", 0, "r1") == Stored(1)
        assert await put(tx, "a", 0, "r1") == Replayed(1)


async def test_a_transaction_whose_put_failed_cannot_end_in_silence(database: Database) -> None:
    elsewhere = Key(Scope("other", "main"), KEY.path)

    with pytest.raises(Fatal, match="nothing was written"):
        async with database.tenant("acme") as tx:
            await put(tx, "a", 0, "r1")
            with suppress(Fatal):
                await put(tx, "b", 0, "r1", key=elsewhere)

    assert await kv.get(database, KEY) is None
