"""The subscriber is killed with -9 at every point at which it touches the world, and started again."""

from pathlib import Path

import pytest
from tests.stories.harvest.faults import Act, Fault
from tests.stories.harvest.processes import KILLED
from tests.stories.harvest.story import Story, points_of

from windrow.postgres import Database


@pytest.mark.timeout(300)
@pytest.mark.req("HV-22", "HV-24")
async def test_wherever_the_subscriber_dies_each_batch_is_persisted_once(database: Database, tmp_path: Path) -> None:
    async with Story.begin(database, tmp_path) as story:
        original = await story.tenant("the-original")
        await story.harvest(original)
        harvested = await story.kept(original)
        points = points_of(await story.points("subscriber"))
        spared: list[str] = []

        async def die_and_go_on(tenant: str, point: str) -> None:
            await story.copy(harvested, original, tenant)
            if await story.run("subscriber", tenant, Fault(Act.KILL, point)) != KILLED:
                spared.append(point)
            while await story.pending():
                await story.run("subscriber", tenant)

        # one at a time: a subscriber works for whoever has something
        await story.each(die_and_go_on, points, at_once=1)

        assert spared == []
        assert await story.audit(points) == []
