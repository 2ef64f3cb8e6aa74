"""The harvester is killed with -9 at every point at which it touches the world, and started again."""

from pathlib import Path

import pytest
from tests.stories.harvest.faults import Act, Fault
from tests.stories.harvest.processes import KILLED
from tests.stories.harvest.story import Story, points_of

from windrow.postgres import Database


@pytest.mark.timeout(300)
@pytest.mark.req("HV-24")
async def test_wherever_the_harvester_dies_the_catalog_is_the_source(database: Database, tmp_path: Path) -> None:
    async with Story.begin(database, tmp_path) as story:
        points = points_of(await story.points("harvester", await story.tenant("unharmed")))
        spared: list[str] = []

        async def die_and_go_on(tenant: str, point: str) -> None:
            await story.tenant(tenant)
            if await story.run("harvester", tenant, Fault(Act.KILL, point)) != KILLED:
                spared.append(point)
            await story.harvest(tenant)

        await story.each(die_and_go_on, points, at_once=2)
        await story.drain()

        assert spared == []
        assert await story.audit(points) == []
