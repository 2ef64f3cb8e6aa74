"""A secret that a source repeats is shown to nobody who tries or samples it: not by the API, a page or the shell."""

import json
from pathlib import Path

import pytest
from tests.integration.console.house import KEYS, house
from tests.integration.console.pages.visitors import console
from tests.integration.endpoints.shelf import KEY, build
from typer.testing import CliRunner

from windrow.app.api import api
from windrow.cli.tree import tree
from windrow.console.ports import Ports
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.telemetry.redaction import REDACTED

SECRET = "open-sesame"
SAID = [{"isbn": "1", "title": f"Ali {SECRET}"}, {"isbn": f"https://ali:{SECRET}@cave.example/2", "title": "Baba"}]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source that repeats its own key, in what is found of it and in its items."""
    monkeypatch.setenv("WINDROW_SECRET_SHELF", SECRET)
    monkeypatch.syspath_prepend(tmp_path)
    books = build(tmp_path)
    books.write_text(json.dumps(SAID))
    return books


@pytest.fixture
def cave(tmp_path: Path) -> Path:
    """Files, one of which is named by a secret: the shelf cannot be sampled."""
    directory = tmp_path / "cave"
    directory.mkdir()
    for name in ("Baba.txt", f"token={SECRET}"):
        (directory / name).write_text("treasure")
    return directory


@pytest.fixture
def ports(database: Database, tmp_path: Path, shelf: Path, cave: Path) -> Ports:
    allowed = (f"acme={shelf}", f"acme={cave}")
    return api(Settings(home=tmp_path / "home", paths_allowed=allowed), database, KEYS).ports


def assert_tried(shown: str) -> None:
    """All of it is there, but for the secret."""
    assert SECRET not in shown
    for said in (f"2 books from Ali {REDACTED} on", f"https://{REDACTED}@cave.example/2", "Baba"):
        assert said in shown


def assert_sampled(shown: str) -> None:
    assert SECRET not in shown
    for said in ("Baba.txt", f"token={REDACTED}"):
        assert said in shown


async def test_the_api_shows_none(database: Database, tmp_path: Path, ports: Ports, shelf: Path, cave: Path) -> None:
    annex = {"connector": "shelf", "config": {"path": str(shelf)}, "credential_ref": "env:WINDROW_SECRET_SHELF"}
    async with house(database, tmp_path / "objects", ports=ports) as opened:
        trial = await opened.call("POST", "/api/v1/trials", json=annex | {"name": "annex", "preview": 5})
        files = {"name": "cave", "connector": "files", "config": {"path": str(cave)}}
        await opened.call("POST", "/api/v1/endpoints", json=files)
        sample = await opened.call("POST", "/api/v1/endpoints/cave/preview", json={})

    assert_tried(trial.text)
    assert_sampled(sample.text)


async def test_a_page_shows_none(database: Database, tmp_path: Path, ports: Ports, shelf: Path, cave: Path) -> None:
    annex = {"name": "annex", "config.path": str(shelf), "credential_ref": "env:WINDROW_SECRET_SHELF"}
    async with console(database, tmp_path / "objects", attempt=ports.attempt, preview=ports.preview) as site:
        visitor = await site.visitor()
        trial = await visitor.send("/add/shelf", **annex, do="test")
        await visitor.send("/add/files", **{"name": "cave", "config.path": str(cave)}, do="save")
        sample = await visitor.send("/endpoints/cave/preview", rows="10")

    assert_tried(trial.text)
    assert_sampled(sample.text)


@pytest.mark.parametrize("machines", [(), ("--json",)])
def test_the_shell_shows_none(
    database_url: str,
    shelf: Path,
    cave: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    machines: tuple[str, ...],
) -> None:
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    *_, trial, sample = [
        CliRunner().invoke(tree, words)
        for words in (
            ["endpoint", "add", "annex", "shelf", f"path={shelf}", *KEY],
            ["endpoint", "add", "cave", "files", f"path={cave}"],
            ["endpoint", "test", "annex", "--preview", "5", *machines],
            ["preview", "cave", *machines],
        )
    ]

    assert_tried(trial.output)
    assert_sampled(sample.output)
