"""`windrow preview`: what a harvest would make of a source, from a shell, with nothing written."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.integration.endpoints.shelf import KEY, build
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree


@pytest.fixture
def source(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files to be harvested, and a database that commands find."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_SECRET_SHELF", "open-sesame")
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    (tmp_path / "source").mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / "source" / name).write_text(name)
    return tmp_path / "source"


def run(*words: str) -> Result:
    return CliRunner().invoke(tree, [*words])


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.output


def rows(url: str) -> dict[str, int]:
    """How many rows every table has."""
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'windrow'").fetchall()
        return {name: connection.execute(f"SELECT count(*) FROM windrow.{name}").fetchone()[0] for (name,) in tables}


@pytest.mark.req("OR-12")
def test_a_sample_is_shown_and_nothing_is_written_anywhere(source: Path, database_url: str) -> None:
    done("endpoint", "add", "shares", "files", f"path={source}")
    before = rows(database_url)

    sample: Any = json.loads(run("preview", "shares", "--rows", "2", "--json").stdout)

    assert (sample["ended"], len(sample["items"]), sample["refused"]) == ("rows", 2, [])
    assert {"item_id", "content_hash", "entity_type"} <= sample["items"][0].keys()
    assert rows(database_url) == before
    assert not (source.parent / "home").exists()


def test_a_sample_is_a_table_for_people(source: Path) -> None:
    done("endpoint", "add", "shares", "files", f"path={source}")

    told = done("preview", "shares")

    assert "b.txt" in told
    assert "0 refused; this is all that the source shows." in told


@pytest.mark.req("OR-12")
def test_a_connector_without_the_ability_says_so_and_that_is_no_error(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    shelf = build(tmp_path)
    done("endpoint", "add", "annex", "shelf", f"path={shelf}", *KEY)

    result = run("preview", "annex")

    assert result.exit_code == 0
    assert "warning: the connector shelf offers no preview" in result.output
    assert json.loads(run("preview", "annex", "--json").stdout)["ended"] == "disabled"


def test_a_source_that_cannot_be_read_is_told_with_the_next_step(source: Path) -> None:
    done("endpoint", "add", "shares", "files", f"path={source / 'gone'}")

    result = run("preview", "shares")

    assert result.exit_code in (2, 5), result.output
    assert "next:" in result.output


def test_an_endpoint_that_is_not_there_is_told_as_such(source: Path) -> None:
    assert run("preview", "nobody").exit_code == 2
