"""What the pages show, how much they ask for it, and that they are pages to browsers and problems to everybody else."""

import json
import re
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.integration.console.pages.fields import connect, endpoint, insert, plough, run
from tests.integration.console.pages.fields_catalog import ROOT
from tests.integration.console.pages.fields_quarantine import WIKI_GROUP
from tests.integration.console.pages.visitors import Console, CountedDatabase, console

from windrow.console.pages.live import MOST
from windrow.postgres import Database
from windrow.web.server import bind

# beside the session's own: find, and at most once a minute touch
QUERIES = {
    "/": 4,
    "/endpoints": 3,
    "/endpoints?condition=removed": 1,
    "/endpoints/github": 8,
    "/endpoints/nowhere": 1,
    "/add": 0,
    "/add/github": 0,
    "/endpoints/github/edit": 0,
    "/endpoints/github/preview": 0,
    "/runs": 1,
    "/runs/github-0": 7,
    "/jobs": 4,
    "/jobs/01980000-0000-7000-8000-000000000002": 2,
    "/media": 2,
    "/media/harvest": 3,
    "/catalog": 3,
    f"/catalog/{ROOT}": 5,
    "/queues": 4,
    "/queues/topics/catalog.changes": 2,
    "/queues/dead-letters": 2,
    "/queues/dead-letters/5b0f2c66-1111-4222-8333-444455556666": 1,
    "/alerts": 7,
    "/kv": 2,
    "/kv/harvest/github/cursor": 3,
    "/quarantine": 1,
    f"/quarantine/{WIKI_GROUP}": 2,
    "/audit": 2,
    "/you": 0,
}


@pytest.fixture
async def counted(database_url: str, tmp_path: Path) -> AsyncIterator[Console]:
    async with CountedDatabase(database_url) as database, console(database, tmp_path) as opened:
        yield opened


async def test_a_page_asks_the_same_number_of_queries_however_much_there_is(counted: Console) -> None:
    database = counted.database
    assert isinstance(database, CountedDatabase)
    plough(database.url)
    with connect(database.url) as connection:
        for number in range(60):
            endpoint(connection, f"more-{number:02}")
            run(connection, f"more-{number:02}", f"more-{number:02}-1", timedelta(minutes=number))
    visitor = await counted.visitor()
    for path, most in QUERIES.items():
        database.asked.clear()
        await visitor.client.get(path)
        asked = [name for name in database.asked if name not in ("find", "touch")]
        assert len(asked) == most, (path, asked)


async def test_every_page_is_drawn_with_nothing_in_it(site: Console) -> None:
    visitor = await site.visitor()

    assert "No source is known in this project." in await visitor.see("/")
    assert "windrow endpoint add" in await visitor.see("/endpoints")
    assert "windrow sync" in await visitor.see("/runs")
    assert "No endpoint matches" in await visitor.see("/endpoints?q=nothing")


