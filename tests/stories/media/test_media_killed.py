"""kill -9 of the metadata worker at every point at which it touches the world: the job moves once, and lies in one folder."""

import asyncio
import json
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.fakes.youtube import KEY, FakeYoutube, a_video
from tests.stories.media.worker_process import Orders, born, mirrored

from windrow.app.media import media
from windrow.app.outside import outside
from windrow.media import reading, rows
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

ENRICHED = {"media.events/JobStatusChanged": 2, "media.events/MetadataReady": 1, "media.work/Work": 1}
KILLED = -signal.SIGKILL
AT_ONCE = 3
# of about a hundred; `make campaign` takes them all
DRAWN = 24


@pytest.fixture
def youtube() -> Iterator[FakeYoutube]:
    with FakeYoutube() as fake:
        fake.shows(a_video())
        yield fake


class Mill:
    """Forks processes, several at a time."""

    def __init__(self) -> None:
        self._free: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()

    async def run(self, orders: Orders) -> int:
        """One life; its exit code."""
        mother = await self._free.get()
        assert mother.stdin
        assert mother.stdout
        mother.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
        code = int(await mother.stdout.readline())
        self._free.put_nowait(mother)
        return code

    @classmethod
    @asynccontextmanager
    async def opened(cls) -> AsyncIterator["Mill"]:
        mill = cls()
        line = [sys.executable, "-m", "tests.stories.media.worker_process"]
        pipe = asyncio.subprocess.PIPE
        mothers = [await asyncio.create_subprocess_exec(*line, stdin=pipe, stdout=pipe) for _ in range(AT_ONCE)]
        for mother in mothers:
            mill._free.put_nowait(mother)
        try:
            yield mill
        finally:
            for mother in mothers:
                assert mother.stdin
                mother.stdin.close()
                await mother.wait()


async def look(database: Database, tenant: str, home: Path) -> dict[str, object]:
    """All that there is of the job."""
    async with database.tenant(tenant) as tx:
        stages = [change.to_stage for change in await reading.events(tx, "job")]
        cursor = await tx.connection.execute("SELECT topic, attributes ->> 'kind' AS kind FROM messages")
        said = Counter(f"{row['topic']}/{row['kind']}" for row in await cursor.fetchall())
    files = list((home / "objects" / tenant / "3").rglob("*.json"))
    return {
        "stages": stages,
        "messages": dict(said),
        "folders": [path.parent.name for path in files if path.name == "job.json"],
        "event objects": len([path for path in files if path.name.endswith("_status_changed.json")]),
    }


DONE = {
    "stages": ["Queued", "MetadataReady"],
    "messages": ENRICHED,
    "folders": ["Processing"],
    "event objects": 2,
}


async def is_nowhere(database: Database, tenant: str, home: Path) -> bool:
    """Whether the job has had an object, and has none now."""
    async with database.tenant(tenant) as tx:
        job = await rows.find(tx, "job")
    return job is not None and job.mirrored > 0 and not (await look(database, tenant, home))["folders"]


async def recovered(database: Database, lives: list[Orders]) -> None:
    """Time passes, and an unharmed worker does what the dead left: nobody delivers an event again."""
    settings = lives[0].settings
    for orders in lives:
        await born(database, settings, orders.scope)
    async with database.system() as tx:
        await tx.connection.execute(
            "UPDATE media_jobs SET not_before = now() - interval '1 s', claimed_until = now() - interval '1 s',"
            " mirroring_until = now() - interval '1 s'"
        )
    async with (
        outside(settings, {"YOUTUBE": KEY}) as beyond,
        media(settings, database, beyond, Wakeups(database.url)) as work,
    ):
        await mirrored(work)
        while await work.sweeper.step():
            pass
        await mirrored(work)


@pytest.mark.campaign
@pytest.mark.req("EV-3", "EV-7", "EV-8")
@pytest.mark.timeout(300)
async def test_a_worker_that_is_killed_at_any_point_leaves_nothing_undone_and_nothing_doubled(
    database: Database, tmp_path: Path, youtube: FakeYoutube, seed: int, record_property: Callable[[str, object], None]
) -> None:
    whole = Orders(
        tenant="whole",
        database_url=database.url,
        home=str(tmp_path / "home"),
        youtube=youtube.url,
        notes=str(tmp_path / "points"),
    )
    async with Mill.opened() as mill:
        assert await mill.run(whole) == 0
        points = (tmp_path / "points").read_text().splitlines()
        drawn = points if seed else random.Random(seed).sample(points, DRAWN)
        lives = [
            replace(whole, tenant=f"t{number}", fault=point, notes=str(tmp_path / f"points-{number}"))
            for number, point in enumerate(drawn)
        ]
        codes = await asyncio.gather(*(mill.run(orders) for orders in lives))
    lost = [orders.fault for orders in lives if await is_nowhere(database, orders.tenant, tmp_path / "home")]
    await recovered(database, [whole, *lives])

    # one that finds others' work to do may reach its point later than the first did, or not at all
    killed = codes.count(KILLED)
    record_property("figure", f"a media job's worker was killed at {killed} of {len(points)} points")
    assert killed > 0.8 * len(codes)
    assert set(codes) <= {KILLED, 0}
    assert lost == []
    found = {orders.fault: await look(database, orders.tenant, tmp_path / "home") for orders in [whole, *lives]}
    assert {point: one for point, one in found.items() if one != DONE} == {}
