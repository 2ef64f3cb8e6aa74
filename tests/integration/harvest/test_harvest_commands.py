"""The operators' commands: what they show when there is nothing, what they refuse, and what they do."""

import asyncio
import json
from typing import Any

import pytest
from tests.integration.harvest import script
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import NAMELESS, Script, thing, things
from tests.integration.harvest.shop import ACME, catalog, open_shop, persist, run_slice
from tests.integration.harvest.test_harvest_poison import spoil
from tests.integration.harvest.test_harvest_retrying import Mended
from typer.testing import CliRunner, Result

from windrow import endpoints
from windrow.app import sources
from windrow.cli.tree import tree
from windrow.contracts.errors import Code, RetryableTransient
from windrow.postgres import Database
from windrow.telemetry import log
from windrow.telemetry.declare import Level


class Desk:
    """Commands at a shell, and what happened before them."""

    def __init__(self, url: str) -> None:
        self._url = url

    def before(self, work: Any) -> Any:
        """Done by others, before the command is typed or after it."""
        # a command has let the log speak to its own standard error, which is closed with it
        log.configure(format=log.Format.JSON, level=Level.FATAL, write=lambda _: None)

        async def done() -> Any:
            async with Database(self._url, size=4) as database:
                return await work(database)

        return asyncio.run(done())

    def types(self, *words: str) -> Result:
        return CliRunner().invoke(tree, list(words))

    def told(self, *words: str) -> str:
        result = self.types(*words)
        assert result.exit_code == 0, result.output
        return result.output

    def answer(self, *words: str) -> Any:
        return json.loads(self.told(*words, "--json"))


@pytest.fixture
def desk(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Desk:
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WINDROW_TENANT", "acme")
    monkeypatch.setenv("WINDROW_PROJECT", "main")
    return Desk(database_url)


async def harvested(database: Database, *pages: Any) -> None:
    await run_slice(database, Script.of(*map(script.Said, pages)), await open_shop(database))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("outbox", "status"), "windrow sync"),
        (("runs",), "windrow sync"),
        (("quarantine", "list"), "Nothing is in quarantine"),
        (("listings", "list", "shop"), "No listing"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else None,
)
def test_where_there_is_nothing_a_sentence_says_so(desk: Desk, words: tuple[str, ...], said: str) -> None:
    assert said in desk.told(*words)
    assert desk.answer(*words) == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("outbox", "retry", "shop"), 2, "not stopped"),
        (("outbox", "discard", "shop", "--reason", "x"), 2, "not stopped"),
        (("outbox", "discard", "shop"), 2, "--reason"),
        (("outbox", "retry", "shop", "--lane", "nowhere"), 2, "no lane"),
        (("runs", "show", "none"), 2, "windrow runs"),
        (("quarantine", "show", "none"), 2, "windrow quarantine list"),
        (("quarantine", "retry"), 2, "--all"),
        (("quarantine", "retry", "none"), 2, "no quarantined records"),
        (("quarantine", "drop", "none"), 2, "--reason"),
        (("quarantine", "list", "--state", "lost"), 2, "choose one of"),
        (("listings", "approve", "shop"), 2, "waits for a word"),
        (("listings", "refuse", "shop", "--reason", "x"), 2, "waits for a word"),
        (("cursor", "show", "shop"), 2, "never read"),
        (("cursor", "override", "shop", "{}", "--reason", "x"), 2, "--spec-ref"),
        (("cursor", "override", "shop", "{}", "--spec-ref", "x@1"), 2, "--reason"),
        (("cursor", "override", "shop", "{", "--spec-ref", "x@1", "--reason", "x"), 2, "not JSON"),
        (
            ("cursor", "override", "shop", "{}", "--spec-ref", "x@1", "--reason", "x", "--expect", "7"),
            3,
            "is not there",
        ),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else None,
)
def test_what_cannot_be_done_is_told_with_the_next_step(
    desk: Desk, words: tuple[str, ...], code: int, said: str
) -> None:
    result = desk.types(*words)

    assert result.exit_code == code, result.output
    assert said in result.output


