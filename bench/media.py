"""The metadata worker: an event end to end against the bare sum of its own I/O, and a minute of load from 64 clients.

End to end is from the request to the objects that show the job's new stage: received, decoded, claimed, enriched, committed
with its messages, mirrored. Both sides take turns, against the same Postgres, disk and loopback YouTube.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
import uuid
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from psycopg import AsyncConnection

from bench.figures import Bench
from bench.media_bare import TABLES, Bare, Disk, Files
from windrow.app.events import served
from windrow.app.media import MediaWork, media, topics_of
from windrow.app.outside import outside
from windrow.contracts.scope import Scope
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.objects import open_objects
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

SCOPE = Scope("bench", "media")
ROUNDS, EVENTS = 9, 20
CLIENTS = 64
LOAD_SECONDS = float(os.environ.get("BENCH_LOAD_SECONDS", "60"))
WARM_SECONDS = LOAD_SECONDS / 6
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STRUCTURED = {"content-type": "application/cloudevents+json"}


async def run(bench: Bench) -> None:
    with tempfile.TemporaryDirectory(prefix="windrow-bench-media-") as name:
        async with youtube() as address:
            await end_to_end(bench, address, Path(name))
            await load(bench, address, Path(name))


async def end_to_end(bench: Bench, address: str, directory: Path) -> None:
    """One event after the other, in rounds that alternate; the best round of each counts."""
    store = open_objects(f"file:{directory / 'objects'}").for_tenant(SCOPE.tenant_id)
    async with (
        ours_at(bench, address, directory) as ours,
        bare_at(bench, address, store) as bare,
        bare_at(bench, address, Files(directory / "files")) as plain,
    ):
        rounds = [(await timed(ours), await timed(bare), await timed(plain)) for _ in range(ROUNDS)]
    event, own, files = (min(times) / EVENTS for times in zip(*rounds, strict=True))
    bench.report("media.event_ms", 1000 * event, "ms")
    bench.report("media.bare_io_ms", 1000 * own, "ms")
    bench.report("media.event_over_bare_io", event / own, "x", "<= 3")
    bench.report("media.event_over_plain_files", event / files, "x")


@dataclass(frozen=True)
class Side:
    """What is prepared without being measured, and what is measured."""

    prepare: Callable[[], Awaitable[str]]
    handle: Callable[[str], Awaitable[None]]


async def timed(side: Side) -> float:
    """Seconds for a round of events, whose jobs were prepared before."""
    jobs = [await side.prepare() for _ in range(EVENTS)]
    began = time.perf_counter()
    for job_id in jobs:
        await side.handle(job_id)
    return time.perf_counter() - began


@asynccontextmanager
async def ours_at(bench: Bench, address: str, directory: Path) -> AsyncIterator[Side]:
    """The worker as it is served, in this process: its HTTP, its handler, its mirror."""
    settings = settings_for(directory / "home", address)
    async with (
        Database(bench.database_url, size=8) as database,
        outside(settings, {"YOUTUBE": "k"}) as beyond,
        media(settings, database, beyond, Wakeups(database.url)) as work,
        served(settings, database, work) as front,
        httpx2.AsyncClient(base_url=front.url, trust_env=False) as client,
    ):

        async def prepare() -> str:
            wished = Submission(media=media_of(f"https://youtu.be/{a_video_id()}"), request_id="bench")
            async with database.tenant(SCOPE.tenant_id) as tx:
                job_id = (await submit(tx, SCOPE, wished, topics=topics_of(settings))).job.job_id
            await mirrored(work)
            return job_id

        async def handle(job_id: str) -> None:
            answered = await client.post("/", json=event(job_id), headers=_STRUCTURED)
            assert answered.json()["outcome"] == "processed", answered.text
            assert await work.mirror.step() == 1

        yield Side(prepare, handle)


@asynccontextmanager
async def bare_at(bench: Bench, address: str, disk: Disk) -> AsyncIterator[Side]:
    async with (
        await AsyncConnection.connect(bench.database_url) as connection,
        httpx2.AsyncClient(base_url=address, trust_env=False) as http,
    ):
        await connection.execute("CREATE SCHEMA IF NOT EXISTS bare_media")
        await connection.execute("SET search_path TO bare_media")
        await connection.execute(TABLES)
        await connection.commit()
        bare = Bare(connection, http, disk)

        async def prepare() -> str:
            job_id = uuid.uuid4().hex
            await bare.prepare(job_id)
            return job_id

        async def handle(job_id: str) -> None:
            await bare.handle(job_id, a_video_id())

        yield Side(prepare, handle)


async def load(bench: Bench, address: str, directory: Path) -> None:
    """64 clients push jobs to a worker process, each as fast as it is answered."""
    environment = worker_environment(bench, directory / "load", address)
    async with worker(environment) as (process, url):
        answers: Counter[str] = Counter()
        ends = time.monotonic() + LOAD_SECONDS
        clients = [asyncio.create_task(client(url, ends, answers)) for _ in range(CLIENTS)]
        await asyncio.sleep(WARM_SECONDS)
        warm = resident(process.pid)
        await asyncio.gather(*clients)
        end = resident(process.pid)
    processed = answers.pop("processed", 0)
    bench.report("media.load_events_per_second", processed / LOAD_SECONDS, "events/s")
    bench.report("media.load_errors", sum(answers.values()), "answers", "== 0")
    bench.report("media.load_resident_mib", end / 2**20, "MiB")
    bench.report("media.load_memory_end_over_warm", end / warm, "x", "<= 1.15")
    if answers:
        print(f"  {dict(answers)}")


async def client(url: str, ends: float, answers: Counter[str]) -> None:
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as http:
        while time.monotonic() < ends:
            try:
                answered = await http.post("/", content=a_push(), headers={"content-type": "application/json"})
                answers[answered.json().get("outcome", str(answered.status_code))] += 1
            except httpx2.HTTPError as error:
                answers[type(error).__name__] += 1


def a_push() -> bytes:
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    job = {
        "jobId": uuid.uuid4().hex,
        "requestId": "bench",
        "status": "Queued",
        "media": {"type": "youtube", "url": f"https://youtu.be/{a_video_id()}"},
        "createdAt": now,
        "updatedAt": now,
    }
    message = {"data": b64encode(json.dumps(job).encode()).decode(), "messageId": uuid.uuid4().hex}
    return json.dumps({"message": message, "subscription": "projects/b/subscriptions/load"}).encode()


def event(job_id: str) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": uuid.uuid4().hex,
        "source": "//storage.googleapis.com/projects/_/buckets/windrow",
        "type": "google.cloud.storage.object.v1.finalized",
        "subject": f"objects/{SCOPE.tenant_id}/jobs/Queued/{job_id}.json",
    }


def a_video_id() -> str:
    """One that nobody has asked about yet."""
    return uuid.uuid4().hex[:11]


async def mirrored(work: MediaWork) -> None:
    while await work.mirror.step():
        pass


def settings_for(home: Path, address: str) -> Settings:
    return Settings(
        home=home,
        tenant=SCOPE.tenant_id,
        project=SCOPE.project_id,
        youtube_url=address,
        youtube_api_key_ref="env:YOUTUBE",
        addresses_allowed=(httpx2.URL(address).netloc.decode(),),
    )


def worker_environment(bench: Bench, home: Path, address: str) -> dict[str, str]:
    return {
        **os.environ,
        "WINDROW_HOME": str(home),
        "WINDROW_DATABASE_URL": bench.database_url,
        "WINDROW_TENANT": SCOPE.tenant_id,
        "WINDROW_LOG_LEVEL": "ERROR",
        "WINDROW_YOUTUBE_URL": address,
        "WINDROW_YOUTUBE_API_KEY_REF": "env:WINDROW_SECRET_YOUTUBE",
        "WINDROW_SECRET_YOUTUBE": "k",
        "WINDROW_ADDRESSES_ALLOWED": httpx2.URL(address).netloc.decode(),
    }


@asynccontextmanager
async def worker(environment: dict[str, str]) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`windrow events`, as an operator runs it."""
    line = [sys.executable, "-m", "windrow", "events", "--json"]
    process = await asyncio.create_subprocess_exec(*line, env=environment, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        yield process, json.loads(await process.stdout.readline())["events"]
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def youtube() -> AsyncIterator[str]:
    line = [sys.executable, "-m", "bench.media_youtube"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*line, stdin=pipe, stdout=pipe)
    assert process.stdin
    assert process.stdout
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


def resident(pid: int) -> int:
    """Bytes of memory that the process has in hand."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
