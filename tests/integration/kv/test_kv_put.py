"""Compare-and-set, replays and deletions, one writer at a time."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.integration.kv.desk import FLEETING, KEY, delete, put, run_out

from windrow import kv
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.kv import Replayed, Stale, Stored
from windrow.postgres import Database


@pytest.mark.req("KV-2")
async def test_an_entry_reads_back_in_its_envelope(database: Database) -> None:
    assert await put(database, {"token": "t1"}, 0, "r1", semantics=FLEETING, spec_ref="harvest@1") == Stored(1)

    found = await kv.get(database, KEY)

    assert found
    assert abs(found.updated_at - datetime.now(UTC)) < timedelta(minutes=5)
    assert found == kv.Envelope(
        key=KEY,
        value={"token": "t1"},
        version=1,
        last_writer="harvester:github",
        semantics=FLEETING,
        request_id="r1",
        spec_ref="harvest@1",
        updated_at=found.updated_at,
        expires_at=found.updated_at + timedelta(seconds=60),
    )


async def test_what_was_never_there_reads_as_absent(database: Database) -> None:
    assert await kv.get(database, KEY) is None


@pytest.mark.req("KV-3")
async def test_a_write_over_the_version_it_expects_makes_the_next(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await put(database, "b", 1, "r2") == Stored(2)
    assert (await kv.get(database, KEY)).value == "b"


@pytest.mark.req("KV-3")
@pytest.mark.parametrize("expected", [0, 2, 9])
async def test_a_write_that_expects_another_version_is_told_what_is_there_and_changes_nothing(
    database: Database, expected: int
) -> None:
    await put(database, {"at": 1}, 0, "r1")

    assert await put(database, {"at": 2}, expected, "r2") == Stale(1, {"at": 1})
    assert (await kv.get(database, KEY)).version == 1


@pytest.mark.req("KV-3")
async def test_a_write_that_expects_a_version_where_nothing_is_meets_version_0(database: Database) -> None:
    assert await put(database, "a", 3, "r1") == Stale(0, None)
    assert await put(database, "a", 0, "r1") == Stored(1)


async def test_null_is_a_value_and_not_an_absence(database: Database) -> None:
    await put(database, None, 0, "r1")

    assert (await kv.get(database, KEY)).value is None
    assert await put(database, "x", 0, "r2") == Stale(1, None)


@pytest.mark.req("KV-4")
async def test_a_request_that_comes_again_is_answered_with_the_version_it_made(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await put(database, "a", 0, "r1") == Replayed(1)
    assert (await kv.get(database, KEY)).version == 1


@pytest.mark.req("KV-4")
async def test_a_replay_is_exact_after_later_writes_by_others(database: Database) -> None:
    await put(database, "a", 0, "r1")
    await put(database, "b", 1, "r2")
    await put(database, "c", 2, "r3")

    assert await put(database, "b", 1, "r2") == Replayed(2)
    assert (await kv.get(database, KEY)).value == "c"


@pytest.mark.req("KV-4")
async def test_a_replay_is_a_replay_whatever_version_it_expects(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await put(database, "a", 1, "r1") == Replayed(1)
    assert await put(database, "a", 7, "r1") == Replayed(1)


@pytest.mark.req("KV-4")
async def test_a_replay_of_the_creation_after_a_deletion_does_not_create_again(database: Database) -> None:
    await put(database, "a", 0, "r1")
    await delete(database, 1, "d1")

    assert await put(database, "a", 0, "r1") == Replayed(1)
    assert await kv.get(database, KEY) is None


@pytest.mark.req("KV-4")
async def test_the_same_value_in_another_key_order_is_the_same_request(database: Database) -> None:
    await put(database, {"a": 1, "b": 2}, 0, "r1")

    assert await put(database, {"b": 2, "a": 1}, 0, "r1") == Replayed(1)


@pytest.mark.req("KV-4")
@pytest.mark.parametrize("other", ["b", 1.0, True, None, {"a": 1}])
async def test_a_request_id_with_another_value_is_an_error_and_writes_nothing(
    database: Database, other: object
) -> None:
    await put(database, 1, 0, "r1")

    with pytest.raises(ValidationFailure, match="already written something else") as refused:
        await put(database, other, 1, "r1")

    assert refused.value.code is Code.REQUEST_REUSED
    assert (await kv.get(database, KEY)).version == 1


async def test_a_deletion_and_a_put_are_not_the_same_request(database: Database) -> None:
    await put(database, "a", 0, "r1")
    await delete(database, 1, "r2")

    with pytest.raises(ValidationFailure):
        await put(database, None, 0, "r2")
    with pytest.raises(ValidationFailure):
        await delete(database, 1, "r1")


@pytest.mark.req("KV-4")
async def test_a_request_that_failed_is_not_remembered(database: Database) -> None:
    await put(database, "a", 0, "r1")
    assert isinstance(await put(database, "b", 0, "r2"), Stale)

    assert await put(database, "b", 1, "r2") == Stored(2)
    assert await put(database, "x", 1, "r3") == Stale(2, "b")
    assert await put(database, "y", 2, "r3") == Stored(3)


async def test_request_ids_of_different_keys_are_different_requests(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await put(database, "b", 0, "r1", key=KEY.child("partial")) == Stored(1)


@pytest.mark.req("KV-9")
async def test_versions_rise_through_deletion_and_creation(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await delete(database, 1, "d1") == Stored(2)
    assert await kv.get(database, KEY) is None
    assert await put(database, "b", 2, "r2") == Stale(0, None)
    assert await put(database, "b", 0, "r2") == Stored(3)


async def test_a_deletion_is_compared_and_replayed_like_any_write(database: Database) -> None:
    await put(database, "a", 0, "r1")

    assert await delete(database, 2, "d0") == Stale(1, "a")
    assert await delete(database, 1, "d1") == Stored(2)
    assert await delete(database, 1, "d1") == Replayed(2)
    assert await delete(database, 2, "d2") == Stale(0, None)
    assert await delete(database, 1, "d3", key=KEY.child("never")) == Stale(0, None)


async def test_a_deleted_value_is_gone_from_the_table(database: Database) -> None:
    await put(database, "canary-7f3a", 0, "r1")
    await delete(database, 1, "d1")

    async with database.tenant("acme") as tx:
        rows = await (await tx.connection.execute("SELECT kv::text AS row FROM kv")).fetchall()
    assert len(rows) == 1
    assert "canary" not in rows[0]["row"]


async def test_a_put_without_a_time_to_live_takes_an_earlier_one_away(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await put(database, "b", 1, "r2")

    assert (await kv.get(database, KEY)).expires_at is None


async def test_the_same_path_of_two_tenants_is_two_entries(database: Database) -> None:
    theirs = Key(Scope("other", "main"), KEY.path)
    await put(database, "ours", 0, "r1")

    assert await put(database, "theirs", 0, "r1", key=theirs) == Stored(1)
    assert (await kv.get(database, KEY)).value == "ours"


@pytest.mark.parametrize("value", ["x\0y", float("nan"), "x" * 10_000_000, {1: 2}, b"x"])
async def test_a_bad_value_is_refused_in_one_line_and_nothing_changes(database: Database, value: object) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await put(database, value, 0, "r1")

    assert len(refused.value.message) < 100
    assert await kv.get(database, KEY) is None


async def test_the_last_value_of_an_entry_that_ran_out_is_not_what_a_deletion_finds(database: Database) -> None:
    await put(database, "a", 0, "r1", semantics=FLEETING)
    await run_out(database)

    assert await delete(database, 1, "d1") == Stale(0, None)
