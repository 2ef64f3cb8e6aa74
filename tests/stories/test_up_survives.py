"""kill -9 of Postgres, of Temporal and of `windrow up`: the next start repairs itself, and no data is lost."""

import os
import signal
from pathlib import Path

import psycopg
import pytest
from tests.stories.conftest import PATIENCE, Machine, Up

from windrow.stack import discover


def put(machine: Machine, key: str, value: str) -> None:
    assert machine.answer("kv", "put", key, value)["outcome"] == "stored"


def get(machine: Machine, key: str) -> object:
    return machine.answer("kv", "get", key)["value"]


def engine_pids(machine: Machine) -> dict[str, int]:
    """The engines that work below this home, by program."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                program = (entry / "exe").resolve().name
                below = (entry / "cwd").resolve().is_relative_to(machine.home)
                forked = (entry / "cmdline").read_bytes().startswith(b"postgres:")
            except OSError:
                continue
            if below and program in ("postgres", "temporal") and not forked:
                found[program] = int(entry.name)
    return found


def wait_for_doctor(machine: Machine, tries: int = 20) -> None:
    """Until every check is well; each run of the doctor takes its time, and that is the wait."""
    for _ in range(tries):
        if machine.run("doctor").returncode == 0:
            return
    pytest.fail(machine.run("doctor").stdout)


def test_a_second_start_finds_the_data_of_the_first(machine: Machine) -> None:
    with machine.up() as first:
        put(machine, "kept", '"through a restart"')
    assert first.process.returncode == 0

    with machine.up() as second:
        assert get(machine, "kept") == "through a restart"
        # a link to the console is good once; a page of metrics is found by whoever scrapes
        new = {name: second.addresses[name] for name in ("metrics", "console")}
        assert second.addresses == first.addresses | new


def test_kill_9_of_everything_in_turn_loses_nothing(machine: Machine) -> None:
    with machine.up() as up:
        for number, engine in enumerate(("postgres", "temporal")):
            put(machine, f"before/{engine}", str(number))
            os.kill(engine_pids(machine)[engine], signal.SIGKILL)
            wait_for_doctor(machine)
            assert get(machine, f"before/{engine}") == number
        put(machine, "before/up", "2")
        up.kill()

    with machine.up():
        wait_for_doctor(machine)
        assert [get(machine, f"before/{what}") for what in ("postgres", "temporal", "up")] == [0, 1, 2]


def test_a_killed_up_leaves_no_engine_behind(machine: Machine) -> None:
    with machine.up() as up:
        url = discover(machine.home)
        assert url
        assert url.database_url
        with psycopg.connect(url.database_url) as connection:
            up.kill()
            # the server ends with its supervisor, and says goodbye to whoever is connected
            with pytest.raises(psycopg.OperationalError):
                while True:
                    connection.execute("SELECT pg_sleep(0.05)")

    assert discover(machine.home) is None


def test_a_second_up_in_the_same_home_says_who_has_it(running: Up) -> None:
    second = running.machine.run("up")

    assert second.returncode == 3
    assert f"process {running.process.pid}" in second.stderr
    assert len([line for line in second.stderr.splitlines() if line.startswith("error:")]) == 1


def test_sigterm_ends_it_cleanly(machine: Machine) -> None:
    with machine.up() as up:
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(timeout=PATIENCE) == 0

    assert engine_pids(machine) == {}
