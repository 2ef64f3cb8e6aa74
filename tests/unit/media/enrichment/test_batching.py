"""Questions that come together go out together, and no one's leaving disturbs the others."""

import asyncio

import pytest

from windrow.contracts.errors import Code
from windrow.media.enrichment.youtube.batching import Batches
from windrow.media.errors import EnrichmentDelayed

# nobody waits for it here: a batch goes when it is full, or when the test says so
LONG = 60.0


class Asked:
    """Answers `KEY!` to each key, when it may."""

    def __init__(self) -> None:
        self.batches: list[tuple[str, ...]] = []
        self.may = asyncio.Event()
        self.may.set()
        self.begun = asyncio.Event()
        self.ended: list[str] = []

    async def fetch(self, keys: tuple[str, ...]) -> dict[str, str]:
        self.batches.append(keys)
        self.begun.set()
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        return {key: f"{key}!" for key in keys}


@pytest.fixture
async def asked() -> Asked:
    return Asked()


async def test_a_full_batch_goes_at_once(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=2, window=LONG)

    assert await asyncio.gather(*(batches.ask(key) for key in "abcd")) == ["a!", "b!", "c!", "d!"]
    assert asked.batches == [("a", "b"), ("c", "d")]


async def test_a_batch_that_is_not_full_goes_after_the_window(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=50, window=0.001)

    assert await batches.ask("a") == "a!"
    assert asked.batches == [("a",)]


async def test_where_nobody_is_being_asked_there_is_no_crowd_to_wait_for(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    joined = asyncio.Event()

    def noted(delay: float) -> asyncio.Timeout:
        waits.append(delay)
        if len(waits) == 2:
            joined.set()
        return timeout(delay)

    timeout = asyncio.timeout
    monkeypatch.setattr(asyncio, "timeout", noted)
    batches = Batches(asked.fetch, most=50, window=0.01)
    asked.may.clear()
    async with asyncio.TaskGroup() as group:
        group.create_task(batches.ask("alone"))
        await asked.begun.wait()
        group.create_task(batches.ask("with others"))
        await joined.wait()
        asked.may.set()

    assert waits == [pytest.approx(0.001), 0.01]


async def test_the_same_question_takes_one_place(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=2, window=LONG)

    assert await asyncio.gather(*(batches.ask(key) for key in "aaab")) == ["a!", "a!", "a!", "b!"]
    assert asked.batches == [("a", "b")]


async def test_one_who_stops_waiting_leaves_the_others_undisturbed(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=2, window=LONG)
    asked.may.clear()
    first, second = (asyncio.create_task(batches.ask(key)) for key in "ab")
    await asked.begun.wait()

    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    asked.may.set()

    assert await second == "b!"
    assert first.cancelled()


async def test_what_nobody_waits_for_any_more_is_not_asked(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=2, window=LONG)
    waiting = [asyncio.create_task(batches.ask("a")) for _ in range(2)]
    await asyncio.sleep(0)
    (gathering,) = batches._under_way
    for task in waiting:
        task.cancel()
    await asyncio.wait([*waiting, gathering], timeout=60)

    assert gathering.cancelled()
    # a new one does not join what was given up
    assert await asyncio.gather(batches.ask("b"), batches.ask("c")) == ["b!", "c!"]
    assert asked.batches == [("b", "c")]


async def test_a_failure_is_everybodys_and_each_has_one_of_its_own() -> None:
    async def fails(_: tuple[str, ...]) -> dict[str, str]:
        raise EnrichmentDelayed("not now", code=Code.TIMEOUT, hint="later")

    batches: Batches[str] = Batches(fails, most=2, window=LONG)
    found = await asyncio.gather(batches.ask("a"), batches.ask("b"), return_exceptions=True)

    assert [(type(one), str(one), one.code, one.hint) for one in found if isinstance(one, EnrichmentDelayed)] == [
        (EnrichmentDelayed, "not now", Code.TIMEOUT, "later")
    ] * 2
    assert found[0] is not found[1]


async def test_closing_gives_up_what_is_under_way(asked: Asked) -> None:
    batches = Batches(asked.fetch, most=1, window=LONG)
    asked.may.clear()
    waiting = asyncio.create_task(batches.ask("a"))
    await asked.begun.wait()

    await batches.aclose()

    assert asked.ended == ["cancelled"]
    await asyncio.gather(waiting, return_exceptions=True)
