"""Retention: what a job has left elsewhere goes before its row, whoever dies or fails in between."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import enqueue, enqueue_many, found, kind, rest

from windrow import jobs
from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient
from windrow.contracts.scope import Actor
from windrow.jobs import Kind
from windrow.postgres import Database

ADA = Actor("ada", "test")


async def nothing(_: str) -> None:
    """Happens."""


@dataclass
class Store:
    """Where jobs leave things; `then` is what happens when one is to be removed."""

    left: set[str]
    then: Callable[[str], Awaitable[None]] = nothing
    asked: list[str] = field(default_factory=list)

    async def forget(self, tenant_id: str, job_id: str) -> None:
        assert tenant_id == "acme"
        self.asked.append(job_id)
        await self.then(job_id)
        self.left.discard(job_id)

    def kind(self) -> Kind[Any]:
        return kind(rest, forget=self.forget)


def failing(error: BaseException, *unlucky: str) -> Callable[[str], Awaitable[None]]:
    async def fail(job_id: str) -> None:
        if job_id in unlucky:
            raise error

    return fail


async def ended_long_ago(database: Database, count: int) -> list[str]:
    """The oldest first."""
    made = await enqueue_many(database, count)
    hands = Hands(database, "one")
    await hands.end_all(await hands.acquire(count), error=Fatal("no"))
    async with database.system() as tx:
        await tx.connection.execute(
            "UPDATE jobs SET finished_at = now() - interval '8 days' + seq * interval '1 second'"
        )
    return made


async def remaining(database: Database) -> set[str]:
    async with database.tenant("acme") as tx:
        return {job.job_id for job in await jobs.listed(tx)}


async def test_what_a_job_left_elsewhere_goes_before_its_row(database: Database) -> None:
    (old,) = await ended_long_ago(database, 1)
    recent = await enqueue(database)
    rows: list[set[str]] = []

    async def look(_: str) -> None:
        rows.append(await remaining(database))

    store = Store({old, recent}, look)

    assert await jobs.prune(database, [store.kind()]) == 1

    assert rows == [{old, recent}]
    assert (store.left, await remaining(database)) == ({recent}, {recent})
    async with database.tenant("acme") as tx:
        assert await jobs.events(tx, old) == []


async def test_a_job_whose_things_are_being_removed_is_not_tried_again(database: Database) -> None:
    (old,) = await ended_long_ago(database, 1)

    async def retry(_: str) -> None:
        async with database.tenant("acme") as tx:
            await jobs.retry(tx, old, actor=ADA)

    assert await jobs.prune(database, [Store({old}, retry).kind()]) == 0

    assert (await found(database, old)).status is jobs.Status.FAILED
    with pytest.raises(Conflict, match="being removed"):
        await retry(old)


@pytest.mark.parametrize("died", [RetryableTransient("away", code=Code.STORAGE_UNAVAILABLE), asyncio.CancelledError()])
async def test_what_could_not_be_removed_is_found_by_the_next_pass(
    database: Database, said: Said, died: BaseException
) -> None:
    first, second, third = await ended_long_ago(database, 3)
    store = Store({first, second, third}, failing(died, second))

    try:
        await jobs.prune(database, [store.kind()])
    except asyncio.CancelledError:
        assert await remaining(database) == {first, second, third}
    else:
        assert await remaining(database) == {second}
        assert [(line["job_id"], line["code"]) for line in said.events("job.kept")] == [(second, "STORAGE_UNAVAILABLE")]

    store.then = nothing
    await jobs.prune(database, [store.kind()])
    assert (store.left, await remaining(database)) == (set(), set())


async def test_a_store_that_is_away_is_not_asked_for_every_job(database: Database) -> None:
    made = await ended_long_ago(database, 12)
    store = Store(set(made), failing(RetryableTransient("away"), *made))

    await jobs.prune(database, [store.kind()])

    assert store.asked == made[:10]
    assert await remaining(database) == set(made)
