"""`windrow connectors` as its users meet it: what there is, what it needs, whether it keeps what it must. No stack runs."""

import json
import os
from pathlib import Path

import pytest
from tests.conformance.their_shop import install
from tests.stories.conftest import Machine


@pytest.fixture
def stranger(machine: Machine, tmp_path: Path) -> Machine:
    """A machine on which somebody has installed connectors beside ours."""
    install(tmp_path)
    machine.environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), machine.environment.get("PYTHONPATH", "")])
    return machine


def test_what_is_broken_is_listed_with_the_reason_beside_what_works(stranger: Machine) -> None:
    found = {each["name"]: each for each in stranger.answer("connectors", "list")}

    assert found["talker"]["from"] == ["their-shop 2.0"]
    assert "No module named 'their_shop.lost'" in found["lost"]["broken"]
    assert found["files"]["broken"] is None
    plain = stranger.run("connectors").stdout
    assert "broken: their_shop.lost:Lost does not load" in plain


def test_a_connector_that_conforms_ends_with_zero_and_a_line_for_each_check(machine: Machine, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.txt").write_text(str(number))

    done = machine.run("connectors", "check", "files", f"path={tmp_path}")

    assert done.returncode == 0, done.stdout
    assert "✓ resume" in done.stdout
    assert "✗" not in done.stdout


@pytest.mark.req("HV-3")
def test_a_connector_that_shows_its_credential_fails_and_the_report_does_not_show_it(stranger: Machine) -> None:
    stranger.environment["WINDROW_SECRET_SHOP"] = "correct-horse-battery"

    done = stranger.run(
        *("connectors", "check", "talker", "street=High", "--credential-ref", "env:WINDROW_SECRET_SHOP", "--json")
    )

    assert done.returncode == 1
    verdicts = {each["name"]: each["verdict"] for each in json.loads(done.stdout)}
    assert [name for name, verdict in verdicts.items() if verdict == "failed"] == ["secrets"]
    assert "correct-horse" not in done.stdout + done.stderr
