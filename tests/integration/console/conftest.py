"""A house for every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.console.house import HASTE, House, house

from windrow.postgres import Database


@pytest.fixture
async def open_house(database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """With the patience of every day."""
    async with house(database, tmp_path) as opened:
        yield opened


@pytest.fixture
async def hasty_house(database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """With hardly any patience."""
    async with house(database, tmp_path, HASTE) as opened:
        yield opened
