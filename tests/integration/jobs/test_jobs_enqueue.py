"""Enqueue: in the caller's transaction, once a key, in order, in bulk."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import BaseModel
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import SCOPE, Note, enqueue, enqueue_many, found, told

from windrow import jobs
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.jobs import Status, Terms, Unique
from windrow.jobs.failure import End
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

ADA = Actor("ada", "test")


class Odd(BaseModel):
    """Whatever somebody might put into a payload."""

    value: str


async def test_a_job_that_was_asked_for_by_a_transaction_that_rolls_back_is_not_there(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.tenant("acme") as tx:
            await jobs.enqueue(tx, SCOPE, "note", Note())
            raise RuntimeError

    async with database.tenant("acme") as tx:
        assert await jobs.listed(tx) == []


@pytest.mark.req("RR-12")
async def test_a_new_job_is_queued_with_its_payload_and_its_first_event(database: Database) -> None:
    job = await found(database, await enqueue(database, "hello"))

    assert (job.status, job.payload, job.attempt_count, job.lease_epoch) == (Status.QUEUED, {"text": "hello"}, 1, 0)
    assert await told(database, job.job_id) == ["created"]


async def test_many_are_enqueued_in_order_with_one_wake_up(database: Database) -> None:
    wakeups = Wakeups(database.url)
    heard = wakeups.on("windrow_jobs_queued")
    listening = asyncio.create_task(wakeups.run())
    await wakeups.listening.wait()
    await heard.wait(1)

    made = await enqueue_many(database, 300)

    assert await heard.wait(5)
    assert not await heard.wait(0.1)
    listening.cancel()
    await asyncio.wait([listening])
    taken = await Hands(database, "one").acquire(300)
    assert [execution.job_id for execution in sorted(taken, key=lambda one: one.claim.seq)] == made


async def test_no_jobs_are_no_statement(database: Database) -> None:
    async with database.tenant("acme") as tx:
        assert await jobs.enqueue_many(tx, SCOPE, "note", []) == []


async def test_a_key_that_is_taken_gives_the_job_that_has_it(database: Database) -> None:
    first = await enqueue(database, dedupe_key="same")

    async with database.tenant("acme") as tx:
        again = await jobs.enqueue(tx, SCOPE, "note", Note(), dedupe_key="same")
        other_kind = await jobs.enqueue(tx, SCOPE, "other", Note(), dedupe_key="same")

    assert (again.job_id, again.fresh) == (first, False)
    assert other_kind.fresh


async def test_a_key_twice_in_one_call_is_one_job(database: Database) -> None:
    async with database.tenant("acme") as tx:
        made = await jobs.enqueue_many(
            tx, SCOPE, "note", [Note(text="1"), Note(text="2"), Note(text="3")], dedupe_keys=["a", "b", "a"]
        )

    assert [one.fresh for one in made] == [True, True, False]
    assert made[0].job_id == made[2].job_id
    assert (await found(database, made[0].job_id)).payload == {"text": "1"}


async def test_tenants_do_not_share_keys(database: Database) -> None:
    await enqueue(database, dedupe_key="same")
    async with database.tenant("other") as tx:
        assert (await jobs.enqueue(tx, Scope("other", "main"), "note", Note(), dedupe_key="same")).fresh


async def test_two_who_enqueue_the_same_key_at_once_get_one_job(database: Database) -> None:
    made = await asyncio.gather(*(enqueue(database, dedupe_key="same") for _ in range(8)))

    assert len(set(made)) == 1


@pytest.mark.parametrize(("unique", "fresh"), [(Unique.WHILE_UNFINISHED, True), (Unique.WHILE_KEPT, False)])
async def test_the_end_of_a_job_frees_its_key_unless_it_is_kept(
    database: Database, unique: Unique, fresh: bool
) -> None:
    hands = Hands(database, "one")
    await enqueue(database, dedupe_key="same", terms=Terms(unique=unique))
    await hands.end((await hands.acquire())[0], End.DONE)

    async with database.tenant("acme") as tx:
        assert (await jobs.enqueue(tx, SCOPE, "note", Note(), dedupe_key="same")).fresh is fresh


async def test_a_cancelled_job_frees_its_key(database: Database) -> None:
    first = await enqueue(database, dedupe_key="same")
    async with database.tenant("acme") as tx:
        await jobs.cancel(tx, first, actor=ADA)
        assert (await jobs.enqueue(tx, SCOPE, "note", Note(), dedupe_key="same")).fresh


async def test_a_start_in_the_future_is_scheduled_and_one_in_the_past_is_not(database: Database) -> None:
    hour = timedelta(hours=1)
    later = await enqueue(database, terms=Terms(run_at=datetime.now(UTC) + hour))
    earlier = await enqueue(database, terms=Terms(run_at=datetime.now(UTC) - hour))

    assert (await found(database, later)).status is Status.SCHEDULED
    assert [one.job_id for one in await Hands(database, "one").acquire(5)] == [earlier]


@pytest.mark.parametrize(
    "text", ["line\nbreak\r\u2028", "per%cent %(n)s", "\\u0000 is no NUL", '"quoted" {json}', "😀"]
)
async def test_whatever_text_a_payload_holds_comes_back(database: Database, text: str) -> None:
    async with database.tenant("acme") as tx:
        made = await jobs.enqueue_many(tx, SCOPE, "note", [Odd(value=text), Odd(value="next")])

    assert [(await found(database, one.job_id)).payload["value"] for one in made] == [text, "next"]


@pytest.mark.parametrize(
    ("value", "code"),
    [("nul\0", Code.INVALID_VALUE), ("\ud800", Code.INVALID_VALUE), ("x" * 300_000, Code.TOO_LARGE)],
    ids=["nul", "surrogate", "large"],
)
async def test_what_cannot_be_stored_is_refused(database: Database, value: str, code: Code) -> None:
    with pytest.raises(ValidationFailure) as refused:
        async with database.tenant("acme") as tx:
            await jobs.enqueue(tx, SCOPE, "note", Odd(value=value))

    assert refused.value.code == code


@pytest.mark.parametrize("key", ["", "x" * 201, "line\nbreak"], ids=["empty", "long", "unprintable"])
async def test_what_is_no_key_is_refused(database: Database, key: str) -> None:
    with pytest.raises(ValidationFailure):
        await enqueue(database, dedupe_key=key)
