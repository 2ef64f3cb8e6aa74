"""A day of an operator: what was refused is mended and tried again, a listing that lacks too much waits for his word."""

from pathlib import Path
from typing import Any

from tests.integration.endpoints.shelf import KEY, build
from tests.stories.conftest import Up

QUIET = ("--quiet",)


def names(found: Any) -> set[str]:
    return {item["external_id"] for item in found["items"]}


def test_a_refused_record_is_tried_again_with_a_mended_connector(running: Up, tmp_path: Path) -> None:
    machine = running.machine
    shelf = build(tmp_path)
    machine.environment |= {"PYTHONPATH": str(tmp_path), "WINDROW_SECRET_SHELF": "open-sesame"}
    machine.answer("endpoint", "add", "library", "shelf", f"path={shelf}", *KEY)

    run = machine.answer("sync", "library", "--here", *QUIET)
    assert (run["outcome"], run["created"], run["quarantined"]) == ("done", 2, 1)
    (entry,) = machine.answer("quarantine", "list")
    assert "title" in entry["reasons"][0]["message"]

    connector = tmp_path / "shelf.py"
    connector.write_text(connector.read_text().replace('record["title"]', 'record.get("title", "Untitled")'))
    (mended,) = machine.answer("quarantine", "retry", "--all", "--reason", "books may have no title")

    assert mended["outcome"] == "published"
    assert names(machine.answer("items", "list", "--endpoint", "library")) == {"1", "2", "3"}
    first, second = machine.answer("runs", "--endpoint", "library")
    assert (first["published"], first["settled"]["created"], second["run_id"]) == (1, 1, run["run"])


def test_a_directory_that_seems_to_have_lost_half_its_files_waits_for_a_word(running: Up, tmp_path: Path) -> None:
    machine = running.machine
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.txt").write_text(str(number))
    machine.answer("endpoint", "add", "docs", "files", f"path={folder}")
    run = machine.answer("sync", "docs", *QUIET)
    said = machine.run("runs", "log", run["run"], "--follow").stdout
    assert all(event in said for event in ("context.acquired", "harvest.published", "batch.persisted", "run.finalized"))

    for number in range(6):
        (folder / f"{number:02}.txt").unlink()
    machine.answer("sync", "docs", *QUIET)

    (held,) = [each for each in machine.answer("listings", "list", "docs") if each["state"] == "held"]
    assert held["missing"] == 6
    assert machine.answer("listings", "approve", "docs", "--reason", "moved to the archive")["deleted"] == 6
    left = names(machine.answer("items", "list", "--endpoint", "docs", "--type", "file"))
    assert left == {f"{number:02}.txt" for number in range(6, 12)}
