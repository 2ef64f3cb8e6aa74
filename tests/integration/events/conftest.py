"""A desk for every test, and one YouTube for all of them."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.fakes.youtube import FakeYoutube
from tests.integration.events.counter import Desk, desk

from windrow.postgres import Database


@pytest.fixture(scope="package")
def _youtube() -> Iterator[FakeYoutube]:
    with FakeYoutube() as fake:
        yield fake


@pytest.fixture
def youtube(_youtube: FakeYoutube) -> FakeYoutube:
    _youtube.begins_anew()
    return _youtube


@pytest.fixture
async def at_desk(database: Database, tmp_path: Path, youtube: FakeYoutube) -> AsyncIterator[Desk]:
    async with desk(database, tmp_path, youtube) as opened:
        yield opened
