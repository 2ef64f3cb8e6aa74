"""`windrow specs`, as a contributor and a CI job run it."""

import json
from pathlib import Path

import pytest
from tests.stories.conftest import Machine


@pytest.mark.req("MW-2")
def test_the_specs_that_windrow_comes_with_are_in_order(machine: Machine) -> None:
    told = machine.answer("specs", "check")

    assert told["findings"] == []
    assert told["declared"]["queues"] == 2


@pytest.mark.req("MW-2")
def test_a_broken_repository_of_specs_fails_with_every_line_and_reason(machine: Machine, tmp_path: Path) -> None:
    mine = tmp_path / "specs"
    machine.answer("specs", "copy", str(mine))
    directives = (mine / "directives.yaml").read_text().splitlines(keepends=True)
    at = {
        word: next(n for n, line in enumerate(directives, 1) if word in line)
        for word in ("queue: meta-ts", "page_size")
    }
    directives[at["queue: meta-ts"] - 1] = "    queue: meta-go\n"
    directives[at["page_size"] - 1] = "    page_size: 20\n"
    (mine / "directives.yaml").write_text("".join(directives))
    (mine / "empty.yaml").write_text("")

    done = machine.run("specs", "check", "--path", str(mine))
    machine.environment["WINDROW_SPECS"] = str(mine)
    by_setting = machine.run("specs", "check", "--json")

    assert done.returncode == 1
    small = "directives.endpointSyncWorkflow.page_size: should be greater than or equal to 50, not 20"
    assert f"{mine}/directives.yaml:{at['page_size']}: {small}" in done.stdout
    lost = "directives.endpointSyncWorkflow.queue: 'meta-go' is not among the queues"
    assert f"{mine}/directives.yaml:{at['queue: meta-ts']}: {lost}" in done.stdout
    assert f"{mine}/empty.yaml:1: the file is empty" in done.stdout
    assert by_setting.returncode == 1
    assert len(json.loads(by_setting.stdout)["findings"]) == len(done.stdout.splitlines())


def test_a_directory_that_is_not_there_is_wrong_input(machine: Machine) -> None:
    done = machine.run("specs", "check", "--path", "nowhere")

    assert done.returncode == 2
    assert [line.split(":")[0].strip() for line in done.stderr.splitlines()] == ["error", "next"]
