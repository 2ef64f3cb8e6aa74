"""One slice in its seven steps: what is said and counted, what is refused, what stops a run."""

import json
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Said, Spans
from tests.integration.harvest import script
from tests.integration.harvest.script import BAD, NAMELESS, Script, thing, things
from tests.integration.harvest.shop import ACME, catalog, open_shop, order_of, persist, rows, run_slice
from tests.integration.kv.desk import counted

from windrow import kv
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.page import Page
from windrow.harvest.cursors import Cursors
from windrow.harvest.run import Outcome
from windrow.harvest.slice import harvest
from windrow.outbox.lane import Lane
from windrow.postgres import Database

# how each step shows: the source's own, and the lines of ours; a written cursor is told once its page has committed too
STEPS = {
    "prepare": "1 prepare",
    "harvest.started": "2 begin",
    "fetch": "3 fetch",
    "refine": "4 refine",
    "kv.written": "6 advance",
    "harvest.published": "5 publish",
    "harvest.ended": "7 finish",
}


@pytest.mark.req("HV-50")
async def test_the_seven_steps_are_taken_in_their_order(
    database: Database, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note(step: str) -> None:
        said.raw.append(json.dumps({"event": step}))

    source = Script.of(lambda: note("fetch"), script.Said(things(1)))
    connector = source.connector()

    async def prepare() -> list[Any]:
        note("prepare")
        return []

    def transform(page: Any) -> Any:
        note("refine")
        return type(connector).transform(connector, page)

    monkeypatch.setattr(connector, "prepare", prepare)
    monkeypatch.setattr(connector, "transform", transform)
    endpoint = await open_shop(database)

    await harvest(database, connector, order_of(endpoint, "run-1"))

    told = [line["event"] for line in said.lines]
    assert [event for event in told if event in STEPS] == list(STEPS)
    (batch,) = await rows(database, "SELECT xmin::text, seq FROM harvest_outbox")
    (cursor,) = await rows(database, "SELECT xmin::text, version AS seq FROM kv WHERE key LIKE '%%/cursor'")
    assert batch == cursor, "batch and cursor are of one transaction and one number"


@pytest.mark.req("HV-50")
async def test_the_source_is_asked_only_when_the_lane_is_ours_and_the_cursor_read(database: Database) -> None:
    endpoint = await open_shop(database)
    seen: list[list[dict[str, Any]]] = []

    class Watching(script.ScriptConnector):
        async def prepare(self) -> list[Any]:
            seen.append(await rows(database, "SELECT epoch, floor FROM harvest_lanes"))
            return []

    source = Script.of(script.Said(things(1)), script.Said(things(2)))
    await harvest(database, Watching(source, "run-1"), order_of(endpoint, "run-1", budget=timedelta(0)))
    await harvest(database, Watching(source, "run-1"), order_of(endpoint, "run-1"))

    assert seen == [[], [{"epoch": 1, "floor": None}]]
    assert [cursor for cursor, _ in source.asked] == [None, {"page": 1}]


@pytest.mark.req("HV-50")
async def test_the_same_page_from_the_same_cursor_has_the_same_batch_id(database: Database) -> None:
    endpoint = await open_shop(database)
    for run in ("run-1", "run-2"):
        await run_slice(database, Script.of(script.Said(things(1, 2))), endpoint, run)
    await run_slice(database, Script.of(script.Said(things(1, 3))), endpoint, "run-3")

    labels = [row["batch_id"] for row in await rows(database, "SELECT batch_id FROM harvest_outbox ORDER BY seq")]

    assert labels[0] == labels[1]
    assert labels[2] != labels[0]


@pytest.mark.req("HV-70")
async def test_each_published_page_is_a_line_that_names_batch_cursor_and_counts(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said(things(1, 2)), script.Said([thing("x"), thing("x"), BAD]))

    await run_slice(database, source, endpoint, retry_attempt=2)

    lines = said.events("harvest.published")
    assert {(line["agent"], line["directive"], line["endpoint_id"]) for line in lines} == {
        ("harvester", "script", "shop")
    }
    assert {line["retry_attempt"] for line in lines} == {2}
    assert [(line["item_count"], line["repeats"], line["quarantined"]) for line in lines] == [(2, 0, 0), (1, 1, 1)]
    prints = await kv.Fingerprints.load(database, ACME.tenant_id)
    assert [line["cursor_token"] for line in lines] == [prints.of({"page": 1}), prints.of(None)]
    batches = await rows(database, "SELECT batch_id FROM harvest_outbox ORDER BY seq")
    assert [line["batch_id"] for line in lines] == [row["batch_id"] for row in batches]


@pytest.mark.req("HV-70")
async def test_batches_items_refusals_and_seconds_are_counted(database: Database) -> None:
    names = (
        "harvest_batches_total",
        "harvest_items_total",
        "harvest_quarantined_total",
        "harvest_latency_seconds_count",
    )

    def now() -> list[float]:
        return [counted(name, directive="script") for name in names]

    endpoint = await open_shop(database)
    before = now()

    await run_slice(database, Script.of(script.Said(things(1, 2)), script.Said(()), script.Said([BAD])), endpoint)

    assert [after - begun for after, begun in zip(now(), before, strict=True)] == [1, 2, 1, 3]
    assert len(await rows(database, "SELECT FROM harvest_outbox")) == 1


async def test_a_slice_and_its_pages_are_traced(database: Database, spans: Spans) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(things(1)), script.Said(things(2))), endpoint)
    await persist(database, endpoint)

    (whole,) = spans.named("harvest.slice")
    pages = spans.named("harvest.page")
    assert [page.attributes and page.attributes["position"] for page in pages] == ["page 0", "page 1"]
    assert all(page.parent and page.parent.span_id == whole.context.span_id for page in pages)
    assert len(spans.named("batch.persist")) == 1


