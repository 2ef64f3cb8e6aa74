"""Whatever a tap makes of STATE, wherever a pass is left, and whatever changes meanwhile: in the end nothing is missing."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.permits import Permits
from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.cursor import Place, read
from windrow.connectors.singer.failures import Ended
from windrow.connectors.singer.lines import Line
from windrow.connectors.singer.process import Limits, Running
from windrow.connectors.singer.reading import Reading, Tap
from windrow.connectors.standalone import standalone
from windrow.contracts.scope import Scope

Messages = list[dict[str, Any]]


@dataclass
class Source:
    """Rows by id, each with the number of its last change."""

    rows: dict[int, int] = field(default_factory=lambda: {number: number for number in range(1, 13)})
    clock: int = 12

    def change(self, row: int) -> None:
        """Change a row, or add one that is not there."""
        self.clock += 1
        self.rows[row] = self.clock

    def since(self, at: int) -> list[tuple[int, int]]:
        return [(row, changed) for row, changed in self.rows.items() if changed > at]


def record(row: int, changed: int) -> dict[str, Any]:
    return {"type": "RECORD", "stream": "a", "record": {"id": row, "changed": changed}}


def stand(**state: Any) -> dict[str, Any]:
    return {"type": "STATE", "value": state}


def sorted_tap(source: Source, state: dict[str, Any], every: int) -> Iterator[dict[str, Any]]:
    """Gives changes in their order, and says where it is."""
    for number, (row, changed) in enumerate(sorted(source.since(state.get("at", 0)), key=lambda each: each[1]), 1):
        yield record(row, changed)
        if number % every == 0:
            yield stand(at=changed)
    yield stand(at=source.clock)


def unsorted_tap(source: Source, state: dict[str, Any], every: int) -> Iterator[dict[str, Any]]:
    """Gives changes by id; its STATE in the middle says that it would begin anew."""
    begin = state.get("at", 0)
    for number, (row, changed) in enumerate(sorted(source.since(begin)), 1):
        yield record(row, changed)
        if number % every == 0:
            yield stand(at=begin, progress_markers={"row": row})
    yield stand(at=source.clock)


def forgetful_tap(source: Source, state: dict[str, Any], every: int) -> Iterator[dict[str, Any]]:
    """Its STATE in the middle looks as good as any, and it begins anew from it all the same."""
    begin = state.get("at", 0)
    for number, (row, changed) in enumerate(sorted(source.since(begin)), 1):
        yield record(row, changed)
        if number % every == 0:
            yield stand(at=begin, row=row)
    yield stand(at=source.clock)


# one that is restless gives a STATE after each record in every second run, as those do that go by the clock
TAPS = {"sorted": sorted_tap, "restless": sorted_tap, "unsorted": unsorted_tap, "forgetful": forgetful_tap}


class Script:
    """What a running tap is to those who listen, without a process. It sees the source as it is when it begins."""

    words = ""

    def __init__(self, messages: Messages) -> None:
        schema = {"type": "SCHEMA", "stream": "a", "schema": {}, "key_properties": ["id"]}
        self._lines = iter([json.dumps(message).encode() for message in (schema, *messages)])

    async def line(self) -> Line | None:
        text = next(self._lines, None)
        return None if text is None else Line(text, len(text))

    async def ended(self) -> Ended:
        return Ended(0, 0, "")

    async def end(self) -> None:
        pass


@dataclass
class Harvest:
    """Takes some pages at a time, and remembers nothing but the cursor."""

    source: Source
    kind: str
    every: int
    cursor: Any = None
    catalog: dict[int, int] = field(default_factory=dict)
    runs: int = 0

    async def pages(self, most: int, size: int) -> bool:
        """Up to so many pages; whether the pass has ended."""
        place = read(self.cursor)
        reading = Reading(self._tap(), place if place.open else Place(state=place.state), opens=False)
        for _ in range(most):
            page = await reading.page(size)
            self.cursor = json.loads(json.dumps(page.cursor))
            self.catalog |= {each["record"]["id"]: each["record"]["changed"] for each in page.records}
            if page.last:
                return True
        return False

    def _tap(self) -> Tap:
        async def run(state: dict[str, Any] | None) -> Running:
            self.runs += 1
            every = 1 if self.kind == "restless" and self.runs % 2 == 0 else self.every
            return cast("Running", Script(list(TAPS[self.kind](self.source, state or {}, every))))

        return Tap(
            run=run,
            config=SingerConfig(tap="t"),
            chosen=None,
            context=standalone(
                Scope("acme", "main"), permits=Permits("acme"), cache=Path("unused"), say=lambda *_, **__: None
            ),
            limits=Limits(),
            secrets=[],
        )


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pages"), st.integers(1, 3), st.integers(1, 5)),
        st.tuples(st.just("change"), st.integers(1, 15), st.just(0)),
    ),
    max_size=25,
)


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(sorted(TAPS)), every=st.integers(1, 6), steps=STEPS)
def test_in_the_end_the_catalog_is_the_source(kind: str, every: int, steps: list[tuple[str, int, int]]) -> None:
    harvest = Harvest(Source(), kind, every)

    async def story() -> None:
        for step, number, size in steps:
            if step == "change":
                harvest.source.change(number)
            else:
                await harvest.pages(number, size)
        # the pass that is under way, and one behind the last change
        for _ in range(2):
            while not await harvest.pages(50, 5):
                pass

    asyncio.run(story())

    assert harvest.catalog == harvest.source.rows


@pytest.mark.parametrize("kind", ["sorted", "restless", "unsorted"])
def test_while_nothing_changes_every_record_is_given_once(kind: str) -> None:
    harvest, given_to_us = Harvest(Source(), kind, 5), list[int]()

    async def story() -> None:
        while not await harvest.pages(1, 2):
            given_to_us.append(harvest.cursor["given"])

    asyncio.run(story())

    assert given_to_us == [2, 4, 6, 8, 10]
