"""Listeners hear every remarkable line as it would be written, whatever is written."""

from typing import Any

from windrow.telemetry import bound, emit, log
from windrow.telemetry.declare import Level
from windrow.telemetry.log import listening
from windrow.telemetry.redaction import PROCESS


def test_a_listener_hears_remarkable_lines_that_are_not_written_and_none_after_it_has_left() -> None:
    heard: list[dict[str, Any]] = []
    log.configure(level=Level.FATAL, write=lambda _: None, strict=True)

    with listening(heard.append), bound(run_id="run-1"):
        emit("process.started", process="worker")
        emit("lease.denied", key="x", holder="a", held_by="b")
    emit("process.started", process="another")

    assert [(line["event"], line["process"], line["run_id"]) for line in heard] == [
        ("process.started", "worker", "run-1")
    ]


def test_what_a_listener_hears_is_redacted() -> None:
    PROCESS.know("hunter2-hunter2")
    heard: list[dict[str, Any]] = []

    with listening(heard.append):
        emit("library.warned", error=ValueError("hunter2-hunter2"), logger="x", message="Bearer abcdefghij")

    assert "hunter2" not in str(heard)
    assert "abcdefghij" not in str(heard)
