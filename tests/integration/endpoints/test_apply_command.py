"""`windrow apply`: a project's endpoints become what a file says, all of it or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.endpoints.declared import TWO
from tests.integration.endpoints.shelf import build
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree


@pytest.fixture
def file(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the endpoints are declared; commands find the database."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    path = tmp_path / "endpoints.yaml"
    path.write_text(TWO)
    return path


def run(file: Path, *words: str) -> Result:
    return CliRunner().invoke(tree, ["apply", "-f", str(file), *words])


def done(file: Path, *words: str) -> str:
    result = run(file, *words)
    assert result.exit_code == 0, result.output
    return result.output


def ask(*words: str) -> Any:
    result = CliRunner().invoke(tree, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def answer(file: Path, *words: str) -> Any:
    return ask("apply", "-f", str(file), *words)


def trail() -> list[str]:
    return [f"{line['action']} {line['subject']}" for line in ask("audit", "endpoints/*")][::-1]


def stored(*words: str) -> dict[str, Any]:
    return {each["name"]: each for each in ask("endpoint", "list", *words)}


def in_short(change: dict[str, Any]) -> tuple[str, str, list[str]]:
    return change["action"], change["endpoint"], [field["field"] for field in change["fields"]]


def test_a_file_is_applied_and_applied_again_without_a_trace(file: Path) -> None:
    first, again = answer(file), answer(file)

    assert [in_short(change) for change in first["changes"]] == [
        ("add", "handbook", ["connector", "schedule", "config.path"]),
        ("add", "shares", ["connector", "config.path"]),
    ]
    assert again == {"dry_run": False, "changes": [], "unchanged": ["handbook", "shares"]}
    assert trail() == ["endpoints.add endpoints/default/handbook", "endpoints.add endpoints/default/shares"]


def test_a_change_shows_the_field_as_it_was_and_as_it_is(file: Path) -> None:
    done(file)
    file.write_text(TWO.replace("1h", "2h").replace("/srv/shares", "/srv/share"))

    told = done(file, "--dry-run")

    assert "~ handbook\n    schedule: 1h → 2h\n" in told
    assert "~ shares\n    config.path: /srv/shares → /srv/share\n" in told
    assert "0 added, 2 changed, 0 removed, 0 unchanged; this was a dry run" in told
    assert answer(file)["changes"][0]["fields"] == [{"field": "schedule", "before": "1h", "after": "2h"}]


def test_a_dry_run_writes_nothing(file: Path) -> None:
    plan = answer(file, "--dry-run", "--prune")

    assert len(plan["changes"]) == 2
    assert (stored(), trail()) == ({}, [])


def test_what_is_left_out_of_the_file_is_taken_off_the_endpoint(file: Path) -> None:
    done(file)
    file.write_text(TWO.replace("    schedule: 1h\n", ""))

    done(file, "--reason", "PR 7")

    assert stored()["handbook"]["schedule"] is None
    latest = ask("audit", "endpoints/*")[0]
    assert (latest["action"], latest["reason"], latest["details"]["changed"]) == (
        "endpoints.edit",
        "PR 7",
        ["schedule"],
    )


def test_only_prune_removes_and_it_needs_a_word(file: Path) -> None:
    done(file)
    file.write_text(TWO[: TWO.index("  shares")])

    assert "0 removed" in done(file)
    refused = run(file, "--prune")
    assert (refused.exit_code, "say --yes" in refused.output) == (2, True)
    assert run(file, "--prune", "--json").exit_code == 2
    assert set(stored()) == {"handbook", "shares"}

    assert "- shares" in done(file, "--prune", "--yes")
    assert set(stored()) == {"handbook"}
    assert trail()[-1] == "endpoints.remove endpoints/default/shares"


def test_one_that_was_removed_is_revived(file: Path) -> None:
    done(file)
    ask("endpoint", "remove", "shares", "--reason", "sold")

    assert "+ shares (was removed before)" in done(file)

    assert trail()[-1] == "endpoints.revive endpoints/default/shares"


def test_prune_leaves_other_projects_and_tenants_alone(file: Path) -> None:
    done(file, "--project", "other")
    done(file, "--tenant", "theirs")
    file.write_text("endpoints: {}")

    assert answer(file, "--prune", "--yes")["changes"] == []


def test_a_file_with_faults_is_told_line_by_line_and_nothing_is_written(file: Path) -> None:
    file.write_text(TWO.replace("schedule: 1h", "schedule: now").replace("connector: files", "connector: fils"))

    result = run(file)

    assert result.exit_code == 2
    assert f"{file}:5: endpoints.handbook.schedule: " in result.output
    assert f"{file}:7: endpoints.shares.connector: there is no connector 'fils'" in result.output
    assert "error: 2 faults" in result.output
    problem = json.loads(run(file, "--json").stderr)
    assert problem["code"] == "INVALID"
    assert ":5: " in problem["detail"]
    assert ":7: " in problem["detail"]
    assert stored() == {}


def test_another_connector_is_another_source(file: Path) -> None:
    done(file)
    file.write_text(TWO.replace("connector: files", "connector: git"))

    result = run(file, "--dry-run")

    assert result.exit_code == 2
    assert ":7: endpoints.shares.connector: cannot become git" in result.output


def test_a_connector_of_another_distribution_checks_its_own_configuration(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    build(tmp_path)
    file.write_text("endpoints:\n  annex:\n    connector: shelf\n    config:\n      path: books\n      depth: much\n")

    told = run(file).output

    assert ":2: endpoints.annex.credential_ref: shelf needs a credential" in told
    assert ":5: endpoints.annex.config.path: is refused: write the whole path" in told
    assert ":6: endpoints.annex.config.depth" in told


def test_a_file_that_is_not_there_is_told_as_such(file: Path) -> None:
    result = run(file.with_name("gone.yaml"))

    assert (result.exit_code, "check the path" in result.output) == (2, True)


def test_the_file_may_come_from_a_pipe(file: Path) -> None:
    result = CliRunner().invoke(tree, ["apply", "-f", "-", "--json"], input=TWO)

    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["changes"]) == 2
