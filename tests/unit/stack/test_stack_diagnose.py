"""What an engine's last words mean."""

from pathlib import Path

import pytest

from windrow.contracts.errors import Code
from windrow.stack.diagnose import ROOM, why_ended, why_not_started
from windrow.telemetry.redaction import PROCESS

DATA = Path("/somewhere/postgres")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ('initdb: error: could not write file "pg_wal/1": No space left on device', Code.DISK_FULL),
        ("Error: failed setting up schema: database or disk is full (13)", Code.DISK_FULL),
        ('FATAL:  could not open file "postmaster.pid": Read-only file system', Code.READ_ONLY),
        ("attempt to write a readonly database (8)", Code.READ_ONLY),
        ('LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', Code.PORT_TAKEN),
        ("Error: can't set frontend port 1: listen tcp 127.0.0.1:1: bind: address already in use", Code.PORT_TAKEN),
        ("FATAL:  database files are incompatible with server", Code.DATA_VERSION),
        ("Error: unable to create SQLite admin DB: file is not a database (26)", Code.CORRUPTED),
        ('FATAL:  data directory "/somewhere/postgres" has wrong ownership', Code.FORBIDDEN),
        ("cannot start /venv/bin/temporal: [Errno 13] Permission denied", Code.FORBIDDEN),
        ("FATAL:  something that nobody has seen before", Code.ENGINE_FAILED),
    ],
)
def test_an_engine_that_did_not_start_is_explained_by_its_words(words: str, code: Code) -> None:
    error = why_not_started("postgres", ["LOG:  starting", words], DATA, room=ROOM)

    assert error.code is code
    assert error.hint
    assert "\n" not in error.message


def test_a_full_disk_is_told_even_when_the_engine_could_not_write_it_down() -> None:
    assert why_not_started("postgres", [], DATA, room=ROOM - 1).code is Code.DISK_FULL
    assert why_ended("postgres", 1, [], DATA, room=ROOM - 1).code is Code.DISK_FULL


def test_what_nobody_can_explain_is_told_in_the_engines_last_words() -> None:
    error = why_not_started("temporal", ["one", "two", "", "three", "four  "], DATA, room=ROOM)

    assert error.message == "temporal did not start: two | three | four"


def test_an_engine_that_said_nothing_is_still_told_in_one_line() -> None:
    assert why_not_started("temporal", [], DATA, room=ROOM).message == "temporal did not start"


def test_a_killed_engine_is_told_by_its_signal() -> None:
    assert why_ended("postgres", -9, ["LOG:  ready"], DATA, room=ROOM).message == "postgres was killed by SIGKILL"


def test_the_troubles_of_clients_do_not_explain_why_a_running_engine_ended() -> None:
    lines = ["ERROR:  permission denied for table kv", "STATEMENT:  no space left on device"]

    assert why_ended("postgres", 2, lines, DATA, room=ROOM).code is Code.ENGINE_FAILED


def test_a_secret_in_the_last_words_is_blanked_out() -> None:
    PROCESS.know("hunter2-hunter2")

    error = why_not_started("postgres", ["FATAL:  odd: hunter2-hunter2"], DATA, room=ROOM)

    assert "hunter2" not in error.message
