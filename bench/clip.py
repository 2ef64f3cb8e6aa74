"""What a clip costs as a job, checked, stored and published, against the bare ffmpeg command that only cuts it."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bench.figures import Bench
from windrow.app.background import Background
from windrow.clips.asked import Asked
from windrow.clips.clip import NAME, Clips
from windrow.clips.cutter import Cutter
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.jobs.enqueue import enqueue
from windrow.jobs.job import Status
from windrow.jobs.kinds import Kinds
from windrow.jobs.reading import find as find_job
from windrow.jobs.worker import Worker, WorkerLimits
from windrow.objects import open_objects
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import log
from windrow.telemetry.declare import Level

ROUNDS = 9
SCOPE = Scope("bench", "clip")
START, END = 31.2, 36.7
# the film moves everywhere, as films do
FILM = "testsrc2=s=1280x720:r=25:d=60,noise=alls=4:allf=t"


async def run(bench: Bench) -> None:
    """Both take turns; the best round of each counts."""
    with tempfile.TemporaryDirectory(prefix="windrow-bench-clip-") as name:
        directory = Path(name)
        source = directory / "film.mp4"
        await ffmpeg("-f", "lavfi", "-i", FILM, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", str(source))
        async with (
            Database(bench.database_url, size=4) as database,
            HttpClient() as http,
            worker(database, http, directory) as settled,
        ):
            ours, bare = job(database, source, settled), command(source, directory / "bare.mp4")
            rounds = [(await timed(bare), await timed(ours)) for _ in range(ROUNDS)]
    plain, whole = (min(times) for times in zip(*rounds, strict=True))
    bench.report("clip.bare_ffmpeg_seconds", plain, "s")
    bench.report("clip.job_seconds", whole, "s")
    bench.report("clip.job_over_bare_ffmpeg", whole / plain, "x", "<= 1.3")


def command(source: Path, into: Path) -> Callable[[], Awaitable[None]]:
    """What a person would type: the same encoder, the same threads, the index in front."""

    async def cut() -> None:
        await ffmpeg(
            *("-threads", "2", "-ss", str(START), "-i", str(source), "-t", str(END - START)),
            *("-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "2"),
            *("-movflags", "+faststart", str(into)),
        )

    return cut


@asynccontextmanager
async def worker(database: Database, http: HttpClient, directory: Path) -> AsyncIterator[asyncio.Event]:
    """One that cuts clips while the block lasts; the event tells that a job was settled.

    Nobody asks the database again and again how it stands: that would take a fifth of a core from what is measured.
    """
    settled = asyncio.Event()
    log.configure(
        write=lambda line: settled.set() if '"job.done"' in line else None, level=Level.DEBUG, format=log.Format.JSON
    )
    objects, limits = open_objects(f"file:{directory / 'objects'}"), ClipLimits()
    sources = Sources(objects, http, lambda _, path: Path(path), limits)
    kinds = Kinds(Clips(objects, sources, Cutter(Ffmpeg(find(), limits)), limits).kind())
    wakeups = Wakeups(database.url)
    one = Worker(database, wakeups, kinds, scratch=directory / "scratch", limits=WorkerLimits(concurrency=1))
    async with Background() as background:
        background.start("jobs", one.run)
        background.start("wakeups", wakeups.run)
        await wakeups.listening.wait()
        yield settled


def job(database: Database, source: Path, settled: asyncio.Event) -> Callable[[], Awaitable[None]]:
    """From the row that is enqueued to the clip in its place."""

    async def cut() -> None:
        settled.clear()
        async with database.tenant(SCOPE.tenant_id) as tx:
            wish = Asked(source=f"file:{source}", start=START, end=END)
            job_id = (await enqueue(tx, SCOPE, NAME, wish)).job_id
        await asyncio.wait_for(settled.wait(), 60)
        async with database.tenant(SCOPE.tenant_id) as tx:
            found = await find_job(tx, job_id)
        assert found
        assert found.status is Status.DONE, found.error

    return cut


async def ffmpeg(*arguments: str) -> None:
    line = [str(find()), "-hide_banner", "-nostdin", "-v", "error", "-y", *arguments]
    process = await asyncio.create_subprocess_exec(*line)
    assert await process.wait() == 0


async def timed(act: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await act()
    return time.perf_counter() - began
