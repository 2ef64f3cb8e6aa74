"""A tree in the catalog: what is gone from it is deleted, and what could only not be seen is not."""

from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, clear, fill, unprivileged
from tests.integration.harvest.shop import catalog, open_shop, order_of, persist

from windrow.contracts.errors import RetryableTransient
from windrow.endpoints import Endpoint
from windrow.harvest.slice import harvest
from windrow.postgres import Database


async def run(database: Database, reader: Reader, endpoint: Endpoint, run_id: str) -> set[str]:
    """One run; what the catalog holds after it."""
    await harvest(database, reader.connector(), order_of(endpoint, run_id))
    await persist(database, endpoint)
    return set(await catalog(database))


async def test_what_is_gone_from_the_tree_is_gone_from_the_catalog(
    database: Database, reader: Reader, top: Path
) -> None:
    fill(top, "a", "b/c", "d", "e", "f", "caf\udce9")
    endpoint = await open_shop(database)
    first = await run(database, reader, endpoint, "run-1")
    (top / "d").unlink()

    second = await run(database, reader, endpoint, "run-2")

    assert first == {".", "a", "b", "b/c", "d", "e", "f", r"caf\xe9"}
    assert second == first - {"d"}


async def test_what_cannot_be_seen_any_more_stays_in_the_catalog(database: Database, open_reader: Reader) -> None:
    fill(open_reader.top, *(f"{number}" for number in range(20)), "locked/secret")
    endpoint = await open_shop(database)
    first = await run(database, open_reader, endpoint, "run-1")
    (open_reader.top / "3").unlink()
    (open_reader.top / "locked").chmod(0)

    with unprivileged():
        second = await run(database, open_reader, endpoint, "run-2")
    (open_reader.top / "locked").chmod(0o755)
    third = await run(database, open_reader, endpoint, "run-3")

    assert second == first
    assert third == first - {"3"}


async def test_a_mount_that_is_gone_deletes_nothing(database: Database, reader: Reader, top: Path) -> None:
    fill(top, "a", "b")
    endpoint = await open_shop(database)
    first = await run(database, reader, endpoint, "run-1")
    clear(top)

    with pytest.raises(RetryableTransient):
        await run(database, reader, endpoint, "run-2")

    assert set(await catalog(database)) == first
