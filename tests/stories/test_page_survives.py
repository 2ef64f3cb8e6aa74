"""A page is on its way when everything is killed with -9: it arrives, with the same id."""

import asyncio

import pytest
from tests.fakes.slack import Slack
from tests.fakes.web import Exchange
from tests.stories.conftest import Machine

from windrow.contracts.errors import Code, Fatal
from windrow.notify import FailedRun, failures
from windrow.postgres import Database
from windrow.stack import discover

TENANT = "acme"


def database_of(machine: Machine) -> Database:
    found = discover(machine.home)
    assert found
    assert found.database_url
    return Database(found.database_url, size=2)


async def fail(machine: Machine, runs: int) -> list[bool]:
    """So many runs fail for their credential; which of them page."""
    error = Fatal("the token was revoked", code=Code.UNAUTHORIZED)
    paged = []
    async with database_of(machine) as database:
        for number in range(runs):
            run = FailedRun.of(error, project_id="docs", endpoint_id="wiki", run_id=f"wiki-{number}")
            async with database.tenant(TENANT) as tx:
                paged.append(await failures.note(tx, run))
    return paged


async def let_claims_run_out(machine: Machine) -> None:
    async with database_of(machine) as database, database.tenant(TENANT) as tx:
        await tx.connection.execute("UPDATE strands SET due_at = now() - interval '1 second' WHERE claim IS NOT NULL")


@pytest.mark.timeout(400)
async def test_a_page_that_was_being_delivered_when_all_was_killed_arrives_with_the_same_id(machine: Machine) -> None:
    under_way = asyncio.Event()

    async def never_answers(exchange: Exchange) -> None:
        under_way.set()
        await exchange.reader.read()

    async with Slack() as slack, asyncio.timeout(300):
        machine.environment |= {
            "PAGER_HOOK": slack.url,
            "WINDROW_NOTIFY": "pager=webhook:env:PAGER_HOOK",
            "WINDROW_ADDRESSES_ALLOWED": slack.web.door,
        }
        slack.ails(never_answers)
        with machine.up() as up:
            assert await fail(machine, 5) == [False, False, False, True, False]
            await under_way.wait()
            up.kill()
        assert slack.posted == []

        with machine.up():
            await let_claims_run_out(machine)
            (page,) = await slack.heard(1)

    assert slack.tries == [page.message_id] * 2
    assert page.document["text"] == "CRITICAL pager: 4 runs failed within 24 hours (acme)"
    assert "cccccccc" not in (machine.home.parent / "up.log").read_text()
