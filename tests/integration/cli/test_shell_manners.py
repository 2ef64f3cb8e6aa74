"""Whatever a person does at a shell, or a shell to a command: one clear line, the next step, and no traceback."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from windrow.app.checks import Check, Verdict, examine
from windrow.app.compose import database_url, stack_config
from windrow.cli import _open_what_is_closed, show
from windrow.cli.frame import standard_input
from windrow.cli.tree import COMMANDS, _tree
from windrow.contracts.errors import Code, Fatal
from windrow.settings import Settings

# Ctrl-C at the moment at which the command line's library is loaded
INTERRUPTED = """
import os, signal, sys
class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, CtrlC())
sys.argv = ["windrow", "kv", "list"]
from windrow.cli import main
main()
"""


def ended(*words: str, **more: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *words], stderr=subprocess.PIPE, text=True, timeout=60, **more)  # type: ignore[call-overload]


def test_ctrl_c_while_a_command_is_loaded_ends_it_quietly() -> None:
    done = ended("-c", INTERRUPTED)

    assert (done.returncode, done.stderr) == (130, "")


def test_ctrl_c_ends_what_waits_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_most: int) -> bytes:
        os.kill(os.getpid(), signal.SIGINT)
        return b"nobody has typed anything"

    async def reading() -> bytes:
        return standard_input()

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=SimpleNamespace(read=read)))

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(reading())


@pytest.mark.parametrize(("words", "code"), [(("kv", "--help"), 1), (("specs", "check"), 5)])
def test_an_output_that_is_full_is_told_as_that(words: tuple[str, ...], code: int) -> None:
    with Path("/dev/full").open("w") as full:
        done = ended("-m", "windrow", *words, stdout=full)

    assert done.returncode == code
    assert done.stderr.startswith("error: No space left on device\n")
    assert "Traceback" not in done.stderr
    assert "fault of Windrow" not in done.stderr


@pytest.mark.parametrize("words", ["--version >&-", "--version 2>&-", "kv put a - --tenant BAD <&-"])
def test_a_stream_that_the_shell_has_closed_is_one_that_says_nothing(words: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m windrow {words}', sys.executable], capture_output=True, text=True, timeout=60
    )

    assert "Traceback" not in done.stderr
    assert "fault of Windrow" not in done.stderr
    assert done.returncode == (0 if "--version" in words else 2)


def test_a_letter_that_an_output_cannot_write_is_written_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    _open_what_is_closed()

    show.document({"a": "grün"})
    show.pairs({"a": "grün"})

    document, pairs = written.getvalue().decode("ascii").splitlines()
    assert json.loads(document) == {"a": "grün"}
    assert pairs == r"a  gr\xfcn"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """All commands, as they are in a terminal of 60 columns."""
    monkeypatch.setenv("COLUMNS", "60")
    return _tree(COMMANDS)


def every(group: Any, *above: str) -> list[tuple[tuple[str, ...], Any]]:
    below = getattr(group, "commands", {})
    return [(above, group), *(found for name in below for found in every(below[name], *above, name))]


def test_the_help_of_no_command_cuts_an_option_short_in_a_narrow_terminal(narrow: typer.Typer) -> None:
    cut = []
    for words, command in every(typer.main.get_command(narrow)):
        shown = command.get_help(command.context_class(command, info_name="windrow"))
        options = [name for one in command.params for name in one.opts if name.startswith("--")]
        cut += [(*words, name) for name in options if name not in shown]

    assert cut == []


@pytest.mark.parametrize(
    "url",
    [
        "postgres//me:hunter22@db/x",
        "mysql://me:hunter22@db/x",
        "postgresql://me:hunter22@db/x?mode=fast",
        "hunter22",
        "postgresql://me:hunter%2@db/x",
    ],
)
def test_an_address_of_a_database_that_is_none_is_refused_and_not_repeated(url: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, database_url=url)

    for use in (database_url, stack_config):
        with pytest.raises(Fatal) as refused:
            use(settings)
        assert refused.value.code is Code.CONFIGURATION
        assert refused.value.__cause__ is None
        assert "postgresql://USER:PASSWORD@HOST" in str(refused.value.hint)
        assert "hunter" not in f"{refused.value}{refused.value.hint}"


async def at_home(home: Path) -> Check:
    async with aclosing(examine(Settings(home=home))) as checks:
        return [await anext(checks) for _ in range(2)][1]


async def test_the_doctor_sees_that_a_home_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    for home in (tmp_path / "file", tmp_path / "file" / "deeper"):
        found = await at_home(home)
        assert (found.name, found.verdict) == ("home", Verdict.FAIL)
        assert "WINDROW_HOME" in str(found.hint)
    assert (await at_home(tmp_path / "to be made")).verdict is not Verdict.FAIL
