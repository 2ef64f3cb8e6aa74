"""Fixtures of the tests of notices."""

from collections.abc import AsyncIterator

import pytest
from tests.fakes.slack import Slack
from tests.integration.notify.desk import Desk, http

from windrow.postgres import Database


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    """A chat on loopback."""
    async with Slack() as receiver:
        yield receiver


@pytest.fixture
async def desk(database: Database, slack: Slack) -> AsyncIterator[Desk]:
    """Telling, and a relay that is run pass by pass."""
    async with http(slack) as client:
        made = Desk(database, slack, client)
        async with made.vault:
            yield made
