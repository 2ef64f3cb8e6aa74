"""The launcher, and whom it becomes."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import Signals
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.stack.homes import as_root, command_lines

from windrow.contracts.errors import Code, Fatal
from windrow.stack.engine_user import engine_user
from windrow.stack.process import command, run


def launched(**changes: Any) -> subprocess.CompletedProcess[str]:
    """Run the launcher with its usual orders but for the changes."""
    *launcher, orders = command(["/bin/echo", "hello"], user=None, cwd=Path("/"), dying=Signals.SIGTERM)
    changed = json.dumps(json.loads(orders) | changes)
    return subprocess.run([*launcher, changed], capture_output=True, text=True)


def test_it_becomes_the_program() -> None:
    assert launched().stdout == "hello\n"


def test_it_starts_nothing_when_its_parent_is_already_gone() -> None:
    done = launched(parent=1)

    assert done.returncode != 0
    assert done.stdout == ""


@pytest.mark.parametrize("changes", [{"argv": ["/nowhere/at/all"]}, {"cwd": "/nowhere/at/all"}])
def test_what_it_cannot_start_it_tells_in_one_line(changes: dict[str, Any]) -> None:
    done = launched(**changes)

    assert done.returncode == 126
    assert done.stderr.count("\n") == 1
    assert "No such file or directory" in done.stderr


async def test_the_program_is_told_to_end_when_its_parent_is_killed() -> None:
    script = (
        "import subprocess, sys; from pathlib import Path; from signal import Signals\n"
        "from windrow.stack.process import command\n"
        "line = command(['/bin/cat'], user=None, cwd=Path('/'), dying=Signals.SIGTERM)\n"
        "child = subprocess.Popen(line, stdin=subprocess.PIPE); child.stdin.write(b'ready\\n'); child.stdin.flush()\n"
        "child.wait()"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"ready\n"

    parent.kill()

    assert await parent.stdout.read() == b"", "the child holds this pipe open until it ends"
    await parent.wait()


async def test_a_program_that_is_cancelled_does_not_run_on() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await run(["/bin/sleep", "4711"], user=None)

    assert b"/bin/sleep\x004711" not in command_lines()


@as_root
async def test_it_gives_up_root_for_good() -> None:
    user = engine_user("windrow")

    done = await run(["/usr/bin/id"], user=user)

    assert user is not None
    assert f"uid={user.uid}({user.name})" in done.output
    assert "groups=" not in done.output.replace(f"groups={user.gid}({user.name})", "")


@as_root
def test_an_account_is_made_when_it_is_missing(throwaway: str, said: Said) -> None:
    user = engine_user(throwaway)

    assert user is not None
    assert (user.name, user.uid != 0) == (throwaway, True)
    assert [line["user"] for line in said.events("engine_user.created")] == [throwaway]


@pytest.fixture
def throwaway() -> Iterator[str]:
    name = f"windrow-{os.getpid()}"
    userdel = shutil.which("userdel", path="/usr/sbin:/usr/bin")
    if userdel is None:
        pytest.skip("an account could not be removed afterwards")
    yield name
    subprocess.run([userdel, name], check=True, capture_output=True)


@as_root
def test_where_no_account_can_be_made_the_engines_run_as_nobody_and_that_is_told(said: Said) -> None:
    user = engine_user("Not A Name!")

    assert user is not None
    assert user.name == "nobody"
    assert [line["using"] for line in said.events("engine_user.missing")] == ["nobody"]


@as_root
def test_root_is_no_user_for_the_engines() -> None:
    with pytest.raises(Fatal, match="refuses to run as root") as refused:
        engine_user("root")

    assert refused.value.code is Code.CONFIGURATION
