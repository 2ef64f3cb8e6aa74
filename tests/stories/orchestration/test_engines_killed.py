"""Engines that die in the middle of a run, are restarted, or lose all they had: what Postgres knows is made true again."""

import os
import signal
from collections.abc import Iterator

import pytest
from tests.stories.orchestration.deployment import Deployment, once
from tests.stories.orchestration.everything import Everything, everything
from tests.stories.test_up_survives import engine_pids

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def running() -> Iterator[Everything]:
    """Everything on one machine; one endpoint is harvested by itself, another was paused."""
    with everything() as started:
        made = started.deployment
        made.pages("kept", schedule="0 6 * * mon-fri")
        made.pages("held", schedule="1m")
        made.machine.answer("schedule", "pause", "held", "--reason", "the source is being moved")
        yield started


def until_it_answers(deployment: Deployment) -> None:
    """Each try takes its time, and that is the wait."""
    for _ in range(40):
        if deployment.machine.run("kv", "list").returncode == 0:
            return
    pytest.fail((deployment.machine.home.parent / "up.log").read_text()[-4000:])


@pytest.mark.req("OR-13")
def test_what_temporal_begins_by_a_schedule_harvests_the_endpoint(running: Everything) -> None:
    deployment = running.deployment
    pages = deployment.pages("fired", schedule="0 6 * * *")
    pages.hold(0)
    running.until_scheduled(fired=False)

    running.fire("fired")
    with pages.reached(0):
        pass
    done = running.fired("fired")

    assert done["state"] == "Completed"
    assert deployment.catalog("fired") == once(pages)
    steps = deployment.machine.answer("schedule", "show", "fired")["steps"]
    assert [step["state"] for step in reversed(steps)] == ["Pending", "Running", "Completed"]


def test_a_run_goes_on_after_temporal_was_killed(running: Everything) -> None:
    deployment = running.deployment
    pages = deployment.pages("temporal")
    pages.hold(3)
    sync = deployment.sync("temporal")

    with pages.reached(3):
        os.kill(engine_pids(deployment.machine)["temporal"], signal.SIGKILL)
    done = sync.ended()

    assert (done["outcome"], done["created"], done["repeats"]) == ("done", len(pages.all), 0)
    assert deployment.catalog("temporal") == once(pages)


def test_a_run_goes_on_after_postgres_was_killed(running: Everything) -> None:
    deployment = running.deployment
    pages = deployment.pages("postgres")
    pages.hold(3)
    sync = deployment.sync("postgres")

    with pages.reached(3):
        os.kill(engine_pids(deployment.machine)["postgres"], signal.SIGKILL)
        until_it_answers(deployment)
    done = sync.ended(100)

    assert (done["outcome"], done["created"], done["repeats"]) == ("done", len(pages.all), 0)
    assert deployment.catalog("postgres") == once(pages)


@pytest.mark.req("OR-20")
def test_what_is_paused_stays_paused_through_a_restart_of_everything(running: Everything) -> None:
    before = running.until_scheduled(kept=False, held=True)

    running.stop()
    running.start()

    assert running.until_scheduled() == before
    told = running.deployment.machine.answer("schedule", "show", "held")
    assert told["held_back"] == "paused: the source is being moved"


@pytest.mark.req("OR-20")
def test_schedules_that_temporal_lost_are_rebuilt_from_postgres(running: Everything) -> None:
    before = running.until_scheduled(kept=False, held=True)
    running.stop()
    lost = list((running.deployment.machine.home / "temporal").glob("temporal.db*"))
    for file in lost:
        file.unlink()

    running.start()

    assert lost
    assert running.until_scheduled(**before) == before


def test_who_follows_a_run_is_told_when_everything_was_killed_and_the_run_goes_on_with_the_next_start(
    running: Everything,
) -> None:
    deployment = running.deployment
    pages = deployment.pages("orphaned")
    pages.hold(3)
    sync = deployment.sync("orphaned")

    with pages.reached(3):
        running.kill()
    code, said = sync.left()
    running.start()
    again = deployment.sync("orphaned").ended()

    assert (code, said) == (4, "")
    assert again["outcome"] == "done"
    assert deployment.catalog("orphaned") == once(pages)
