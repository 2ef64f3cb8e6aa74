"""The log on a run's page: the latest lines, the way to the others, what was left out; and nothing of it is markup."""

from datetime import timedelta
from typing import Any

import pytest
from tests.integration.console.pages.fields import HOSTILE, connect, insert, now, plough, run, stays_text
from tests.integration.console.pages.fields_lines import lines
from tests.integration.console.pages.visitors import Console, Visitor


def one(number: int, level: str = "INFO", **fields: Any) -> tuple[int, str, str, dict[str, Any]]:
    return number, level, "harvest.published", {"word": f"w{number}w", **fields}


def words(shown: str) -> list[int]:
    """Which lines are drawn, in their order."""
    return [number for number in range(1000) if f"w{number}w" in shown]


async def filled(site: Console, *said: tuple[int, str, str, dict[str, Any]]) -> Visitor:
    with connect(site.database.url) as connection:
        run(connection, "github", "run-1", timedelta(minutes=5))
        lines(connection, "run-1", *said)
    return await site.visitor()


async def test_a_run_shows_what_it_said_and_how_much_was_left_out(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown, serious = await visitor.see("/runs/github-0"), await visitor.see("/runs/github-0?level=WARN")

    assert "301 lines left out" in shown
    assert '<span class="name">page_size=</span>100' in shown
    assert "ValueError: the page is no JSON</pre></details>" in shown
    places = [serious.index(event) for event in ("http.retried", "harvest.quarantined")]
    assert places == sorted(places)
    assert ("harvest.started" in serious, "left out" in serious) == (False, False)


async def test_of_a_long_log_the_latest_are_drawn_and_the_others_page_by_page(site: Console) -> None:
    visitor = await filled(site, *(one(number) for number in range(1, 251)))

    latest = await visitor.see("/runs/run-1")
    assert words(latest) == list(range(151, 251))
    assert 'href="/runs/run-1?lines=0#log"' in latest
    assert "left out" not in latest
    first = await visitor.see("/runs/run-1?lines=0")
    assert words(first) == list(range(1, 101))
    assert 'href="/runs/run-1?lines=100#log"' in first
    last = await visitor.see("/runs/run-1?lines=200")
    assert words(last) == list(range(201, 251))
    assert 'rel="next"' not in last


async def test_whatever_is_said_stays_text(site: Console) -> None:
    said = (1, "ERROR", HOSTILE, {HOSTILE: HOSTILE, "inner": [HOSTILE], "error": f"{HOSTILE}\n{HOSTILE}"})
    visitor = await filled(site, said)

    shown = await visitor.see("/runs/run-1")

    assert stays_text(shown)
    assert shown.count("&lt;script&gt;alert(1)") >= 6


@pytest.mark.parametrize("number", ["-1", "x", "٣", "9" * 40, "1e3", "%00"])
async def test_what_is_no_number_of_a_line_is_as_if_nothing_was_said(site: Console, number: str) -> None:
    visitor = await filled(site, one(1))

    assert words(await visitor.see(f"/runs/run-1?lines={number}")) == [1]


async def test_a_run_without_lines_says_why(site: Console) -> None:
    with connect(site.database.url) as connection:
        run(connection, "github", "run-1", timedelta(minutes=5))
        run(connection, "github", "run-2", timedelta(0), state="running", outcome=None, ended_at=None)
    visitor = await site.visitor()

    assert "WINDROW_RUN_LOG_DAYS" in await visitor.see("/runs/run-1")
    assert "Nothing was said yet" in await visitor.see("/runs/run-2")
    assert "Nothing worse than a remark" in await visitor.see("/runs/run-1?level=WARN")


async def test_the_lines_of_a_run_of_another_project_are_not_shown(site: Console) -> None:
    with connect(site.database.url) as connection:
        run(connection, "github", "run-1", timedelta(minutes=5), project_id="elsewhere")
        lines(connection, "run-1", one(1))
    visitor = await site.visitor()

    assert (await visitor.client.get("/runs/run-1")).status_code == 404


async def test_lines_of_several_processes_are_drawn_in_the_order_of_time(site: Console) -> None:
    visitor = await filled(site, one(1), one(2))
    with connect(site.database.url) as connection:
        late = {"number": 3, "level": "INFO", "event": "harvest.started", "fields": '{"word": "w3w"}'}
        insert(connection, "run_lines", run_id="run-1", at=now() - timedelta(hours=1), **late)

    shown = await visitor.see("/runs/run-1")

    assert sorted((1, 2, 3), key=lambda number: shown.index(f"w{number}w")) == [3, 1, 2]
