"""The log of a run: what was said about it is kept with it, within bounds, and never in the way of the work."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.console.house import counted
from tests.integration.harvest import script
from tests.integration.harvest.script import Script, thing, things
from tests.integration.harvest.shop import Shop, open_shop, order_of, persist, run_slice
from tests.integration.harvest.test_harvest_sync import sync

from windrow.app.scribing import written_down
from windrow.contracts.errors import WindrowError
from windrow.harvest import lines
from windrow.harvest.lines import Line
from windrow.harvest.scribe import LogLimits, Scribe
from windrow.postgres import Database
from windrow.telemetry import bound, emit, log
from windrow.telemetry.declare import Level
from windrow.telemetry.log import listening
from windrow.telemetry.redaction import PROCESS


def about(run_id: str = "run-1") -> bound:
    return bound(agent="harvester", tenant_id="acme", project_id="main", run_id=run_id)


def say(*words: Any) -> None:
    for word in words:
        emit("process.started", process=word)


def complain(*words: str) -> None:
    for word in words:
        emit("library.warned", logger="test", message=word)


async def log_of(database: Database, run_id: str = "run-1", **more: Any) -> list[Line]:
    async with database.tenant("acme") as tx:
        return await lines.lines(tx, run_id, **more)


def words(kept: list[Line]) -> list[tuple[int, str]]:
    return [(line.number, line.fields.get("process") or line.fields["message"]) for line in kept]


async def test_what_a_run_says_is_kept_with_it_in_order_though_nothing_is_written_to_the_log(
    database: Database,
) -> None:
    log.configure(level=Level.FATAL, write=lambda _: pytest.fail("nothing is to be written"))
    endpoint = await open_shop(database)
    source = Script.of(script.Said(things(1, 2)), script.Said([thing("x")]))

    async with written_down(database):
        await sync(database, source).run(order_of(endpoint, "run-1"))

    kept = await log_of(database)
    events = [line.event for line in kept]
    assert [line.number for line in kept] == list(range(1, len(kept) + 1))
    assert events[0] == "harvest.started"
    assert events[-1] == "harvest.verified"
    assert events.count("harvest.published") == 2
    assert "batch.persisted" in events
    started = kept[0]
    assert (started.level, started.fields["agent"], started.fields["lane"]) == ("INFO", "harvester", "live")
    assert not {"run_id", "tenant_id", "spec_id", "event"} & started.fields.keys()


async def test_what_is_persisted_by_somebody_else_is_said_about_the_run_that_it_is_of(database: Database) -> None:
    shop = Shop()
    shop.puts("apple")
    endpoint = await open_shop(database)

    async with written_down(database):
        await run_slice(database, shop, endpoint, "run-1")
        await persist(database, endpoint)

    assert [line.event for line in await log_of(database)][-1] == "batch.persisted"


async def test_of_very_many_lines_the_first_the_latest_and_the_serious_are_kept(database: Database) -> None:
    scribe = Scribe(database, LogLimits(first=3, latest=2, serious=3))
    with listening(scribe.hear), about():
        say("1", "2", "3", "4", "5")
        await scribe.write()
        complain("6", "7")
        say("8", "9")
        await scribe.write()
        complain("10", "11", "12")
        await scribe.write()
        say(*map(str, range(13, 20)))
        await scribe.write()

    kept = words(await log_of(database))
    assert kept == [(number, str(number)) for number in (1, 2, 3, 6, 7, 10, 18, 19)]
    assert [number for number, _ in words(await log_of(database, level=Level.WARN))] == [6, 7, 10]
    assert words(await log_of(database, after=7, limit=2)) == [(10, "10"), (18, "18")]
    async with database.tenant("acme") as tx:
        assert words(await lines.latest(tx, "run-1", limit=3)) == [(10, "10"), (18, "18"), (19, "19")]


async def test_while_the_database_is_away_lines_wait_and_beyond_the_bound_the_oldest_go_but_the_serious_last(
    database_url: str,
) -> None:
    away = Database(database_url)
    scribe = Scribe(away, LogLimits(held=8))
    before = counted("run_log_lines_total", result="dropped")
    with listening(scribe.hear), about():
        complain("bad")
        say("1", "2", "3", "4")
        with pytest.raises(WindrowError):
            await scribe.write()
        say("5", "6", "7", "8")  # the last one is beyond the bound

        async with away:
            await scribe.write()
            kept = words(await log_of(away))

    assert [word for _, word in kept] == ["bad", "4", "5", "6", "7", "8"]
    assert [number for number, _ in kept] == list(range(4, 10))  # three were missed
    assert counted("run_log_lines_total", result="dropped") - before == 3


async def test_what_the_writer_says_itself_is_never_among_the_lines(database_url: str, said: Said) -> None:
    away = Database(database_url)
    scribe = Scribe(away, LogLimits(pause=timedelta(milliseconds=1)))
    stalled = asyncio.Event()

    def hear(line: dict[str, Any]) -> None:
        scribe.hear(line)
        if line["event"] == "run_log.stalled":
            stalled.set()

    with listening(hear), about():
        say("apple")
        writing = asyncio.create_task(scribe.run())  # even where it inherits a run
        await stalled.wait()
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        async with away:
            await scribe.finish()
            assert words(await log_of(away)) == [(1, "apple")]


async def test_lines_that_cannot_be_written_when_the_process_ends_are_counted_and_told(
    database_url: str, said: Said
) -> None:
    before = counted("run_log_lines_total", result="dropped")
    scribe = Scribe(Database(database_url))
    with listening(scribe.hear), about():
        say("apple", "pear")
        await scribe.finish()

    assert counted("run_log_lines_total", result="dropped") - before == 2
    assert [line["lines"] for line in said.events("run_log.dropped")] == [2]


async def test_lines_that_no_database_takes_hold_up_nobody(database: Database, said: Said) -> None:
    scribe = Scribe(database)
    with listening(scribe.hear):
        with bound(tenant_id="no tenant's name", run_id="run-1"):
            say("lost")
        with about():
            say("kept")
        await scribe.write()

    assert words(await log_of(database)) == [(1, "kept")]
    assert len(said.events("run_log.dropped")) == 1


async def test_lines_without_a_run_or_a_tenant_are_not_kept(database: Database) -> None:
    async with written_down(database):
        with bound(tenant_id="acme"):
            say("no run")
        with bound(run_id="run-1"):
            say("no tenant")

    assert await log_of(database) == []


@pytest.mark.req("LT-4")
async def test_a_secret_reaches_the_log_of_a_run_neither_in_a_field_nor_in_a_traceback(database: Database) -> None:
    PROCESS.know("hunter2-hunter2")
    long = "x" * 995 + " hunter2-hunter2"  # to be cut in the midst of it

    async with written_down(database):
        with about():
            say("hunter2-hunter2", long, {"inner": ["hunter2-hunter2"]}, {"password": "hush-hush"})
            try:
                raise ValueError("hunter2-hunter2" + "y" * 3993)
            except ValueError as error:
                emit("library.warned", error=error, logger="test", message="Bearer hush-hush-hush")

    kept = str([(line.event, line.fields) for line in await log_of(database)])
    assert len(await log_of(database)) == 5
    assert "hunter" not in kept
    assert "unter2" not in kept
    assert "hush" not in kept
    assert "[redacted]" in kept


async def test_whatever_a_source_makes_us_say_can_be_kept_and_is_bounded(database: Database) -> None:
    hostile = [
        "nul \0 in it",
        "half a pair \ud800",
        float("nan"),
        float("-inf"),
        10**400,
        {"\0": ["\ud800", float("inf")]},
        "long " * 10_000,
        ["long"] * 10_000,
        "<script>alert(1)</script>",
    ]
    async with written_down(database):
        with about():
            say(*hostile)
            emit("library.warned", error=ValueError("end " * 10_000 + "of it"), logger="test", message="x")

    kept = await log_of(database)
    assert len(kept) == len(hostile) + 1
    assert max(len(str(line.fields["process"])) for line in kept[:-1]) <= 1001
    assert kept[-1].fields["error"].endswith("of it")
    assert len(kept[-1].fields["error"]) == 4001


async def test_several_processes_write_about_one_run_and_no_number_is_given_twice(database: Database) -> None:
    runs = [f"run-{number}" for number in range(5)]
    scribes = [Scribe(database) for _ in range(4)]
    for turn, scribe in enumerate(scribes):
        for run_id in runs[::-1] if turn % 2 else runs:
            with listening(scribe.hear), about(run_id):
                say(*(f"{turn}-{number}" for number in range(20)))

    await asyncio.gather(*(scribe.write() for scribe in scribes))

    for run_id in runs:
        kept = await log_of(database, run_id)
        assert [line.number for line in kept] == list(range(1, 81))
        assert len({line.fields["process"] for line in kept}) == 80


async def test_a_log_goes_with_all_its_lines_once_nothing_was_added_for_long(database: Database) -> None:
    async with written_down(database):
        with about("run-1"):
            say("apple")
        with bound(tenant_id="other", project_id="main", run_id="run-1"):
            say("pear")

    assert await lines.purge(database, keep=timedelta(hours=1)) == 0
    assert len(await log_of(database)) == 1
    assert await lines.purge(database, keep=timedelta(0)) == 2
    assert await log_of(database) == []
