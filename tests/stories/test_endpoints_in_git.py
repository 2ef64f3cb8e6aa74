"""A team keeps its endpoints in git: the file is applied, looked at, harvested, and the catalog taken out."""

import json
from pathlib import Path

from tests.stories.conftest import Up

FILE = """\
endpoints:
  shares:
    connector: files
    config: {{path: {path}}}
    schedule: 1h
"""


def test_from_a_file_to_a_catalog_that_others_can_read(running: Up, tmp_path: Path) -> None:
    machine, source, file = running.machine, tmp_path / "source", tmp_path / "endpoints.yaml"
    source.mkdir()
    for name in ("a.txt", "b.txt"):
        (source / name).write_text(name)
    file.write_text(FILE.format(path=source))

    (added,) = machine.answer("apply", "-f", str(file))["changes"]
    assert (added["action"], added["endpoint"]) == ("add", "shares")
    assert machine.answer("apply", "-f", str(file))["changes"] == []

    sample = machine.answer("preview", "shares")
    assert sample["ended"] == "whole"
    assert machine.answer("items", "list")["items"] == []

    assert machine.answer("sync", "shares")["outcome"] == "done"
    done = machine.answer("export", "--to", str(tmp_path / "out"))
    lines = [json.loads(line) for line in (tmp_path / "out" / "part-00000.ndjson").read_text().splitlines()]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["items"] == done["items"] == len(lines)
    assert {line["item_id"] for line in lines} == {item["item_id"] for item in sample["items"]}
    assert {line["content_hash"] for line in lines} == {item["content_hash"] for item in sample["items"]}

    file.write_text("endpoints: {}\n")
    refused = machine.run("apply", "-f", str(file), "--prune")
    assert (refused.returncode, "say --yes" in refused.stderr) == (2, True)
    machine.answer("apply", "-f", str(file), "--prune", "--yes", "--reason", "the team has moved on")
    assert machine.answer("endpoint", "list") == []
    trail = machine.answer("audit", "endpoints/default/shares")
    assert [line["action"] for line in trail] == ["endpoints.remove", "endpoints.add"]
