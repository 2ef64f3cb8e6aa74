"""Processes that work together: `windrow worker` and `windrow sync` against engines that are there, or beside `windrow up`."""

import json
import os
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from tests.stories.conftest import PATIENCE, WINDROW, Machine
from tests.stories.orchestration import reel
from tests.stories.orchestration.reel import Pages

from windrow import specs
from windrow.app.compose import database_url
from windrow.settings import Settings

ROOT = Path(__file__).parents[3]


class Worker:
    """A `windrow worker` that serves its queues."""

    def __init__(self, process: subprocess.Popen[str], words: tuple[str, ...], log: Path) -> None:
        assert process.stdout
        self.process, self.words = process, words
        line = process.stdout.readline()
        assert line, log.read_text()[-4000:]
        self.told: dict[str, Any] = json.loads(line)

    def asked(self, path: str) -> tuple[int, str]:
        """What it answers about its health."""
        try:
            with urllib.request.urlopen(self.told["health"] + path, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    @property
    def is_there(self) -> bool:
        return self.process.poll() is None

    def leave(self) -> None:
        if self.is_there:
            self.process.kill()
        self.process.wait(timeout=PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()

    def end(self, number: signal.Signals) -> int:
        """Send it a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE)


class Sync:
    """A `windrow sync` under way."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log
        self._said: list[str] = []
        self._listening = threading.Thread(target=lambda: self._said.append(process.communicate()[0]))
        self._listening.start()

    def left(self, seconds: float = PATIENCE) -> tuple[int, str]:
        """Its exit code, and its standard output."""
        self._listening.join(seconds)
        assert not self._listening.is_alive(), "it does not end"
        return self._process.returncode, self._said[0]

    def ended(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """What the run came to."""
        code, _ = self.left(seconds)
        assert code == 0, self._log.read_text()[-4000:]
        summary: dict[str, Any] = json.loads(self._said[0])
        return summary

    def leave(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._listening.join()


class Deployment:
    """A machine with the reel's connector installed, its directive declared, and processes that come and go."""

    def __init__(self, machine: Machine) -> None:
        self.machine, place = machine, machine.home.parent
        self.log = place / "deployment.log"
        reel.offer(place / "installed")
        specs.copy(place / "specs")
        reel.declare(place / "specs")
        machine.environment |= {
            "PYTHONPATH": os.pathsep.join([str(place / "installed"), str(ROOT)]),
            "WINDROW_SPECS": str(place / "specs"),
        }
        self._workers: list[Worker] = []
        self._syncs: list[Sync] = []

    def pages(self, name: str, *, schedule: str | None = None, **how: int) -> Pages:
        """An endpoint with a reel of its own."""
        made = Pages(self.machine.home.parent / "reels" / name, **how)
        when = ("--schedule", schedule) if schedule else ()
        self.machine.answer("endpoint", "add", name, "reel", f"path={made.path}", *when)
        return made

    def worker(self, *words: str) -> Worker:
        return Worker(self._start("worker", *words), words, self.log)

    def crew(self, *each: tuple[str, ...]) -> dict[int, Worker]:
        """A worker at work for each of these command lines, by process; who is missing is started, all at the same time."""
        there = [worker for worker in self._workers if worker.is_there]
        missing = list((Counter(each) - Counter(worker.words for worker in there)).elements())
        started = [(self._start("worker", *words), words) for words in missing]
        self._workers += [Worker(process, words, self.log) for process, words in started]
        return {worker.process.pid: worker for worker in self._workers if worker.is_there}

    def sync(self, name: str) -> Sync:
        self._syncs.append(Sync(self._start("sync", name), self.log))
        return self._syncs[-1]

    def _start(self, *words: str) -> subprocess.Popen[str]:
        with self.log.open("a") as said:
            return subprocess.Popen(
                [*WINDROW, *words, "--json"],
                env=self.machine.environment,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )

    def catalog(self, name: str) -> list[tuple[str, int]]:
        """What the catalog holds of an endpoint, each thing with how often it was written differently."""
        settings = Settings(home=self.machine.home, database_url=self.machine.environment.get("WINDROW_DATABASE_URL"))
        with psycopg.connect(database_url(settings), options="-c search_path=windrow") as connection:
            connection.execute("SET ROLE windrow_app")
            connection.execute("SELECT set_config('windrow.tenant_id', 'local', false)")
            found = connection.execute(
                "SELECT external_id, revision FROM items WHERE endpoint_id = %s ORDER BY external_id", [name]
            )
            return [(str(row[0]), int(row[1])) for row in found]

    def leave(self) -> None:
        for sync in self._syncs:
            sync.leave()
        for worker in self._workers:
            worker.leave()


@contextmanager
def deployed(machine: Machine) -> Iterator[Deployment]:
    """The machine, made ready; whatever was started on it is gone afterwards."""
    made = Deployment(machine)
    try:
        yield made
    finally:
        made.leave()


def once(pages: Pages) -> list[tuple[str, int]]:
    """The catalog as it must be: all that the source has, each written once."""
    return [(name, 1) for name in pages.all]
