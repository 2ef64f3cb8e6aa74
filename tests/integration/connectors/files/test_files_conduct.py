"""How the connector behaves: off the event loop, within bounds of memory, and gone when it is told to go."""

import asyncio
import os
import tracemalloc
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, fill

from windrow.connectors.files.connector import FilesConnector


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_large_directory_needs_its_names_in_memory_and_no_more(reader: Reader, top: Path) -> None:
    for number in range(8_000):
        os.mknod(top / f"entry-{number:06}")
    connector = reader.connector()
    listed = 0
    tracemalloc.start()
    try:
        async for page in connector.fetch_pages(None, 500):
            listed += len(page.records)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert listed == 8_001
    assert peak < 3_000_000


async def test_the_loop_goes_on_while_a_file_is_read(reader: Reader, top: Path) -> None:
    with (top / "large").open("wb") as file:
        os.truncate(file.fileno(), 200 << 20)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await reader.pages()
    counting.cancel()

    assert turns > 50


async def test_a_run_that_is_to_end_leaves_a_large_file_in_the_middle(reader: Reader, top: Path) -> None:
    with (top / "endless").open("wb") as file:
        os.truncate(file.fileno(), 1 << 42)
    before = descriptors()
    asked = 0

    class Patience(Reader):
        @property
        def cancelled(self) -> bool:  # type: ignore[override]
            nonlocal asked
            asked += 1
            return asked > 3

        @cancelled.setter
        def cancelled(self, value: bool) -> None: ...

    with pytest.raises(asyncio.CancelledError):
        await Patience(top, reader.permitted).pages(hash_limit=None)

    assert descriptors() == before


async def test_a_task_that_is_cancelled_gives_everything_back(reader: Reader, top: Path) -> None:
    with (top / "endless").open("wb") as file:
        os.truncate(file.fileno(), 1 << 42)
    before = descriptors()
    for turns in range(1, 12):
        reading = asyncio.create_task(reader.pages(hash_limit=None))
        for _ in range(turns):
            await asyncio.sleep(0)

        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

        assert descriptors() == before


async def test_whoever_stops_after_a_page_leaves_nothing_open(reader: Reader, top: Path) -> None:
    fill(top, *(f"{'d/' * depth}{number}" for depth in range(6) for number in range(20)))
    before = descriptors()

    async with aclosing(reader.connector().fetch_pages(None, 100)) as pages:
        await anext(pages)
        assert descriptors() > before

    assert descriptors() == before


async def test_a_page_is_looked_at_only_when_it_is_asked_for(reader: Reader, top: Path) -> None:
    fill(top, "a", "b", "c", "d")
    pages = reader.connector().fetch_pages(None, 2)
    await anext(pages)
    (top / "c").write_text("changed since")

    page = await anext(pages)

    assert page.records[1]["size"] == len("changed since")
    await pages.aclose()  # type: ignore[attr-defined]


async def test_prepare_tells_what_is_there_and_what_will_be_read(reader: Reader, top: Path) -> None:
    fill(top, "a", "b/c")

    told = {finding.name: finding for finding in await reader.connector(hash="none").prepare()}

    assert "2 entries" in told["path"].detail
    assert "no content" in told["content"].detail
    assert all(finding.well for finding in told.values())


def test_what_it_says_about_itself() -> None:
    spec = FilesConnector.spec

    assert spec.capabilities.deletes == "listed"
    assert spec.capabilities.preview
    assert not spec.capabilities.incremental
    assert spec.path_fields == ("path",)
