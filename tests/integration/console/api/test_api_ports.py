"""The API as `windrow up` wires it: sources are really tried and sampled, and refused records really tried again."""

from pathlib import Path

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.house import KEYS

from windrow.app.api import api
from windrow.console.ports import Ports
from windrow.postgres import Database
from windrow.settings import Settings

# too large to be kept, so that there is nothing to publish
REFUSED = b"""INSERT INTO quarantine (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, reasons, excerpt)
  VALUES ('acme', 'main', 'shelf', '00000000deadbeef', 'live', 'run-0', 1, '#0', '[]', 'a record')"""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A directory with two files."""
    directory = tmp_path / "shelf"
    directory.mkdir()
    for name in ("a.txt", "b.txt"):
        (directory / name).write_text(name)
    return directory


@pytest.fixture
def ports(database: Database, tmp_path: Path, shelf: Path) -> Ports:
    return api(Settings(home=tmp_path / "home", paths_allowed=(f"acme={shelf}",)), database, KEYS).ports


async def test_a_source_is_tried_and_sampled(desk: Desk, shelf: Path) -> None:
    wish = {"name": "shelf", "connector": "files", "config": {"path": str(shelf)}}

    trial = await desk.ask("POST", "/trials", json=wish | {"preview": 5})
    await desk.ask("POST", "/endpoints", json=wish)
    sample = await desk.ask("POST", "/endpoints/shelf/preview", json={})

    assert trial.json()["well"], trial.text
    assert {each["external_id"] for each in trial.json()["items"]} >= {"a.txt", "b.txt"}
    assert {each["external_id"] for each in sample.json()["items"]} >= {"a.txt", "b.txt"}


async def test_a_place_that_the_operator_has_not_allowed_is_a_finding_and_not_read(desk: Desk, tmp_path: Path) -> None:
    wish = {"name": "shelf", "connector": "files", "config": {"path": str(tmp_path)}, "preview": 5}

    trial = (await desk.ask("POST", "/trials", json=wish)).json()

    assert (trial["well"], trial["items"]) == (False, [])


async def test_a_refused_record_goes_through_todays_connector(desk: Desk, shelf: Path) -> None:
    await desk.ask("POST", "/endpoints", json={"name": "shelf", "connector": "files", "config": {"path": str(shelf)}})
    async with desk.database.tenant("acme") as tx:
        await tx.connection.execute(REFUSED)

    answer = await desk.ask("POST", "/quarantine/shelf/00000000deadbeef/retry", json={"reason": "mended"})
    (line, *_) = (await desk.get("/audit"))["items"]

    assert answer.json() == {"outcome": "not kept", "reasons": []}
    assert (line["action"], line["reason"]) == ("quarantine.retry", "mended")