def test_lanes_are_shown_with_what_waits_and_why_one_is_stopped(desk: Desk) -> None:
    async def work(database: Database) -> None:
        hand = await Hand.begins(database, await open_shop(database))
        for number in range(3):
            await hand.asks_and_says(thing(f"x{number}"))
        await spoil(database, hand.piece.lane, 2)
        await hand.is_persisted()

    desk.before(work)

    (lane,) = desk.answer("outbox", "status")
    assert (lane["endpoint_id"], lane["lane"], lane["pending"], lane["stopped_seq"]) == ("shop", "live", 2, 2)
    told = desk.told("outbox", "status")
    assert "stopped" in told
    assert "batch 2: INVALID_VALUE" in told


@pytest.mark.parametrize(("act", "left"), [("retry", {"x0"}), ("discard", {"x0", "x2"})])
def test_a_stopped_lane_is_retried_or_its_batch_discarded(desk: Desk, act: str, left: set[str]) -> None:
    async def work(database: Database) -> None:
        hand = await Hand.begins(database, await open_shop(database))
        for number in range(3):
            await hand.asks_and_says(thing(f"x{number}"))
        await spoil(database, hand.piece.lane, 2)
        await hand.is_persisted()

    async def afterwards(database: Database) -> set[str]:
        await persist(database, await find(database))
        return set(await catalog(database))

    desk.before(work)
    answer = desk.answer("outbox", act, "shop", "--reason", "looked at it")

    assert answer["state"] == "flowing"
    assert desk.before(afterwards) == left
    (line,) = desk.answer("audit", "lane/shop/live")
    assert (line["action"], line["reason"]) == (f"outbox.{act}", "looked at it")


async def find(database: Database) -> Any:
    async with database.tenant(ACME.tenant_id) as tx:
        return await endpoints.get(tx, ACME, "shop")


def test_settled_batches_are_purged_on_request(desk: Desk) -> None:
    async def work(database: Database) -> None:
        await harvested(database, things(1), things(2))
        await persist(database, await find(database))

    desk.before(work)

    assert desk.answer("outbox", "purge")["removed"] == 0
    assert desk.answer("outbox", "purge", "--keep-hours", "0")["removed"] == 2


def test_runs_are_listed_and_shown(desk: Desk) -> None:
    desk.before(lambda database: harvested(database, things(1, 2)))

    (run,) = desk.answer("runs", "--endpoint", "shop")
    assert (run["run_id"], run["published"], run["state"]) == ("run-1", 2, "running")
    shown = desk.answer("runs", "show", "run")
    assert shown["in_outbox"]["pending"] == 1
    assert "run-1" in desk.told("runs")
    assert desk.answer("runs", "--endpoint", "other") == []


@pytest.mark.req("HV-32")
def test_a_cursor_is_shown_as_a_fingerprint_with_what_a_failed_run_left(desk: Desk) -> None:
    async def work(database: Database) -> None:
        endpoint = await open_shop(database)
        source = Script.of(
            script.Said(things(1), cursor={"page": 1, "token": "hunter2-canary"}),
            RetryableTransient("reset", code=Code.NETWORK),
            script.Said(things(2)),
        )
        with pytest.raises(RetryableTransient):
            await run_slice(database, source, endpoint)

    desk.before(work)
    told, shown = desk.told("cursor", "show", "shop"), desk.answer("cursor", "show", "shop")

    assert "hunter2-canary" not in told + json.dumps(shown)
    assert shown["cursor"].startswith("fp:")
    assert (shown["partial"]["code"], shown["partial"]["published"]) == ("NETWORK", 1)


