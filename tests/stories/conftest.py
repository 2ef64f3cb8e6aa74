"""Real processes: `windrow` as a user runs it, in a home of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WINDROW = [sys.executable, "-m", "windrow"]
# in seconds: how long something may take on a machine that is busy with other things before it is taken to hang
PATIENCE = 100


class Machine:
    """A home directory, and the commands that are run with it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
        self.environment = kept | {"WINDROW_HOME": str(home), "WINDROW_LOG_FORMAT": "json", "TERM": "dumb"}

    def run(self, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """One command, to its end."""
        return subprocess.run(
            [*WINDROW, *words], env=self.environment, capture_output=True, text=True, timeout=PATIENCE, **more
        )

    def answer(self, *words: str, **more: Any) -> Any:
        """What a command that must succeed prints as JSON."""
        done = self.run(*words, "--json", **more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def up(self) -> Iterator["Up"]:
        """`windrow up`, from its first answer to its clean end."""
        with (self.home.parent / "up.log").open("a") as log:
            process = subprocess.Popen(
                [*WINDROW, "up", "--json"], env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
            try:
                yield Up(process, self)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                process.wait(timeout=PATIENCE)
                assert process.stdout
                process.stdout.close()


class Up:
    """A `windrow up` that has said where things are."""

    def __init__(self, process: subprocess.Popen[str], machine: Machine) -> None:
        assert process.stdout
        self.process, self.machine = process, machine
        line = process.stdout.readline()
        assert line, (machine.home.parent / "up.log").read_text()[-4000:]
        self.addresses = json.loads(line)

    def kill(self) -> None:
        """kill -9, and nobody is told."""
        self.process.kill()
        self.process.wait(timeout=PATIENCE)


@contextmanager
def machine_in(prefix: str) -> Iterator[Machine]:
    directory = Path(tempfile.mkdtemp(prefix=prefix))
    directory.chmod(0o711)  # root's Postgres runs as another user, who must pass through
    try:
        yield Machine(directory / "home")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine on which nothing runs."""
    with machine_in("windrow-story-") as made:
        yield made


@pytest.fixture(scope="module")
def running() -> Iterator[Up]:
    """A machine on which `windrow up` runs, for all the tests of a module."""
    with machine_in("windrow-story-") as made, made.up() as up:
        yield up
