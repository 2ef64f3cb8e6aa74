"""What is pulled from a subscription is handled like what is pushed, and acknowledged when it is settled."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fakes.pubsub import FakePubSub
from tests.fakes.youtube import FakeYoutube, a_video, backend_error
from tests.integration.events.counter import Desk, a_job, desk

from windrow.media.stage import Stage
from windrow.messages.pubsub import Puller
from windrow.postgres import Database

TOPIC = "projects/acme/topics/queued"
SUBSCRIPTION = "projects/acme/subscriptions/queued"


@pytest.fixture
async def server() -> AsyncIterator[FakePubSub]:
    async with FakePubSub() as fake:
        fake.subscribe(SUBSCRIPTION, TOPIC)
        yield fake


@pytest.fixture
async def pulled(database: Database, tmp_path: Path, youtube: FakeYoutube, server: FakePubSub) -> AsyncIterator[Desk]:
    words = {"pubsub_subscriptions": (SUBSCRIPTION,), "pubsub_endpoint": server.address}
    async with desk(
        database, tmp_path, youtube, **words, media_places=(f"subscription:{SUBSCRIPTION}=acme",)
    ) as opened:
        yield opened


def puller(pulled: Desk) -> Puller:
    return pulled.work.pullers[SUBSCRIPTION]


@pytest.mark.req("EV-1")
async def test_a_job_that_is_pulled_is_enriched_for_the_tenant_of_its_subscription_and_acknowledged(
    pulled: Desk, server: FakePubSub, youtube: FakeYoutube
) -> None:
    youtube.shows(a_video())
    await server.put(TOPIC, a_job("job-1"))

    await puller(pulled).run_once()

    assert (await pulled.job("job-1", tenant="acme")).stage is Stage.METADATA_READY
    assert server.backlog(SUBSCRIPTION).copies == []


async def test_what_may_go_better_the_next_time_is_given_back_and_what_cannot_is_not(
    pulled: Desk, server: FakePubSub, youtube: FakeYoutube
) -> None:
    youtube.shows(a_video())
    youtube.refuses(*[backend_error()] * 3)
    await server.put(TOPIC, a_job("job-1"), b"\xff no job")

    await puller(pulled).run_once()

    assert [copy.message.data for copy in server.backlog(SUBSCRIPTION).copies] == [a_job("job-1")]
    assert (await pulled.said("acme"))["media.dlq/Undecodable"] == 1
