"""The pool after an outage: well again as soon as the server is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.integration.stack.homes import passable_directory, postgres_in

from windrow.contracts.errors import RetryableTransient
from windrow.postgres import Database
from windrow.postgres.pool import RECONNECT
from windrow.stack import Stack

# a fifth of what is real: so long is tried anew, and longer than that waits whoever asks
PATIENCE, WAIT = RECONNECT / 5, 1.8


@pytest.fixture
def home() -> Iterator[Path]:
    """For a server that nobody else uses."""
    directory = passable_directory()
    yield directory / "home"
    shutil.rmtree(directory)


async def ask(database: Database) -> None:
    async with database.tenant("acme"):
        pass


async def test_after_a_long_outage_the_first_who_asks_is_served(home: Path) -> None:
    stack = await Stack(postgres_in(home)).start()
    try:
        with psycopg.connect(stack.database_url) as connection:
            connection.execute("CREATE ROLE windrow_app ROLE CURRENT_USER")
        async with Database(stack.database_url, wait=WAIT, reconnect=PATIENCE) as database:
            await ask(database)

            await stack.stop()
            for _ in range(3):
                with pytest.raises(RetryableTransient):
                    await ask(database)
            # by now a pool that never gives a series of attempts up pauses for longer than anybody here waits
            await stack.start()

            await ask(database)
    finally:
        await stack.stop()
