"""`windrow export`: where it goes, what it says, what it refuses."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.catalog.shelf import add
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree
from windrow.contracts.scope import Scope
from windrow.postgres import Database


async def fill(url: str) -> None:
    async with Database(url) as database:
        await add(database, *"abc", scope=Scope("local", "default"))


@pytest.fixture
def home(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose catalog has three items."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    asyncio.run(fill(database_url))
    return tmp_path / "home"


def run(*words: str) -> Result:
    return CliRunner().invoke(tree, ["export", *words])


def answer(*words: str) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_it_goes_into_the_tenants_objects_under_a_name_of_its_own(home: Path) -> None:
    done = answer()

    assert (done["items"], done["parts"]) == (3, 1)
    assert done["to"] == f"objects exports/{done['export_id']}/"
    assert len(list(home.rglob("part-00000.ndjson"))) == 1
    assert answer()["export_id"] != done["export_id"]


def test_it_goes_into_a_directory_where_a_path_is_given(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "out"

    result = run("--to", str(target), "--zstd", "--type", "file")

    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in target.iterdir()) == ["manifest.json", "part-00000.ndjson.zst"]
    assert json.loads((target / "manifest.json").read_text())["filters"]["entity_type"] == "file"
    assert "1 parts · 3 items" in result.output


def test_a_directory_that_holds_something_is_not_touched(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    result = run("--to", str(tmp_path))

    assert (result.exit_code, "no empty directory" in result.output) == (3, True)
    assert run("--to", str(tmp_path / "mine.txt")).exit_code == 3


def test_the_same_export_can_be_written_again(home: Path) -> None:
    first = answer("--id", "nightly")

    assert answer("--id", "nightly")["to"] == first["to"] == "objects exports/nightly/"


def test_a_prefix_of_the_objects_may_be_chosen_and_belongs_to_one_export(home: Path) -> None:
    answer("--to", "lake/catalog/", "--id", "one")

    assert answer("--to", "lake/catalog", "--id", "one")["to"] == "objects lake/catalog/"
    assert run("--to", "lake/catalog", "--id", "two").exit_code == 3
    assert run("--to", "lake//../catalog").exit_code == 2


def test_who_took_the_catalog_out_is_in_the_audit_trail(home: Path) -> None:
    answer("--id", "nightly")

    (line,) = json.loads(CliRunner().invoke(tree, ["audit", "exports/*", "--json"]).stdout)

    assert (line["action"], line["subject"]) == ("catalog.export", "exports/nightly")
    assert line["details"] == {"to": "objects exports/nightly/", "format": "ndjson"}


def test_an_export_that_was_cut_off_is_gone_on_with_by_its_name(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    answer("--to", str(target), "--id", "nightly")
    # as a process leaves it that dies after its last part
    whole = json.loads((target / "manifest.json").read_text())
    (target / "manifest.json").unlink()
    (target / "unfinished.json").write_text(json.dumps({"export_id": "nightly"}))

    refused = run("--to", str(target))
    assert (refused.exit_code, "--id nightly" in refused.output) == (3, True)
    assert answer("--to", str(target), "--id", "nightly")["items"] == whole["items"]
    assert sorted(path.name for path in target.iterdir()) == ["manifest.json", "part-00000.ndjson"]
