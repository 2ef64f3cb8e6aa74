"""Any interleaving and duplication of deliveries to several workers, each of which may die or be stopped after any of its steps."""

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.media.mortal import Died, Life, MortalDatabase, MortalProvider
from tests.integration.media.studio import (
    ENRICHED,
    FAILED,
    LIMITS,
    TOPICS,
    Studio,
    found,
    queued,
)

from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible
from windrow.media.handling import Found, Handled, Handler
from windrow.media.stage import Stage
from windrow.postgres import Database

# more steps than any handling has: those do not die
_LONGEST = 16
_ENOUGH = 8


@dataclass(frozen=True)
class Story:
    """How the job comes, what the provider says first, and who is told of it when, with how long to live."""

    brought: str
    refusals: int
    is_possible: bool
    rounds: tuple[tuple[tuple[int, bool], ...], ...]


# how many steps, and whether death or a shutdown ends them
lives = st.tuples(st.integers(0, _LONGEST), st.booleans())
stories = st.builds(
    Story,
    brought=st.sampled_from(["row", "object", "message"]),
    refusals=st.integers(0, 2),
    is_possible=st.booleans(),
    # each round is told to some at once; time passes in between
    rounds=st.lists(st.lists(lives, min_size=1, max_size=4).map(tuple), max_size=4).map(tuple),
)


class Theatre:
    """Plays a story on the real database."""

    def __init__(self, database: Database, number: int) -> None:
        self.studio, self.job_id = Studio(database), f"talk-{number}"

    async def play(self, story: Story) -> None:
        brought = await self.bring(story)
        for told in story.rounds:
            await asyncio.gather(*(self.deliver(brought, Life(steps, violent=violent)) for steps, violent in told))
            await self.studio.pass_time()
        for _ in range(_ENOUGH):
            if (handled := await self.deliver(brought, Life(None))) and handled.stage not in (None, Stage.QUEUED):
                break
            await self.studio.pass_time()
        await self.check(story)

    async def bring(self, story: Story) -> Found:
        oracle = self.studio.oracle
        oracle.script = [EnrichmentDelayed("not now")] * story.refusals
        oracle.always = None if story.is_possible else EnrichmentImpossible("the video is private")
        if story.brought == "row":
            await self.studio.submit(job_id=self.job_id)
        if story.brought == "object":
            await self.studio.drop(self.job_id)
        return found(self.job_id, job=queued(self.job_id) if story.brought == "message" else None)

    async def deliver(self, brought: Found, life: Life) -> Handled | None:
        handler = Handler(
            MortalDatabase(self.studio.database, life),
            MortalProvider(self.studio.oracle, life),
            lambda scope: self.studio.objects.for_tenant(scope.tenant_id),
            topics=TOPICS,
            limits=LIMITS,
        )
        handling = asyncio.create_task(handler.handle(brought))
        try:
            return await handling
        except (Died, asyncio.CancelledError):
            return None

    async def check(self, story: Story) -> None:
        studio, job_id = self.studio, self.job_id
        job = await studio.job(job_id)
        end = "MetadataReady" if story.is_possible else "Failed"
        assert await studio.stages(job_id) == ["Queued", end]
        assert await studio.said(job_id) == (ENRICHED if story.is_possible else FAILED)
        assert job.job.metadata_version == int(story.is_possible)
        topic = TOPICS.work if story.is_possible else TOPICS.dead_letters
        [message] = await studio.messages(topic, job_id)
        snapshot = message.payload.get("metadataSnapshot", {}).get("title")
        # what was announced is what was committed, and no other's
        assert snapshot == (job.job.metadata_snapshot.title if job.job.metadata_snapshot else None)
        assert job.claimed_until is None


@pytest.mark.req("EV-3", "EV-8")
@pytest.mark.campaign
def test_one_change_and_one_row_of_each_message_whoever_dies_wherever(database_url: str) -> None:
    with asyncio.Runner() as runner:
        database = Database(database_url, size=6)
        runner.run(database.__aenter__())
        played = 0

        @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(stories)
        def play(story: Story) -> None:
            nonlocal played
            played += 1
            runner.run(Theatre(database, played).play(story))

        try:
            play()
        finally:
            runner.run(database.__aexit__())


@pytest.mark.req("EV-3", "EV-8")
async def test_a_worker_may_die_after_each_of_its_steps(database: Database) -> None:
    # one that comes as an object has the most of them
    for steps in range(_LONGEST):
        await Theatre(database, steps).play(Story("object", 0, is_possible=True, rounds=(((steps, True),),)))


async def test_no_handling_has_more_steps_than_are_tried(database: Database) -> None:
    studio, life = Studio(database), Life(1000)
    await studio.drop("talk-1")
    handler = Handler(
        MortalDatabase(database, life),
        MortalProvider(studio.oracle, life),
        lambda scope: studio.objects.for_tenant(scope.tenant_id),
        topics=TOPICS,
        limits=LIMITS,
    )

    await handler.handle(found("talk-1"))

    assert life.left is not None
    assert 1000 - life.left <= _LONGEST
