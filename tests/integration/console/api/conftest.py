"""A desk for every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.console.api.desk import WIDE, CountingDatabase, Desk
from tests.integration.console.house import house, outward

from windrow.console.ports import Ports
from windrow.postgres import Database


@pytest.fixture
def ports() -> Ports:
    """What the API asks of its process; tests that need something of it replace this."""
    return outward()


@pytest.fixture
async def desk(database: Database, tmp_path: Path, ports: Ports) -> AsyncIterator[Desk]:
    async with (
        CountingDatabase(database.url) as counting,
        house(counting, tmp_path / "objects", ports=ports, pace=WIDE) as opened,
    ):
        yield Desk(opened, counting)
