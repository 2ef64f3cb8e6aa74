"""Workers that die, or are asked to go, in the middle of a slice: others go on where they were."""

import random
import secrets
import signal
from collections.abc import Iterator

import pytest
from tests.conftest import made_database
from tests.stories.conftest import machine_in
from tests.stories.orchestration.deployment import Deployment, Worker, deployed, once

pytestmark = pytest.mark.timeout(600)

# in seconds; a worker that is busy with nothing else is gone long before
GRACE = 60
READS, ORCHESTRATES, ANYTHING = ("--queue", "meta-py"), ("--queue", "meta-ts"), ()


@pytest.fixture(scope="module")
def deployment(server_url: str, temporal_address: str) -> Iterator[Deployment]:
    """A deployment whose engines are somebody else's servers, in an environment of its own."""
    with (
        machine_in("windrow-story-") as machine,
        made_database(server_url) as database_url,
        deployed(machine) as made,
    ):
        machine.environment |= {
            "WINDROW_DATABASE_URL": database_url,
            "WINDROW_TEMPORAL_ADDRESS": temporal_address,
            "WINDROW_ENVIRONMENT": f"t{secrets.token_hex(6)}",
            "WINDROW_SHUTDOWN_TIMEOUT_SEC": str(GRACE),
        }
        machine.run("doctor", "--repair")
        yield made


@pytest.fixture
def crew(deployment: Deployment) -> dict[int, Worker]:
    """Two that read sources, and one that does everything else; whoever went in a test before is replaced."""
    return deployment.crew(READS, READS, ORCHESTRATES)


@pytest.mark.req("OR-5")
def test_a_worker_does_not_start_in_a_namespace_that_is_missing(deployment: Deployment) -> None:
    environment = deployment.machine.environment
    deployed_as = environment["WINDROW_ENVIRONMENT"]
    environment["WINDROW_ENVIRONMENT"] = "nowhere"

    done = deployment.machine.run("worker")

    environment["WINDROW_ENVIRONMENT"] = deployed_as
    assert done.returncode == 5
    assert "nowhere.harvesters" in done.stderr
    assert "windrow namespaces apply" in done.stderr


def test_a_worker_tells_whether_it_lives_and_whether_it_is_ready(crew: dict[int, Worker]) -> None:
    worker = next(iter(crew.values()))

    assert worker.asked("/livez") == (200, "alive\n")
    assert worker.asked("/readyz") == (200, "ready\n")
    assert worker.asked("/elsewhere")[0] == 404


@pytest.mark.req("MW-3", "MW-30")
def test_a_worker_that_is_killed_in_a_slice_is_missed_and_another_goes_on(
    deployment: Deployment, crew: dict[int, Worker]
) -> None:
    pages = deployment.pages("killed")
    pages.hold(3)
    sync = deployment.sync("killed")

    with pages.reached(3) as reader:
        crew[reader].end(signal.SIGKILL)
    done = sync.ended()

    assert (done["outcome"], done["created"], done["repeats"]) == ("done", len(pages.all), 0)
    assert deployment.catalog("killed") == once(pages)


def test_a_worker_that_is_asked_to_go_ends_its_slice_in_time_and_another_goes_on(
    deployment: Deployment, crew: dict[int, Worker]
) -> None:
    pages = deployment.pages("parted")
    pages.hold(3)
    sync = deployment.sync("parted")

    with pages.reached(3) as reader:
        crew[reader].process.send_signal(signal.SIGTERM)
    code = crew[reader].process.wait(timeout=GRACE)
    done = sync.ended()

    assert code == 0
    assert (done["outcome"], done["created"], done["repeats"]) == ("done", len(pages.all), 0)
    assert deployment.catalog("parted") == once(pages)


def test_workers_alone_are_a_whole_deployment(deployment: Deployment, crew: dict[int, Worker]) -> None:
    """Nobody runs `windrow up` here: what was brought is found by its words all the same."""
    assert crew
    deployment.pages("found", pages=1)
    deployment.machine.answer("schedule", "trigger", "found")

    # each look is a process of its own, and takes as long as a pause would
    looks = (deployment.machine.answer("items", "search", "the", "--endpoint", "found") for _ in range(30))
    assert next(found["count"] for found in looks if found["hits"]) == 5


@pytest.mark.campaign
@pytest.mark.timeout(600)
def test_workers_that_do_everything_are_killed_again_and_again_and_the_run_comes_to_its_end(
    deployment: Deployment, seed: int
) -> None:
    """Who reads may also be the one that has the workflow in memory. The seed says at which pages it dies."""
    for worker in deployment.crew().values():
        worker.leave()
    pages = deployment.pages(f"struck-{seed}", pages=12)
    struck = sorted(random.Random(seed).sample(range(12), 4 if seed else 1))
    for page in struck:
        pages.hold(page)
    deployment.crew(ANYTHING, ANYTHING)
    sync = deployment.sync(f"struck-{seed}")

    for page in struck:
        with pages.reached(page) as reader:
            deployment.crew()[reader].end(signal.SIGKILL)
        deployment.crew(ANYTHING, ANYTHING)
    done = sync.ended(300)

    assert (done["outcome"], done["created"], done["repeats"]) == ("done", len(pages.all), 0)
    assert deployment.catalog(f"struck-{seed}") == once(pages)
