"""A tap from PyPI, tap-jsonl, over files: it reads our configuration, and we read what it says."""

import json
import sys
from pathlib import Path

import pytest
from tests.integration.connectors.singer.reading import Reader
from tests.integration.harvest.shop import catalog, open_shop, order_of, persist

from windrow.harvest.slice import harvest
from windrow.postgres import Database


@pytest.fixture
def lines(tmp_path: Path, reader: Reader) -> Path:
    """A file of a hundred and twenty lines, which the reader harvests."""
    file = tmp_path / "lines.jsonl"
    write(file, range(120))
    reader.executable = Path(sys.executable).with_name("tap-jsonl")
    reader.config = {
        "tap_config": {"path": str(file), "stream_name": "lines", "primary_keys": ["id"]},
        "rules": {"lines": {"name": "called"}},
    }
    return file


def write(file: Path, numbers: range) -> None:
    file.write_text("".join(json.dumps({"id": number, "called": f"line {number}"}) + "\n" for number in numbers))


async def test_a_real_tap_is_harvested_and_goes_on_in_the_middle(reader: Reader, lines: Path) -> None:
    (first,) = await reader.pages(most=1)

    rest = await reader.pages(first.cursor)

    assert "state" not in first.cursor, "its progress is not resumable if interrupted, as it says itself"
    assert reader.ids([first, *rest]) == [f"lines:{number}" for number in range(120)]
    assert rest[-1].cursor["state"]["bookmarks"]["lines"]["replication_key"] == "_sdc_last_modified"
    assert not reader.heard("tap.repeated")
    assert any("Beginning sync of 'lines'" in each["line"] for each in reader.heard("tap.said"))


async def test_what_a_real_tap_does_not_give_any_more_is_gone_from_the_catalog(
    reader: Reader, lines: Path, database: Database
) -> None:
    reader.config["relist_hours"] = 0
    endpoint = await open_shop(database)
    await harvest(database, reader.connector(), order_of(endpoint, "run-1"))
    await persist(database, endpoint)
    first = set(await catalog(database))
    write(lines, range(10, 125))

    await harvest(database, reader.connector(), order_of(endpoint, "run-2"))
    await persist(database, endpoint)

    assert first == {f"lines:{number}" for number in range(120)}
    assert set(await catalog(database)) == {f"lines:{number}" for number in range(10, 125)}
