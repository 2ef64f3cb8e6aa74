"""`windrow runs log`: what a run at a shell has said, while it is at work and afterwards."""

import json
from pathlib import Path

import pytest
from tests.integration.harvest.test_harvest_commands import Desk, desk

__all__ = ["desk"]


def test_a_run_at_a_shell_leaves_its_log_for_people_and_for_machines(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "a.txt").write_text("hello")
    monkeypatch.setenv("WINDROW_PATHS_ALLOWED", str(tmp_path))
    desk.answer("endpoint", "add", "library", "files", f"path={tmp_path / 'library'}")
    run = desk.answer("sync", "library", "--here", "--quiet")["run"]

    kept = desk.answer("runs", "log", run)
    assert kept[0]["event"] == "harvest.started"
    assert kept[-1]["event"] == "harvest.verified"
    followed = [json.loads(line) for line in desk.told("runs", "log", run, "--follow", "--json").splitlines()]
    assert followed == kept
    told = desk.told("runs", "log", run[:12]).splitlines()
    assert len(told) == len(kept)
    assert "INFO  harvest.started" in told[0]
    assert "lane=live" in told[0]
    assert "WINDROW_RUN_LOG_DAYS" in desk.told("runs", "log", run, "--level", "ERROR")