@pytest.mark.req("HV-43")
async def test_every_item_says_where_it_comes_from(database: Database) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(things(1)), script.Said(things(2))), endpoint, "run-7")
    await persist(database, endpoint)

    found = await catalog(database)
    for item in found.values():
        assert (item["source_system"], item["connector"], item["connector_version"]) == ("script", "script", "1.0")
        assert (item["spec_ref"], item["run_id"], item["first_run_id"]) == ("connector.script@1.0", "run-7", "run-7")
        assert item["fetched_at"] <= item["first_seen_at"]
    assert found["thing 00001"]["observation"] < found["thing 00002"]["observation"]


@pytest.mark.req("HV-44", "HV-61")
async def test_a_refused_record_is_kept_with_reasons_and_place_told_as_an_error_and_the_rest_goes_on(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database)

    report = await run_slice(database, Script.of(script.Said([thing("a"), BAD, "no mapping", thing("b")])), endpoint)
    await persist(database, endpoint)

    assert (await catalog(database)).keys() == {"a", "b"}
    assert (report.totals.fetched, report.totals.published, report.totals.quarantined) == (4, 2, 2)
    nameless, bad = await rows(database, "SELECT * FROM quarantine ORDER BY external_id NULLS FIRST")
    assert (bad["external_id"], bad["position"], bad["state"], bad["times"]) == ("bad", "page 0 #1", "open", 1)
    assert {reason["path"] for reason in bad["reasons"]} == {"/entity_type", "/display_name"}
    assert [reason["why"] for reason in nameless["reasons"]] == ["TRANSFORM"]
    (line,) = said.events("harvest.quarantined")
    assert (line["level"], line["quarantined"], line["position"]) == ("ERROR", 2, "page 0")


async def test_a_record_that_is_refused_again_is_one_entry_seen_once_more(database: Database) -> None:
    endpoint = await open_shop(database)
    for run in ("run-1", "run-2"):
        await run_slice(database, Script.of(script.Said([BAD, NAMELESS])), endpoint, run)

    found = await rows(database, "SELECT times, run_id, first_at < last_at AS later FROM quarantine")
    assert found == [{"times": 2, "run_id": "run-2", "later": True}] * 2


async def test_a_refused_record_leaves_no_secret_behind(database: Database) -> None:
    endpoint = await open_shop(database)
    record = BAD | {"attributes": {"api_key": "hunter2-canary", "note": "Bearer hunter2-canary"}}

    await run_slice(database, Script.of(script.Said([record])), endpoint)

    (kept,) = await rows(database, "SELECT * FROM quarantine")
    assert "hunter2-canary" not in repr(kept)


async def stopped(database: Database, *pages: list[Any]) -> ValidationFailure:
    """The error of a slice that reads these pages."""
    endpoint = await open_shop(database)
    with pytest.raises(ValidationFailure, match="records were refused") as caught:
        await run_slice(database, Script.of(*map(script.Said, pages)), endpoint)
    return caught.value


async def test_a_run_in_which_too_much_is_refused_stops_before_that_page_and_keeps_the_reasons(
    database: Database,
) -> None:
    bad = [BAD | {"external_id": f"bad {number}"} for number in range(4)]

    error = await stopped(database, things(*range(20)), [*things(20, 21), *bad], things(30))

    assert "4 of 26" in error.message
    assert len(await rows(database, "SELECT FROM harvest_outbox")) == 1, "the page before it stands, its own does not"
    assert (await Cursors(Lane(ACME, "shop"), "script").load(database)).cursor == {"page": 1}
    assert len(await rows(database, "SELECT FROM quarantine")) == 4


@pytest.mark.parametrize(("good", "refused"), [(0, 3), (36, 4), (90, 10)])
async def test_few_refusals_or_a_small_part_do_not_stop_a_run(database: Database, good: int, refused: int) -> None:
    endpoint = await open_shop(database)
    bad = [BAD | {"external_id": f"bad {number}"} for number in range(refused)]

    report = await run_slice(database, Script.of(script.Said([*things(*range(good)), *bad])), endpoint)

    assert report.outcome is Outcome.DONE
    assert report.totals.quarantined == refused


async def test_refusals_are_weighed_over_the_whole_run_and_not_over_a_page(database: Database) -> None:
    bad = [BAD | {"external_id": f"bad {number}"} for number in range(4)]

    error = await stopped(database, bad[:2], [*bad[2:3], *things(1)], bad[3:])

    assert "4 of 5" in error.message


async def test_nothing_new_leaves_the_cursor_untouched_and_the_endpoint_checked(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said(things(1), cursor={"at": 9})), endpoint)
    before = await Cursors(Lane(ACME, "shop"), "script").load(database)

    class Quiet(script.ScriptConnector):
        async def fetch_pages(self, cursor: Any, _: int) -> Any:
            yield Page(records=(), cursor=cursor, position="nothing", last=True)

    await harvest(database, Quiet(Script(), "run-2"), order_of(endpoint, "run-2"))

    assert await Cursors(Lane(ACME, "shop"), "script").load(database) == before
    (checked,) = await rows(database, "SELECT last_checked_at > updated_at AS since FROM endpoints")
    assert checked["since"]
