"""The console on a real server and a real database, and browsers that are logged in to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.console.pages.visitors import Console, console

from windrow.postgres import Database


@pytest.fixture
async def site(database: Database, tmp_path: Path) -> AsyncIterator[Console]:
    """Open, with nothing in it."""
    async with console(database, tmp_path) as opened:
        yield opened
