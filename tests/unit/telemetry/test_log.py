"""Log lines: the taxonomy, what every line carries, and what can never be in one."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import Said

from windrow.telemetry import bound, emit, log
from windrow.telemetry.declare import Level


@pytest.mark.req("LT-1")
def test_every_line_is_one_json_object_with_the_required_fields(said: Said) -> None:
    with bound(
        agent="harvester", directive="git", tenant_id="acme", project_id="docs", spec_id="git@1", correlation_id="c1"
    ):
        emit("process.started", process="worker")

    (line,) = said.lines
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "level": "INFO",
        "event": "process.started",
        "agent": "harvester",
        "directive": "git",
        "tenant_id": "acme",
        "project_id": "docs",
        "spec_id": "git@1",
        "correlation_id": "c1",
        "process": "worker",
    }


@pytest.mark.req("LT-1")
def test_what_is_not_known_yet_is_the_word_unknown_and_never_missing(said: Said) -> None:
    emit("process.started", process="worker")

    (line,) = said.lines
    assert {line[name] for name in log.REQUIRED} == {"unknown"}


@pytest.mark.req("LT-2")
def test_an_undeclared_event_fails(said: Said) -> None:
    with pytest.raises(log.UndeclaredEvent, match=r"nobody\.declared_this"):
        emit("nobody.declared_this")


@pytest.mark.req("LT-2")
def test_a_line_that_lacks_a_required_field_fails(said: Said) -> None:
    with pytest.raises(log.UndeclaredEvent, match="'process'"):
        emit("process.started")


def test_outside_the_tests_an_undeclared_event_is_written_rather_than_lost() -> None:
    written: list[str] = []
    log.configure(format=log.Format.JSON, write=written.append)

    emit("nobody.declared_this", what="x")

    assert json.loads(written[0])["level"] == "WARN"


@pytest.mark.req("LT-4")
@given(value=st.text())
@pytest.mark.parametrize("style", [log.Format.JSON, log.Format.PRETTY])
def test_no_value_can_forge_a_second_line(value: str, style: log.Format) -> None:
    written: list[str] = []
    log.configure(format=style, write=written.append, strict=True)

    emit("process.started", process=value, version="\r\n\x1b[2J\x85\u2028")

    assert len(written) == 1
    assert len(written[0].splitlines()) == 1
    assert "\x1b[2J" not in written[0]


@pytest.mark.req("LT-5")
def test_a_person_gets_readable_lines_and_a_machine_gets_json() -> None:
    written: list[str] = []
    log.configure(format=log.Format.PRETTY, write=written.append)
    emit("process.started", process="worker")
    log.configure(format=log.Format.JSON, write=written.append)
    emit("process.started", process="worker")

    pretty, machine = written
    assert "process.started" in pretty
    assert "unknown" not in pretty
    assert json.loads(machine)["process"] == "worker"


def test_lines_below_the_level_are_not_written() -> None:
    written: list[str] = []
    log.configure(format=log.Format.JSON, level=Level.ERROR, write=written.append)

    emit("process.started", process="worker")

    assert written == []


def test_what_libraries_log_arrives_in_the_taxonomy_redacted(said: Said) -> None:
    logging.getLogger("some.library").warning("GET https://me:hunter22@host/ failed\nlevel=INFO forged")

    (line,) = said.events("library.warned")
    assert line["logger"] == "some.library"
    assert "hunter22" not in line["message"]
    assert line["agent"] == "unknown"


def test_a_traceback_is_a_field_and_not_more_lines(said: Said) -> None:
    try:
        raise ValueError("boom")
    except ValueError as error:
        emit("library.warned", error=error, logger="x", message="y")

    assert "ValueError: boom" in said.lines[0]["error"]
    assert len(said.raw[0].splitlines()) == 1


def test_context_is_carried_inward_and_left_behind() -> None:
    with bound(agent="harvester"), bound(agent=None, directive="git"):
        inner = log.line(Level.INFO, "x", {})
    outer = log.line(Level.INFO, "x", {})

    assert (inner["agent"], inner["directive"]) == ("harvester", "git")
    assert outer["agent"] == "unknown"