@pytest.mark.req("MW-52")
def test_a_cursor_is_moved_under_a_spec_and_leaves_its_line_in_the_trail(desk: Desk) -> None:
    desk.before(lambda database: harvested(database, things(1)))
    words = ("--spec-ref", "ops@7", "--reason", "from the backup")

    moved = desk.answer("cursor", "override", "shop", '{"page": 0}', *words)
    again = desk.answer("cursor", "reset", "shop", *words, "--expect", str(moved["version"]))

    assert again["version"] == moved["version"] + 1
    lines = desk.answer("audit", "lane/shop/live")
    assert [(line["action"], line["spec_ref"], line["reason"]) for line in lines] == [
        ("cursor.override", "ops@7", "from the backup")
    ] * 2


def test_refused_records_are_listed_shown_and_dropped(desk: Desk) -> None:
    broken = [thing(f"x{number}") | {"colour": "red", "entity_type": ""} for number in range(3)]
    desk.before(lambda database: harvested(database, [*broken, *things(*range(40))]))

    listed = desk.answer("quarantine", "list", "--endpoint", "shop")
    assert {entry["external_id"] for entry in listed} == {"x0", "x1", "x2"}
    assert "(and 2 more)" in desk.told("quarantine", "list")
    shown = desk.answer("quarantine", "show", listed[0]["id"][:8])
    assert len(shown["reasons"]) == 3
    assert shown["kept"]
    assert '"colour"' in shown["excerpt"]

    dropped = desk.answer("quarantine", "drop", listed[0]["id"], "--reason", "known")
    assert dropped["ids"] == [listed[0]["id"]]
    assert desk.answer("quarantine", "drop", "--all", "--reason", "known")["dropped"] == 2
    assert desk.answer("quarantine", "list") == []
    assert len(desk.answer("quarantine", "list", "--state", "all")) == 3


def test_a_retry_says_of_each_entry_what_became_of_it_and_what_is_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shop(Mended):
        def __init__(self, *_: Any) -> None:
            super().__init__(Script(), "retry")

    monkeypatch.setattr(sources.registry, "find", lambda _: Shop)
    records = [
        thing("x") | {"colour": "red"},
        thing("y") | {"entity_type": "No Name"},
        thing("z") | {"colour": "red", "attributes": {"api_key": "hunter2"}},
        *things(*range(40)),
    ]
    desk.before(lambda database: harvested(database, records))

    told = desk.answer("quarantine", "retry", "--all", "--reason", "mended")

    assert sorted(each["outcome"] for each in told) == ["not kept", "published", "refused"]
    nexts = {each["outcome"]: each["next"] for each in told}
    assert nexts["published"] is None
    assert "windrow sync" in nexts["not kept"]
    assert "windrow quarantine show" in nexts["refused"]
    assert desk.before(catalog).keys() == {"x"}
    assert "windrow sync" in desk.told("quarantine", "retry", "--all")


def test_a_held_listing_is_approved_or_refused(desk: Desk) -> None:
    async def work(database: Database) -> None:
        endpoint = await open_shop(database)
        for run, count in (("run-1", 20), ("run-2", 10)):
            await run_slice(database, Script.listing(things(*range(count))), endpoint, run)
            await persist(database, endpoint)

    async def again(database: Database) -> None:
        endpoint = await find(database)
        await run_slice(database, Script.listing(things(*range(10))), endpoint, "run-3")
        await persist(database, endpoint)

    desk.before(work)
    states = [each["state"] for each in desk.answer("listings", "list", "shop")]
    assert states == ["held", "applied"]
    desk.answer("listings", "refuse", "shop", "--reason", "the disk was not mounted")
    assert len(desk.before(catalog)) == 20

    desk.before(again)
    assert desk.answer("listings", "approve", "shop", "--reason", "they are gone")["deleted"] == 10
    assert len(desk.before(catalog)) == 10
    trail = desk.answer("audit", "endpoint/shop")
    assert [line["action"] for line in trail] == ["listing.approve", "listing.refuse"]


def test_a_nameless_record_is_listed_by_its_place(desk: Desk) -> None:
    desk.before(lambda database: harvested(database, [NAMELESS, *things(*range(20))]))

    (entry,) = desk.answer("quarantine", "list")

    assert (entry["external_id"], entry["position"]) == (None, "page 0 #0")
