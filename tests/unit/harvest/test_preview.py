"""A preview: a sample as a run would make it, within its bounds, and of nothing that must not be shown."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY
from pydantic import BaseModel
from tests.conftest import Said

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.permits import Permits
from windrow.connectors.spec import Capabilities, ConnectorSpec
from windrow.connectors.standalone import standalone
from windrow.contracts.errors import RetryableTransient, ValidationFailure
from windrow.contracts.identity import Identity
from windrow.contracts.page import Cursor, Page, Transformed
from windrow.contracts.scope import Scope
from windrow.harvest.preview import Bounds, Ended, preview
from windrow.telemetry.redaction import PROCESS

ACME = Scope("acme", "main")


class NoConfig(BaseModel):
    """Nothing to configure."""


class Counting(Connector[NoConfig]):
    """Gives things without end, page by page, as long as it is asked."""

    spec = ConnectorSpec(
        name="counting",
        version="1",
        title="Counting",
        source_system="counting",
        config=NoConfig,
        capabilities=Capabilities(preview=True),
    )

    def __init__(self, *, things: int = 10**9, say: Callable[[int], Any] | None = None) -> None:
        context = standalone(ACME, endpoint_id="numbers", permits=Permits("acme"), cache=Path("unused"))
        super().__init__(NoConfig(), context)
        self.things, self.say = things, say or thing
        self.asked: list[int] = []
        self.closed = self.prepared = False
        self.before_page: Callable[[int], Any] = lambda _: asyncio.sleep(0)

    async def prepare(self) -> list[Finding]:
        self.prepared = True
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        start = cursor or 0
        try:
            while True:
                self.asked.append(page_size)
                await self.before_page(len(self.asked))
                end = min(start + page_size, self.things)
                yield Page(records=range(start, end), cursor=end, position=f"from {start}", last=end == self.things)
                start = end
        finally:
            self.closed = True

    def item(self, record: int) -> Any:
        return self.say(record)

    def transform(self, page: Page) -> Transformed:
        """Passes over what there is nothing to say of, as connectors may."""
        made = super().transform(page)
        kept = [(item, place) for item, place in zip(made.items, made.places, strict=True) if item is not None]
        return Transformed(items=[item for item, _ in kept], places=[place for _, place in kept], refused=made.refused)


def thing(number: int, **said: Any) -> dict[str, Any]:
    return {"entity_type": "thing", "external_id": f"{number:03}", "display_name": f"Thing {number}", **said}


def disabled() -> float:
    """How many previews were asked for in vain, as the metrics page has it."""
    samples = [sample for family in REGISTRY.collect() for sample in family.samples]
    return sum(sample.value for sample in samples if sample.name == "preview_disabled_total")


@pytest.mark.req("OR-12")
async def test_a_sample_has_the_items_that_a_run_would_make() -> None:
    relation = {"type": "after", "target": "000"}
    connector = Counting(things=2, say=lambda n: thing(n, labels=["b", "a"], relations=[relation], attributes={"n": n}))

    sample = await preview(connector, Bounds(rows=5))

    assert (sample.ended, sample.refused, connector.prepared) == (Ended.WHOLE, [], True)
    assert [item["external_id"] for item in sample.items] == ["000", "001"]
    item = sample.items[1]
    assert item["item_id"] == Identity(ACME, "numbers").item_id("001")
    assert (item["labels"], item["attributes"], item["relations"]) == (["a", "b"], {"n": 1}, [relation])
    assert "targets" not in item


@pytest.mark.req("OR-12")
async def test_what_would_be_refused_is_shown_with_its_reasons() -> None:
    connector = Counting(things=3, say=lambda n: thing(n) if n != 1 else {"external_id": "001", "colour": "red"})

    sample = await preview(connector, Bounds())

    (refused,) = sample.refused
    assert (len(sample.items), refused.external_id, refused.position) == (2, "001", "from 0 #1")
    assert {reason["why"] for reason in refused.reasons} == {"SCHEMA"}
    assert any("colour" in reason["message"] for reason in refused.reasons)


@pytest.mark.parametrize("rows", [1, 7, 50, 51, 120, 500])
async def test_no_more_rows_are_shown_and_no_more_pages_asked_for_than_are_needed(rows: int) -> None:
    connector = Counting()

    sample = await preview(connector, Bounds(rows=rows, bytes=1024 * 1024))

    assert (sample.ended, len(sample.items)) == (Ended.ROWS, rows)
    assert connector.asked == [max(rows, 50)]
    assert connector.closed


async def test_exactly_as_many_records_as_rows_are_the_whole_dataset() -> None:
    sample = await preview(Counting(things=7), Bounds(rows=7))

    assert sample.ended is Ended.WHOLE


async def test_an_empty_dataset_is_a_whole_one() -> None:
    sample = await preview(Counting(things=0), Bounds())

    assert (sample.ended, sample.items, sample.pages) == (Ended.WHOLE, [], 1)


async def test_no_more_records_are_looked_at_than_are_shown() -> None:
    looked_at: list[int] = []

    await preview(Counting(say=lambda n: looked_at.append(n) or thing(n)), Bounds(rows=3))

    assert looked_at == [0, 1, 2]


@pytest.mark.parametrize("wrong", [False, True])
async def test_what_is_shown_stays_below_the_bytes(wrong: bool) -> None:
    extra = {"strange": "x"} if wrong else {}
    connector = Counting(say=lambda n: thing(n, attributes={"text": "x" * 1000}, **extra))

    sample = await preview(connector, Bounds(rows=500, bytes=10_000))

    assert sample.ended is Ended.BYTES
    assert 0 < sample.shown < 80
    assert sample.bytes <= 10_000


async def test_a_source_that_never_gets_ready_ends_with_the_time() -> None:
    connector = Counting()
    connector.prepare = asyncio.Event().wait  # type: ignore[method-assign,assignment]

    sample = await preview(connector, Bounds(seconds=0.05))

    assert (sample.ended, sample.items) == (Ended.SECONDS, [])


async def test_a_page_that_does_not_come_ends_with_the_time_and_what_was_seen_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connector = Counting(say=lambda n: thing(n) if n < 3 else None)
    loop = asyncio.get_running_loop()
    begun = loop.time()

    async def the_second_never_comes(page: int) -> None:
        if page == 2:
            # the time is over, however long the first took
            monkeypatch.setattr(loop, "time", lambda: begun + 3600)
            await asyncio.Event().wait()

    connector.before_page = the_second_never_comes

    sample = await preview(connector, Bounds(rows=5, seconds=30))

    assert (sample.ended, len(sample.items), connector.closed) == (Ended.SECONDS, 3, True)


async def test_the_time_ends_a_dataset_that_shows_nothing_page_after_page() -> None:
    connector = Counting(say=lambda _: None)

    sample = await preview(connector, Bounds(rows=5, seconds=0.05))

    assert (sample.ended, sample.items, connector.closed) == (Ended.SECONDS, [], True)


@pytest.mark.req("HV-3")
async def test_secrets_are_blanked_out_of_items_and_of_reasons() -> None:
    PROCESS.know("canary-5ecret")

    def say(number: int) -> dict[str, Any]:
        if number:
            raise ValueError("cannot read canary-5ecret")
        return thing(number, attributes={"note": "it is canary-5ecret", "api_key": "abc"})

    sample = await preview(Counting(things=2, say=say), Bounds())

    assert "canary" not in repr(sample)
    assert sample.items[0]["attributes"] == {"note": "it is [redacted]", "api_key": "[redacted]"}
    assert "[redacted]" in sample.refused[0].reasons[0]["message"]


@pytest.mark.req("OR-12")
async def test_a_connector_without_the_ability_ends_at_once_with_a_warning(said: Said) -> None:
    connector, counted = Counting(), disabled()
    connector.spec = replace(connector.spec, capabilities=Capabilities())  # type: ignore[misc]

    sample = await preview(connector, Bounds())

    assert (sample.ended, connector.prepared, connector.asked) == (Ended.DISABLED, False, [])
    assert sample.why == "the connector counting offers no preview"
    (line,) = said.lines
    assert (line["event"], line["level"], line["connector"]) == ("preview.disabled", "WARN", "counting")
    assert disabled() == counted + 1


@pytest.mark.req("OR-12")
async def test_start_and_completion_are_told_with_directive_tenant_project_and_endpoint(said: Said) -> None:
    await preview(Counting(things=2), Bounds())

    assert [line["event"] for line in said.lines] == ["preview.started", "preview.ended"]
    for line in said.lines:
        assert line["directive"] == "previewDatasetWorkflow"
        assert (line["tenant_id"], line["project_id"], line["endpoint_id"]) == ("acme", "main", "numbers")
    assert (said.lines[1]["outcome"], said.lines[1]["item_count"]) == ("whole", 2)


async def test_a_source_that_fails_fails_the_preview_as_one_of_the_family(said: Said) -> None:
    connector = Counting()

    async def breaks(_: int) -> None:
        raise OSError("wire cut")

    connector.before_page = breaks

    with pytest.raises(RetryableTransient):
        await preview(connector, Bounds())

    assert [line["event"] for line in said.lines] == ["preview.started", "preview.failed"]


async def test_a_timeout_of_the_sources_own_is_not_taken_for_ours() -> None:
    connector = Counting()

    async def times_out(_: int) -> None:
        raise TimeoutError("the source said so")

    connector.before_page = times_out

    with pytest.raises(RetryableTransient, match="the source said so"):
        await preview(connector, Bounds())


async def test_a_source_that_goes_in_circles_is_refused() -> None:
    connector = Counting(say=lambda _: {"nothing": True})
    connector.fetch_pages = lambda *_: circling()  # type: ignore[method-assign,assignment]

    async def circling() -> AsyncIterator[Page]:
        while True:
            yield Page(records=[], cursor={"the": "same"}, position="here")

    with pytest.raises(ValidationFailure, match="never end"):
        await preview(connector, Bounds())


async def test_a_cancelled_preview_closes_the_source_and_says_so(said: Said) -> None:
    connector, reached = Counting(), asyncio.Event()

    async def hangs(_: int) -> None:
        reached.set()
        await asyncio.Event().wait()

    connector.before_page = hangs
    task = asyncio.create_task(preview(connector, Bounds()))
    await reached.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert connector.closed
    assert said.events("preview.ended")[0]["outcome"] == "cancelled"


@pytest.mark.parametrize(
    "bounds", [{"rows": 0}, {"rows": 501}, {"bytes": 0}, {"bytes": 2**21}, {"seconds": 0}, {"seconds": 1e9}]
)
def test_bounds_have_bounds(bounds: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure, match="is refused"):
        Bounds(**bounds)
