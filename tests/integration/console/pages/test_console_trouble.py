"""A run that is tried again and again does not look like one that gets on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.console.pages.fields import HOSTILE, connect, insert, stays_text
from tests.integration.console.pages.visitors import Console, answering, console

from windrow import endpoints
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Scope
from windrow.harvest.run import Counts, Outcome, begin_run, count, end_run, find_run, stumble
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.web.principal import Role

LANE = Lane(Scope("acme", "main"), "wiki")
DOWN = "the wiki answered 503"


@pytest.fixture
async def site(database: Database, tmp_path: Path) -> AsyncIterator[Console]:
    async with console(database, tmp_path, temporal=answering) as opened:
        with connect(database.url) as connection:
            insert(connection, "endpoints", project_id="main", endpoint_id="wiki", connector="files", config="{}")
        yield opened


async def tried(site: Console, *, why: str = DOWN) -> None:
    """The run `wiki-2` is under way, a step of it has failed, and another try has begun."""
    async with site.database.tenant("acme") as tx:
        await begin_run(tx, LANE, "wiki-2")
        await stumble(tx, "wiki-2", RetryableTransient(why, code=Code.UNAVAILABLE))
        await begin_run(tx, LANE, "wiki-2")


async def test_the_pages_say_why_a_run_is_tried_again_before_anything_was_read(site: Console) -> None:
    await tried(site)
    visitor = await site.visitor(Role.READER)

    paths = ("/endpoints/wiki", "/endpoints", "/", "/runs/wiki-2")
    one, listed, overview, run = [await visitor.see(path) for path in paths]

    assert f"The run under way is tried again by itself: {DOWN}" in one
    assert '<a href="/runs/wiki-2">What it said so far</a>' in one
    assert f"tried again: {DOWN}" in listed
    assert f"It is tried again by itself: {DOWN}" in run
    assert "Mostly flowing: 1 endpoint failed and will be tried again" in overview
    assert DOWN in overview


async def test_a_list_of_endpoints_says_it_too(site: Console) -> None:
    await tried(site)

    async with site.database.tenant("acme") as tx:
        assert await endpoints.standings(tx) == {("main", "wiki"): ("running", DOWN)}


async def test_a_run_that_gets_on_or_ends_is_troubled_no_more(site: Console) -> None:
    visitor = await site.visitor(Role.READER)
    await tried(site)
    async with site.database.tenant("acme") as tx:
        await count(tx, "wiki-2", Counts(pages=1))
    got_on = await visitor.see("/endpoints/wiki")
    await tried(site)
    async with site.database.tenant("acme") as tx:
        await end_run(tx, "wiki-2", Outcome.DONE)
    ended = await visitor.see("/endpoints/wiki")

    assert (DOWN in got_on, DOWN in ended) == (False, False)


async def test_what_the_run_before_met_is_not_said_of_the_one_under_way(site: Console) -> None:
    await tried(site)
    async with site.database.tenant("acme") as tx:
        await end_run(tx, "wiki-2", Outcome.FAILED, error=RetryableTransient(DOWN, code=Code.UNAVAILABLE))
        await stumble(tx, "wiki-2", RetryableTransient("too late", code=Code.UNAVAILABLE))
        await begin_run(tx, LANE, "wiki-3")

    assert "tried again" not in await (await site.visitor(Role.READER)).see("/endpoints/wiki")
    async with site.database.tenant("acme") as tx:
        await begin_run(tx, LANE, "wiki-2")
        assert (await find_run(tx, "wiki-2")).message is None


async def test_what_a_source_says_of_its_trouble_stays_text(site: Console) -> None:
    await tried(site, why=HOSTILE)
    visitor = await site.visitor(Role.READER)

    for path in ("/", "/endpoints", "/endpoints/wiki", "/runs/wiki-2"):
        assert stays_text(await visitor.see(path)), path
