"""The console of a machine that runs: the link that it printed, and those that are asked for."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from tests.stories.conftest import PATIENCE, Up


@contextmanager
def entered(running: Up, link: str) -> Iterator[httpx2.Client]:
    html = {"accept": "text/html"}
    here = running.addresses["http"]
    with httpx2.Client(base_url=here, trust_env=False, headers=html, timeout=PATIENCE) as client:
        answered = client.get(link)
        assert answered.status_code == 303, answered.text
        yield client


def test_whoever_started_it_and_whoever_is_invited_see_the_console(running: Up) -> None:
    with entered(running, running.addresses["console"]) as operator:
        assert operator.get(running.addresses["console"]).status_code == 401  # once
        overview = operator.get("/").text
        assert "Temporal</span> <span" in overview
        assert "An engine does not answer" not in overview
        assert "Where you look" in operator.get("/you").text

    invited = running.machine.answer("login", "--role", "reader", "--name", "rita")
    with entered(running, invited["link"]) as reader:
        mine = reader.get("/you").text
    assert ("rita" in mine, "Where you look" in mine) == (True, False)

    printed = running.machine.run("login")
    assert printed.returncode == 0
    with entered(running, printed.stdout.strip()) as again:
        assert again.get("/endpoints").status_code == 200
