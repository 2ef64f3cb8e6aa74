"""What an operator can count (RR-11): each number rises when it should, by as much as it should, and at no other time."""

from pathlib import Path

import prometheus_client
import pytest
from tests.integration.jobs.hands import LEASE, Hands
from tests.integration.jobs.workshop import ended, enqueue, enqueue_many, grow_old, kind, working

from windrow import jobs
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Actor
from windrow.jobs import Running, Terms
from windrow.jobs.heart import Heart
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeup

pytestmark = pytest.mark.req("RR-11")

NAMES = {
    "worker_heartbeats_total",
    "worker_recovered_jobs_total",
    "worker_retry_attempts_total",
    "worker_duplicate_skips_total",
    "worker_atomic_acquire_fail_total",
}
Counts = dict[tuple[str, ...], float]


class Counted:
    """What has been counted since it was made, by metric and the values of its labels; what did not rise is left out."""

    def __init__(self) -> None:
        self._before = _shown()

    def since(self) -> Counts:
        now = _shown()
        return {key: now[key] - self._before.get(key, 0) for key in now if now[key] != self._before.get(key, 0)}


def _shown() -> Counts:
    """As the Prometheus page of the worker shows it."""
    samples = [sample for family in prometheus_client.REGISTRY.collect() for sample in family.samples]
    return {
        (one.name, *(value for name, value in sorted(one.labels.items()) if not name.startswith("otel_"))): one.value
        for one in samples
        if one.name in NAMES
    }


async def test_heartbeats_are_counted_a_job_whether_they_were_answered_or_not(
    database: Database, database_url: str
) -> None:
    await enqueue_many(database, 3)
    held = {(one.job_id, one.epoch): one for one in await Hands(database, "one").acquire(3)}
    counted = Counted()
    async with Database(database_url, size=1) as cut_off:
        heart = Heart(cut_off, "one", held, Wakeup(), interval=LEASE, safe=27.0)
        for _ in range(2):
            await heart.beat()
        assert counted.since() == {("worker_heartbeats_total", "ok"): 6}
        await cut_off._pool.close()
        await heart.beat()

    assert counted.since() == {("worker_heartbeats_total", "ok"): 6, ("worker_heartbeats_total", "failed"): 3}


async def test_what_is_recovered_is_counted_by_what_became_of_it(database: Database) -> None:
    hands = Hands(database, "gone")
    last_try = await enqueue(database, terms=Terms(max_attempts=1))
    stale, cancelled = await enqueue_many(database, 2)
    await hands.acquire(3)
    async with database.tenant("acme") as tx:
        await jobs.cancel(tx, cancelled, actor=Actor("ada", "test"))
    for job_id in (last_try, stale, cancelled):
        await grow_old(database, job_id)
    counted = Counted()

    for _ in range(2):
        await jobs.recover(database)

    reasons = ("exhausted", "stale", "cancelled")
    assert counted.since() == {("worker_recovered_jobs_total", reason): 1 for reason in reasons}


async def test_tries_that_are_made_again_are_counted_by_their_code(database: Database, tmp_path: Path) -> None:
    async def stumble(running: Running, note: object) -> None:
        raise RetryableTransient("away", code=Code.STORAGE_UNAVAILABLE)

    counted = Counted()
    async with working(database, tmp_path, kind(stumble)):
        await ended(database, await enqueue(database))

    tried = {key: count for key, count in counted.since().items() if key[0] == "worker_retry_attempts_total"}
    # the third try is the last: it is not made again
    assert tried == {("worker_retry_attempts_total", "STORAGE_UNAVAILABLE", "RetryableTransient", "jobs"): 2}


async def test_a_start_by_id_that_meets_a_fresh_lease_is_a_duplicate_and_any_that_found_no_row_a_failure(
    database: Database,
) -> None:
    in_hand, foreign = await enqueue(database), await enqueue(database, name="foreign")
    one, other = Hands(database, "one"), Hands(database, "other")
    counted = Counted()
    assert await one.start("acme", in_hand)
    assert counted.since() == {}

    assert await other.start("acme", in_hand) is None
    both = {("worker_duplicate_skips_total",): 1, ("worker_atomic_acquire_fail_total",): 1}
    assert counted.since() == both

    assert await other.start("acme", foreign) is None
    await grow_old(database, in_hand)
    assert await other.start("acme", in_hand) is None
    assert counted.since() == {("worker_duplicate_skips_total",): 1, ("worker_atomic_acquire_fail_total",): 3}
