"""The command line as a stranger meets it: clear errors in one line, exit codes that mean something, JSON for machines."""

import json
import subprocess
import urllib.request
from pathlib import Path

import psycopg
import pytest
from tests.stories.conftest import PATIENCE, Machine, Up

from windrow.stack import discover


def changes(running: Up) -> int:
    """How many changes the audit trail knows of."""
    found = discover(running.machine.home)
    assert found
    assert found.database_url
    with psycopg.connect(found.database_url, options="-c search_path=windrow") as connection:
        connection.execute("SET ROLE windrow_app")
        connection.execute("SELECT set_config('windrow.tenant_id', 'local', false)")
        row = connection.execute("SELECT count(*) FROM audit_log").fetchone()
    assert row
    return int(row[0])


def refused(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """One line that says what is wrong, one with the next step, no traceback."""
    lines = done.stderr.strip().splitlines()
    assert done.returncode == code, done.stderr
    assert [line.partition(":")[0].strip() for line in lines] == ["error", "next"], done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("kv", "put", "Upper/Case", "1"), "a key is lowercase"),
        (("kv", "put", "white space", "1"), "a key has no white space"),
        (("kv", "put", "a//b", "1"), "no empty segment"),
        (("kv", "put", "a/../b", "1"), "'..'"),
        (("kv", "put", "x" * 300, "1"), "at most 256"),
        (("kv", "put", "a", "not json"), "not JSON"),
        (("kv", "put", "a", "NaN"), "JSON does not know"),
        (("kv", "put", "a", '"nul \\u0000"'), "NUL"),
        (("kv", "put", "a", '"\\ud800"'), "surrogate"),
        (("kv", "put", "a", "1", "--tenant", "No Name"), "is not a name"),
        (("kv", "get", "never/there"), "not there"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else None,
)
def test_bad_input_is_told_in_one_line_and_changes_nothing(running: Up, words: tuple[str, ...], said: str) -> None:
    before = changes(running)

    refused(running.machine.run(*words), 2, said)

    assert changes(running) == before


def test_a_value_of_ten_megabytes_is_refused(running: Up) -> None:
    refused(running.machine.run("kv", "put", "big", "-", input=json.dumps("x" * 10_000_000)), 2, "1 MiB")


def test_a_nesting_that_no_parser_can_hold_is_refused(running: Up) -> None:
    refused(running.machine.run("kv", "put", "deep", "-", input="[" * 100_000 + "]" * 100_000), 2)


def test_somebody_else_having_been_first_is_its_own_exit_code(running: Up) -> None:
    running.machine.answer("kv", "put", "raced", "1")

    refused(running.machine.run("kv", "put", "raced", "2"), 3, "version 1", "--expect 1")


def test_the_same_request_again_is_answered_and_not_repeated(running: Up) -> None:
    words = ("kv", "put", "once", '{"a": 1}', "--request-id", "r-1")

    assert running.machine.answer(*words) == running.machine.answer(*words) | {"outcome": "stored"}
    refused(running.machine.run("kv", "put", "once", '{"a": 2}', "--request-id", "r-1"), 2, "r-1")


def test_tenants_do_not_see_each_other(running: Up) -> None:
    running.machine.answer("kv", "put", "mine", "1", "--tenant", "acme")

    assert running.machine.answer("kv", "list", "mine", "--tenant", "umbrella") == []


def test_an_error_as_json_is_a_problem_document(running: Up) -> None:
    done = running.machine.run("kv", "get", "never/there", "--json")

    assert json.loads(done.stderr)["code"] == "NOT_FOUND"
    assert done.stdout == ""


def test_without_a_stack_every_command_says_how_to_start_one(machine: Machine) -> None:
    for words in (("kv", "list"), ("audit",), ("topics", "list"), ("dlq", "list")):
        refused(machine.run(*words), 4, "windrow up")
    assert machine.run("doctor").returncode == 1


def test_an_unreachable_database_is_told_in_one_line(machine: Machine) -> None:
    machine.environment["WINDROW_DATABASE_URL"] = "postgresql://me:hunter22@127.0.0.1:1/x"

    done = machine.run("audit")

    refused(done, 4, "cannot be reached")
    assert "hunter22" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("WINDROW_TENANT", "NOT A NAME"), ("WINDROW_POSTGRES_PORT", "eleven"), ("WINDROW_LOG_FORMAT", "xml")],
)
def test_a_wrong_setting_is_named(machine: Machine, name: str, value: str) -> None:
    machine.environment[name] = value

    refused(machine.run("audit"), 5, name)


def test_a_misspelt_setting_is_noticed_by_the_doctor(running: Up) -> None:
    running.machine.environment["WINDROW_DATABSE_URL"] = "x"

    checks = {check["name"]: check for check in running.machine.answer("doctor")}

    del running.machine.environment["WINDROW_DATABSE_URL"]
    assert checks["settings"]["verdict"] == "warn"
    assert "WINDROW_DATABASE_URL" in checks["settings"]["detail"]


def test_a_home_that_is_a_file_is_refused(machine: Machine) -> None:
    machine.home.write_text("not a directory")

    refused(machine.run("up"), 5)


def test_near_names_are_suggested(machine: Machine) -> None:
    assert "Did you mean 'doctor'" in machine.run("docter").stderr
    assert "Did you mean 'get'" in machine.run("kv", "gte").stderr


def test_every_command_has_help_and_a_json_form(machine: Machine) -> None:
    import typer.main

    from windrow.cli.tree import tree

    def leaves(command: object, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
        inner = getattr(command, "commands", None)
        return (
            [leaf for name, each in inner.items() for leaf in leaves(each, (*path, name))]
            if inner
            else [(path, command)]
        )

    for path, command in leaves(typer.main.get_command(tree)):
        options = {option for parameter in command.params for option in parameter.opts}  # type: ignore[attr-defined]
        assert command.help, path  # type: ignore[attr-defined]
        assert "--json" in options or path == ("demo",), path


def test_shell_completion_can_be_installed(machine: Machine) -> None:
    machine.environment["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"

    assert "windrow" in machine.run("--show-completion", "bash").stdout


def test_the_metrics_page_is_served(running: Up) -> None:
    with urllib.request.urlopen(running.addresses["metrics"], timeout=PATIENCE) as page:
        assert page.status == 200
        assert b"target_info" in page.read()


def test_a_reader_that_has_seen_enough_is_no_error(running: Up, tmp_path: Path) -> None:
    import sys

    command = f"{sys.executable} -m windrow kv list --json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=running.machine.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
