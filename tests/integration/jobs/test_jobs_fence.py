"""The fence: a worker whose job was given to another changes nothing, whatever it says."""

from collections.abc import Awaitable, Callable

import pytest
from tests.conftest import Said
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.timeline import unlawful
from tests.integration.jobs.workshop import enqueue, found, grow_old, told

from windrow import jobs
from windrow.contracts.errors import RetryableTransient
from windrow.contracts.scope import Actor
from windrow.jobs import Artifact, Cancelled, LeaseLost, Status
from windrow.jobs.execution import Execution
from windrow.jobs.failure import End
from windrow.postgres import Database

pytestmark = pytest.mark.req("RR-6")

CLIP = Artifact("results/x/attempts/1/clip.mp4", 7, "ab" * 32)
Word = Callable[[Hands, Execution], Awaitable[object]]

WORDS: dict[str, Word] = {
    "source_ready": lambda _, one: one.source_ready(),
    "progress": lambda _, one: one.progress(50),
    "upload": lambda _, one: one.upload(CLIP),
    "done": lambda hands, one: hands.end(one),
    "failed": lambda hands, one: hands.end(one, error=RetryableTransient("x")),
    "handed back": lambda hands, one: hands.end(one, End.HANDED_BACK),
    "cancelled": lambda hands, one: hands.end(one, End.CANCELLED),
    "beat": lambda hands, one: hands.beat(one),
}


async def given_away(database: Database) -> tuple[Hands, Execution, Execution]:
    """A zombie with its job, and the execution of whoever has it now."""
    job_id = await enqueue(database)
    slow, other = Hands(database, "slow"), Hands(database, "other")
    (zombie,) = await slow.acquire()
    await grow_old(database, job_id)
    assert await jobs.recover(database) == 1
    (successor,) = await other.acquire()
    return slow, zombie, successor


@pytest.mark.parametrize("word", WORDS)
async def test_a_zombie_changes_neither_the_job_nor_its_timeline(database: Database, word: str) -> None:
    slow, zombie, successor = await given_away(database)
    before, events = await found(database, zombie.job_id), await told(database, zombie.job_id)

    if word in {"source_ready", "progress", "upload"}:
        with pytest.raises(LeaseLost):
            await WORDS[word](slow, zombie)
    else:
        await WORDS[word](slow, zombie)

    assert await found(database, zombie.job_id) == before
    assert await told(database, zombie.job_id) == events
    assert (before.worker, before.lease_epoch, before.attempt_count) == ("other", successor.epoch, 2)


@pytest.mark.parametrize("word", WORDS)
async def test_a_job_that_is_done_stays_as_it_is(database: Database, word: str) -> None:
    slow, zombie, successor = await given_away(database)
    await successor.upload(CLIP)
    await slow.end(successor)
    before = await found(database, zombie.job_id)

    for execution in (zombie, successor):
        try:
            await WORDS[word](slow, execution)
        except LeaseLost:
            continue

    assert await found(database, zombie.job_id) == before
    assert before.status is Status.DONE


async def test_a_zombie_says_that_it_has_lost_its_job(database: Database, said: Said) -> None:
    slow, zombie, _ = await given_away(database)

    await slow.end(zombie)

    assert [(line["job_id"], line["epoch"]) for line in said.events("job.lost")] == [(zombie.job_id, 1)]
    assert said.events("job.done") == []


async def test_a_heartbeat_is_answered_for_those_only_whose_leases_hold(database: Database) -> None:
    slow, zombie, successor = await given_away(database)

    assert await slow.beat(zombie, successor) == {(zombie.job_id, 2): False}


async def test_what_an_earlier_try_has_named_is_shown_to_the_next(database: Database) -> None:
    job_id = await enqueue(database)
    slow = Hands(database, "slow")
    (first,) = await slow.acquire()
    await first.upload(CLIP)
    await grow_old(database, job_id)
    await jobs.recover(database)

    (second,) = await slow.acquire()

    assert first.earlier is None
    assert second.earlier == CLIP


async def test_words_said_twice_because_an_answer_was_lost_are_one_event(database: Database) -> None:
    job_id = await enqueue(database)
    (one,) = await Hands(database, "one").acquire()
    for _ in range(2):
        await one.source_ready(bytes=7)
        await one.upload(CLIP)

    assert await told(database, job_id) == ["created", "processing", "source:ready", "uploaded"]


async def test_every_word_tells_that_the_job_was_cancelled(database: Database) -> None:
    job_id = await enqueue(database)
    hands = Hands(database, "one")
    (one,) = await hands.acquire()
    async with database.tenant("acme") as tx:
        assert await jobs.cancel(tx, job_id, actor=Actor("ada", "test")) is Status.PROCESSING

    with pytest.raises(Cancelled):
        await one.progress(1)
    with pytest.raises(Cancelled):
        one.checkpoint()
    assert await hands.beat(one) == {(job_id, 1): True}
    async with database.tenant("acme") as tx:
        assert unlawful(await jobs.events(tx, job_id)) is None
