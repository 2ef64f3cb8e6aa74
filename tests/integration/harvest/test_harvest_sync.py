"""A whole run in one process: retried by the class of what went wrong, settled, verified, and remembered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.script import BAD, Script, thing, things
from tests.integration.harvest.shop import ACME, catalog, open_shop, order_of, rows, subscriber_of
from tests.integration.harvest.test_harvest_cursor import LIVE, moved

from windrow.connectors.connector import Connector
from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.harvest import run as runs
from windrow.harvest.run import Run
from windrow.harvest.sync import Sync
from windrow.outbox import lane as lanes
from windrow.postgres import Database


class Clock:
    """Time that passes only when somebody waits for it."""

    def __init__(self, meanwhile: Callable[[], Any] | None = None) -> None:
        self.waits: list[float] = []
        self._meanwhile = meanwhile

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        if self._meanwhile:
            await self._meanwhile()


def sync(database: Database, source: Script, clock: Clock | None = None) -> Sync:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield source.connector()

    return Sync(database=database, subscriber=subscriber_of(database), connector=opened, wait=(clock or Clock()).wait)


async def found(database: Database, run_id: str = "run-1") -> Run:
    async with database.tenant(ACME.tenant_id) as tx:
        return await runs.find_run(tx, run_id)


async def test_a_run_ends_verified_with_what_became_of_each_record(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said([*things(1, 2), BAD]), script.Said([thing("x"), thing("x")]))

    run = await sync(database, source).run(order_of(endpoint, "run-1"))

    assert (run.state, run.outcome, run.pages) == ("ended", "done", 2)
    assert (run.fetched, run.published, run.repeats, run.quarantined) == (5, 3, 1, 1)
    assert run.settled
    assert (run.settled["created"], run.settled["unchanged"], run.settled["pending"]) == (3, 0, 0)
    assert len(await catalog(database)) == 3
    (line,) = said.events("harvest.verified")
    assert (line["run_id"], line["created"]) == ("run-1", 3)


@pytest.mark.req("HV-31")
async def test_a_conflict_is_retried_five_times_with_a_warning_and_then_escalated(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database)
    clock = Clock()
    published = asyncio.Event()

    class Meddled(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async for page in super().fetch_pages(cursor, page_size):
                yield page
                if page.position == "page 0":
                    await published.wait()
                    published.clear()
                    await moved(database, {"page": 0})

    source = Script.of(*(script.Said(things(number)) for number in range(3)))

    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield Meddled(source, "run-1")

    run = Sync(database=database, subscriber=subscriber_of(database), connector=opened, wait=clock.wait)
    with pytest.raises(Conflict):
        await run.run(order_of(endpoint, "run-1", watch=lambda _: published.set()))

    warned = [line for line in said.events("harvest.retried") if line["error_class"] == "Conflict"]
    assert [(line["level"], line["retry_attempt"]) for line in warned] == [("WARN", number) for number in range(1, 6)]
    for wait, most in zip(clock.waits, [5, 10, 20, 40, 60], strict=True):
        assert most / 2 <= wait <= most
    ended = await found(database)
    assert (ended.state, ended.outcome, ended.error_class, ended.code) == (
        "ended",
        "failed",
        "Conflict",
        "CAS_MISMATCH",
    )


@pytest.mark.req("HV-31")
async def test_after_a_conflict_the_run_goes_on_from_where_the_cursor_was_put(database: Database) -> None:
    endpoint = await open_shop(database)
    published = asyncio.Event()
    meddled: list[int] = []

    class Meddled(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async for page in super().fetch_pages(cursor, page_size):
                yield page
                if not meddled:
                    meddled.append(1)
                    await published.wait()
                    await moved(database, {"page": 2})

    source = Script.of(*(script.Said(things(number)) for number in range(4)))

    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield Meddled(source, "run-1")

    run = Sync(database=database, subscriber=subscriber_of(database), connector=opened, wait=Clock().wait)
    await run.run(order_of(endpoint, "run-1", watch=lambda _: published.set()))

    assert (await catalog(database)).keys() == {"thing 00000", "thing 00002", "thing 00003"}


@pytest.mark.req("HV-42")
@pytest.mark.parametrize(("asked", "waited"), [(120.0, 120.0), (5.0, 30.0), (-1.0, 30.0), (10**9, 86_400.0)])
async def test_a_sources_retry_after_is_the_least_that_is_waited(
    database: Database, asked: float, waited: float
) -> None:
    endpoint = await open_shop(database)
    clock = Clock()
    source = Script.of(script.Said(things(1)), RateLimited("429", retry_after=asked), script.Said(things(2)))

    run = await sync(database, source, clock).run(order_of(endpoint, "run-1"))

    assert clock.waits == [waited]
    assert run.outcome == "done"
    assert [cursor for cursor, _ in source.asked] == [None, {"page": 1}, {"page": 1}], "nothing is fetched twice"


async def test_what_is_away_for_a_while_is_tried_eight_times_in_all(database: Database) -> None:
    endpoint = await open_shop(database)
    clock = Clock()
    away: list[WindrowError] = [RetryableTransient("reset", code=Code.NETWORK) for _ in range(20)]

    with pytest.raises(RetryableTransient):
        await sync(database, Script.of(*away, script.Said(things(1))), clock).run(order_of(endpoint, "run-1"))

    assert clock.waits == [30, 60, 120, 240, 480, 600, 600]


@pytest.mark.parametrize("error", [ValidationFailure("bad"), Fatal("revoked", code=Code.UNAUTHORIZED)], ids=repr)
async def test_what_no_retry_can_mend_ends_the_run_at_once(database: Database, error: WindrowError) -> None:
    endpoint = await open_shop(database)
    clock = Clock()

    with pytest.raises(type(error)):
        await sync(database, Script.of(error, script.Said(things(1))), clock).run(order_of(endpoint, "run-1"))

    assert clock.waits == []
    assert (await found(database)).message == error.message


async def test_a_run_whose_source_cannot_even_be_opened_is_remembered(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said(things(1)))
    source.prepared.append(Fatal("no credential", code=Code.CREDENTIAL_MISSING))

    with pytest.raises(Fatal):
        await sync(database, source).run(order_of(endpoint, "run-1"))

    ended = await found(database)
    assert (ended.outcome, ended.code, ended.pages) == ("failed", "CREDENTIAL_MISSING", 0)


async def test_a_run_that_another_has_taken_over_ends_as_superseded(database: Database) -> None:
    endpoint = await open_shop(database)

    class Overtaken(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async with database.tenant(ACME.tenant_id) as tx:
                await lanes.begin(tx, LIVE, "run-2")
            async for page in super().fetch_pages(cursor, page_size):
                yield page

    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield Overtaken(Script.of(script.Said(things(1))), "run-1")

    clock = Clock()
    run = Sync(database=database, subscriber=subscriber_of(database), connector=opened, wait=clock.wait)
    with pytest.raises(Conflict) as caught:
        await run.run(order_of(endpoint, "run-1"))

    assert caught.value.code is Code.ALREADY_RUNNING
    assert clock.waits == [], "the loser of a fence does not try again"
    assert (await found(database)).outcome == "superseded"


async def test_a_cancelled_run_says_so(database: Database) -> None:
    endpoint = await open_shop(database)

    class Hanging(script.ScriptConnector):
        async def prepare(self) -> list[Any]:
            reached.set()
            await asyncio.Event().wait()
            return []

    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield Hanging(Script.of(script.Said(things(1))), "run-1")

    reached = asyncio.Event()
    run = Sync(database=database, subscriber=subscriber_of(database), connector=opened)
    under_way = asyncio.create_task(run.run(order_of(endpoint, "run-1")))
    await reached.wait()
    under_way.cancel()
    with pytest.raises(asyncio.CancelledError):
        await under_way

    assert (await found(database)).outcome == "cancelled"


async def test_a_run_is_found_by_its_own_name_also_where_others_begin_with_it(database: Database) -> None:
    endpoint = await open_shop(database)
    await sync(database, Script.of(script.Said(things(1)))).run(order_of(endpoint, "nightly-12"))

    run = await sync(database, Script.of(script.Said(things(1)))).run(order_of(endpoint, "nightly-1"))

    assert run.run_id == "nightly-1"
    assert (await found(database, "nightly-12")).run_id == "nightly-12"
    with pytest.raises(ValidationFailure, match="2 runs begin with"):
        await found(database, "nightly")


async def test_a_run_that_does_not_add_up_is_not_called_done(database: Database) -> None:
    endpoint = await open_shop(database)

    async def lose_a_batch() -> None:
        async with database.tenant(ACME.tenant_id) as tx:
            await tx.connection.execute(
                "UPDATE harvest_outbox SET status = 'processed', settled_at = now(), created = 0, updated = 0,"
                " deleted = 0, unchanged = 0, outdated = 0"
            )

    class Meddled(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, page_size: int) -> Any:
            async for page in super().fetch_pages(cursor, page_size):
                yield page
                if not page.last:
                    await published.wait()
                    await lose_a_batch()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Connector[Any]]:
        yield Meddled(Script.of(script.Said(things(1)), script.Said(things(2))), "run-1")

    published = asyncio.Event()
    run = Sync(database=database, subscriber=subscriber_of(database), connector=opened, wait=Clock().wait)
    with pytest.raises(Fatal, match="does not add up"):
        await run.run(order_of(endpoint, "run-1", watch=lambda _: published.set()))

    ended = await found(database)
    assert (ended.outcome, ended.code) == ("failed", "CORRUPTED")


async def test_a_run_waits_for_the_empty_batch_that_completes_its_listing(database: Database) -> None:
    endpoint = await open_shop(database)
    await sync(database, Script.listing(things(*range(10)))).run(order_of(endpoint, "run-1"))
    async with database.tenant(ACME.tenant_id) as tx:
        await tx.connection.execute("SELECT FROM outbox_lanes FOR UPDATE")
        released = asyncio.Event()

        async def wait() -> None:
            released.set()
            await asyncio.sleep(0)

        clock = Clock(wait)
        under_way = asyncio.create_task(
            sync(database, Script.listing(things(*range(9)), []), clock).run(order_of(endpoint, "run-2"))
        )
        await released.wait()
        assert not under_way.done()
    await under_way

    assert len(await catalog(database)) == 9
    assert await rows(database, "SELECT state FROM listings ORDER BY generation DESC LIMIT 1") == [{"state": "applied"}]
