"""`windrow demo --hold`: whoever runs it finds something on every page of the console."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx2
import pytest
from tests.stories.conftest import PATIENCE, WINDROW, Machine

from windrow.console.pages.rendering import SECTIONS

# what the demo has made that each page must tell of
TOLD = {
    "/": "endpoint is halted",
    "/endpoints": "workshop",
    "/endpoints/attic": "there is no directory",
    "/runs": "workshop",
    "/catalog": "workshop",
    "/catalog?q=tripod": "Tripod no. 2",
    "/quarantine": "workshop",
    "/jobs": "clip",
    "/media": "harvest",
    "/queues": "demo-newsletter",
    "/queues/dead-letters": "the newsletter has no such column",
    "/alerts": "attic",
    "/audit": "endpoint",
    "/kv": "demo/greeting",
}


@contextmanager
def held(machine: Machine, directory: Path) -> Iterator[str]:
    """The link that it prints in the end."""
    with (machine.home.parent / "demo.log").open("w") as log:
        process = subprocess.Popen(
            [*WINDROW, "demo", "--hold"],
            env=machine.environment,
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout
            yield _link(process.stdout)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def _link(lines: IO[str]) -> str:
    said = []
    for line in lines:
        said.append(line)
        if line.startswith("http://") and "/login?" in line:
            return line.strip()
    raise AssertionError("".join(said)[-3000:])


@pytest.mark.timeout(600)
def test_the_demo_leaves_something_on_every_page(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "protocol.md").write_text("# How nothing is lost\n")

    html = {"accept": "text/html"}
    with (
        held(machine, tmp_path) as link,
        httpx2.Client(trust_env=False, headers=html, timeout=PATIENCE) as client,
    ):
        url = link.partition("/login")[0]
        assert client.get(link).status_code == 303
        shown = {path: client.get(url + path).text for path in TOLD}

    assert {path for path, words in TOLD.items() if words not in shown[path]} == set()
    assert {href for href, *_ in SECTIONS.values()} <= TOLD.keys()
