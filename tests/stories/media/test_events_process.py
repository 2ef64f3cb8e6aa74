"""`windrow events` as a process of its own: killed in the middle of a job, its successor finishes it; asked to end, it does."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from tests.fakes.youtube import KEY, FakeYoutube, a_video
from tests.stories.media.worker_process import STRUCTURED, Orders, born, event

from windrow.media import reading
from windrow.postgres import Database

pytestmark = pytest.mark.timeout(400)

PATIENCE = 100


@dataclass
class Worker:
    """One `windrow events`, and where it answers."""

    process: subprocess.Popen[str]
    url: str

    async def told_of(self, tenant: str) -> httpx2.Response:
        async with httpx2.AsyncClient(base_url=self.url, trust_env=False, timeout=PATIENCE) as client:
            return await client.post("/", json=event(tenant), headers=STRUCTURED)


@contextmanager
def working(environment: dict[str, str], log: Path) -> Iterator[Worker]:
    """From its first answer to its end, however that comes."""
    line = [sys.executable, "-m", "windrow", "events", "--json"]
    with log.open("a") as stderr:
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
    assert process.stdout
    try:
        told = process.stdout.readline()
        assert told, log.read_text()[-3000:]
        yield Worker(process, json.loads(told)["events"])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def youtube() -> Iterator[FakeYoutube]:
    with FakeYoutube() as fake:
        fake.shows(a_video())
        yield fake


async def at_stage(database: Database, tenant: str, stage: str) -> list[str]:
    """The stages of the job, as soon as it has reached one."""
    stages: list[str] = []
    while stage not in stages:
        async with database.tenant(tenant) as tx:
            await tx.connection.execute("SELECT pg_sleep(0.02)")
            stages = [change.to_stage for change in await reading.events(tx, "job")]
    return stages


@pytest.mark.req("EV-3")
async def test_a_worker_that_is_killed_while_it_enriches_is_followed_by_one_that_finishes(
    database: Database, tmp_path: Path, youtube: FakeYoutube
) -> None:
    orders = Orders(
        tenant="local", database_url=database.url, home=str(tmp_path / "home"), youtube=youtube.url, notes=""
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
    environment = kept | {
        "WINDROW_HOME": orders.home,
        "WINDROW_DATABASE_URL": database.url,
        "WINDROW_LOG_FORMAT": "json",
        "WINDROW_YOUTUBE_URL": youtube.url,
        "WINDROW_YOUTUBE_API_KEY_REF": "env:WINDROW_SECRET_YOUTUBE",
        "WINDROW_SECRET_YOUTUBE": KEY,
        "WINDROW_ADDRESSES_ALLOWED": youtube.door,
    }
    log = tmp_path / "events.log"
    await born(database, orders.settings, orders.scope)
    youtube.open.clear()
    with working(environment, log) as first:
        told = asyncio.create_task(first.told_of(orders.tenant))
        await asyncio.to_thread(youtube.asked.wait, PATIENCE)
        first.process.send_signal(signal.SIGKILL)
        with pytest.raises(httpx2.TransportError):
            await told
    youtube.open.set()
    async with asyncio.timeout(PATIENCE):
        with working(environment, log) as second:
            async with database.system() as tx:
                # its claim has run out, and its event has had its time
                await tx.connection.execute(
                    "UPDATE media_jobs SET claimed_until = now() - interval '1 s', not_before = now() - interval '1 s'"
                )
                await tx.connection.execute("NOTIFY windrow_media")
            stages = await at_stage(database, orders.tenant, "MetadataReady")
            again = await second.told_of(orders.tenant)
            second.process.send_signal(signal.SIGTERM)
            code = await asyncio.to_thread(second.process.wait, PATIENCE)

    assert stages == ["Queued", "MetadataReady"]
    assert again.json()["outcome"] == "skipped"
    assert code == 0
    assert [line for line in log.read_text().splitlines() if '"ERROR"' in line or '"FATAL"' in line] == []