async def test_the_overview_says_what_needs_a_person(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown = await visitor.see("/")

    assert 'href="/endpoints?condition=halted"' in shown
    assert "the token of the warehouse was refused" in shown
    for words in (
        "Endpoints by how they are: 2 well, 1 running, 1 waiting, 1 paused, 1 halted, 1 new.",
        "Runs in the last 24 hours:",
    ):
        assert f'aria-label="{words}' in shown


async def test_the_verdict_says_how_it_is_at_a_glance(database: Database, tmp_path: Path) -> None:
    async def temporal() -> Any:
        return SimpleNamespace(service_client=SimpleNamespace(check_health=temporal))

    async with console(database, tmp_path, temporal=temporal) as site:
        visitor = await site.visitor()

        async def verdict() -> str:
            return (await visitor.see("/")).partition('<h2 id="verdict">')[2].partition("</h2>")[0]

        said = [await verdict()]
        with connect(database.url) as connection:
            for name, outcome in (("github", "done"), ("tracker", "failed")):
                endpoint(connection, name)
                run(connection, name, name, timedelta(hours=1), outcome=outcome)
                said.append(await verdict())
            halted = {"halted_at": "now", "halted_why": "x", "halted_code": "X"}
            insert(connection, "endpoint_controls", project_id="main", endpoint_id="github", **halted)
            said.append(await verdict())

    assert said == [
        "Nothing is harvested yet",
        "All is flowing",
        "Mostly flowing: 1 endpoint failed and will be tried again",
        "1 thing needs a person",
    ]


async def test_endpoints_are_found_by_name_connector_and_condition(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    for query, names in (
        ("q=WARE", {"warehouse"}),
        ("q=confluence", {"wiki"}),
        ("condition=paused", {"drive"}),
        ("after=tracker", {"warehouse", "wiki"}),
        ("q=%25", set()),
    ):
        shown = await visitor.see(f"/endpoints?{query}")
        assert {
            name for name in ("github", "wiki", "warehouse", "drive", "tracker") if f'"/endpoints/{name}"' in shown
        } == names, query


async def test_a_long_list_goes_on_where_it_ended(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(55):
            endpoint(connection, f"e-{number:02}")
            run(connection, f"e-{number:02}", f"r-{number:02}", timedelta(minutes=number))
    visitor = await site.visitor()

    first = await visitor.see("/endpoints")
    assert 'href="/endpoints?q=&amp;condition=&amp;after=e-49" rel="next"' in first
    second = await visitor.see("/endpoints?after=e-49")
    assert ('"/endpoints/e-49"' in second, '"/endpoints/e-50"' in second) == (False, True)

    latest = await visitor.see("/runs")
    further = latest.rpartition('href="/runs?')[2].partition('"')[0]
    older = await visitor.see(f"/runs?{further.replace('&amp;', '&')}")
    assert ("/runs/r-00" in latest, "/runs/r-49" in latest, "/runs/r-50" in latest) == (True, True, False)
    assert ("/runs/r-49" in older, "/runs/r-50" in older, "/runs/r-54" in older) == (False, True, True)


async def test_a_run_tells_its_steps_its_batches_and_what_it_waits_for(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    waiting, read, by_hand = [await visitor.see(f"/runs/{name}-0") for name in ("tracker", "github", "wiki")]

    assert "Waits until" in waiting
    places = [waiting.index(f"<strong>{state}") for state in ("Pending", "Running", "Backoff")]
    assert places == sorted(places)
    assert "http://127.0.0.1:8233/namespaces/x/workflows/sync%2Facme%2Fmain%2Ftracker" in waiting
    assert "40 batches, 2 not yet in the catalog" in re.sub(r"<[^>]*>", "", read)
    assert "/display_name is empty" in read
    assert ("outside of Temporal" in read, "outside of Temporal" in by_hand) == (False, True)


def test_a_small_answer_does_not_wait_for_the_one_before_it() -> None:
    with bind("127.0.0.1", 0) as listening:
        # by this asyncio decides whether to send at once
        assert listening.proto == socket.IPPROTO_TCP


async def test_browsers_get_pages_and_others_problems(site: Console) -> None:
    visitor = await site.visitor()

    shown = await visitor.client.get("/endpoints/nowhere")
    told = await visitor.client.get("/endpoints/nowhere", headers={"accept": "application/json"})

    assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing here" in shown.text
    assert (told.status_code, told.headers["content-type"]) == (404, "application/problem+json")
    assert (await visitor.client.get("/no/such/page")).headers["content-type"].startswith("text/html")


async def test_style_and_script_are_kept_until_they_change(site: Console) -> None:
    stranger = site.stranger()
    shown = (await stranger.get("/login")).text
    for name in ("windrow.css", "windrow.js", "icon.svg"):
        address = f"/static/{name}?v=" + shown.partition(f"/static/{name}?v=")[2][:16]
        assert "immutable" in (await stranger.get(address)).headers["cache-control"]
        assert (await stranger.get(f"/static/{name}")).headers["cache-control"] == "no-cache"


async def test_a_followed_page_is_told_what_has_changed_and_let_go_with_the_server(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    async with visitor.client.stream("GET", "/live/endpoints/github") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = _parts(stream.aiter_lines())
        assert "a rest" not in await anext(told)
        with connect(site.database.url) as connection:
            insert(
                connection,
                "endpoint_controls",
                project_id="main",
                endpoint_id="github",
                paused_at="now",
                paused_by="anna",
                paused_why="a rest",
            )
        assert "a rest" in await anext(told)
        site.site.close()
        assert [part async for part in told] == []
    assert (await visitor.client.get("/live/overview")).status_code == 204


async def test_one_session_follows_a_few_pages_at_once(site: Console) -> None:
    visitor, other = await site.visitor(), await site.visitor(subject="otto")
    async with AsyncExitStack() as following:
        for _ in range(MOST):
            stream = await following.enter_async_context(visitor.client.stream("GET", "/live/runs"))
            told = await following.enter_async_context(aclosing(_parts(stream.aiter_lines())))
            await anext(told)

        assert (await visitor.client.get("/live/runs")).status_code == 204
        async with other.client.stream("GET", "/live/runs") as answered:
            assert answered.status_code == 200


async def test_who_logs_out_follows_nothing_any_more(site: Console) -> None:
    visitor = await site.visitor()
    async with visitor.client.stream("GET", "/live/overview") as stream:
        told = _parts(stream.aiter_lines())
        await anext(told)
        await visitor.send("/logout")

        assert [part async for part in told] == []


async def _parts(lines: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    async for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))
