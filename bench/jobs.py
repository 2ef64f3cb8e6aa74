"""The job runtime: jobs that do nothing against a bare loop, pgqueuer and procrastinate; enqueue against COPY; heartbeats.

Everything runs in one Postgres, one process at a time; what is compared alternates, and the best of several rounds counts.
"""

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
from pydantic import BaseModel

from bench import jobs_bare
from bench.figures import Bench
from bench.peers import interpreter
from windrow import jobs
from windrow.contracts.scope import Scope
from windrow.jobs import Kind, Kinds, PressureLimits, Running, Worker, WorkerLimits
from windrow.jobs.execution import Execution
from windrow.jobs.heart import Heart
from windrow.jobs.intake import Intake
from windrow.postgres import Database
from windrow.postgres.queries import load
from windrow.postgres.wakeups import Wakeup, Wakeups

Q = load("windrow.jobs")
HERE = Path(__file__).parent
SCOPE = Scope("bench", "main")
COUNT = 20_000
BATCH = 100
ROUNDS = 3
PAUSE = 0.02
FINISHED = 1_000_000
# a worker takes half of its room at a time: so its statements are as large as those of the bare loop
LIMITS = WorkerLimits(concurrency=2 * BATCH, pressure=PressureLimits(load_threshold=1e9))


class Nothing(BaseModel):
    """No payload."""


class Counted:
    """A handler that does nothing, and knows when it has done so often enough."""

    def __init__(self, count: int) -> None:
        self._left, self.done = count, asyncio.Event()

    async def run(self, _running: Running, _nothing: Nothing) -> None:
        self._left -= 1
        if not self._left:
            self.done.set()


class Timed:
    """A handler that tells when it was begun."""

    def __init__(self) -> None:
        self.began: asyncio.Queue[float] = asyncio.Queue()

    async def run(self, _running: Running, _nothing: Nothing) -> None:
        self.began.put_nowait(time.perf_counter())


async def run(bench: Bench) -> None:
    async with Database(bench.database_url, size=8) as database:
        await throughput(bench, database)
        await enqueueing(bench, database)
        await latency(bench, database)
        await heartbeats(bench, database)
        await crowded(bench, database)
        await clear(database)


async def throughput(bench: Bench, database: Database) -> None:
    """One worker process against a bare loop, and against others' worker processes."""
    ours, bare, theirs, tuned, slow = [], [], [], [], []
    for _ in range(ROUNDS):
        bare.append(await bare_drain(database))
        ours.append(await our_drain(database))
        theirs.append(peer(bench, "jobs_pgqueuer", COUNT, 10))  # its default
        tuned.append(peer(bench, "jobs_pgqueuer", COUNT, BATCH))
    slow.append(peer(bench, "jobs_procrastinate", COUNT // 10, BATCH) * 10)
    bench.report("jobs.noop_per_second", COUNT / min(ours), "jobs/s")
    bench.report("jobs.noop_vs_bare_loop", min(bare) / min(ours), "x", ">= 0.7")
    bench.report("jobs.noop_vs_pgqueuer", min(theirs) / min(ours), "x", ">= 1.2")
    bench.report("jobs.noop_vs_pgqueuer_in_hundreds", min(tuned) / min(ours), "x")
    bench.report("jobs.noop_vs_procrastinate", min(slow) / min(ours), "x", ">= 20")


async def enqueueing(bench: Bench, database: Database) -> None:
    """A bulk enqueue against COPY of the same rows and the same events."""
    ours, copied = [], []
    for _ in range(ROUNDS):
        await clear(database)
        began = time.perf_counter()
        await fill(database, COUNT)
        ours.append(time.perf_counter() - began)
        await clear(database)
        copied.append(await copy(bench.database_url))
    bench.report("jobs.enqueue_per_second", COUNT / min(ours), "jobs/s")
    bench.report("jobs.enqueue_vs_copy", min(copied) / min(ours), "x", ">= 0.3")


async def latency(bench: Bench, database: Database) -> None:
    """From an enqueue to the first line of the handler, where nothing else happens."""
    await clear(database)
    ours, bare = [], []
    timed = Timed()
    async with working(database, timed):
        for _ in range(100):
            began = time.perf_counter()
            await fill(database, 1)
            ours.append(await timed.began.get() - began)
            await asyncio.sleep(PAUSE)  # until it is settled, and nothing happens any more
    await clear(database)
    wakeups = Wakeups(database.url)
    heard = wakeups.on("windrow_jobs_queued")
    listening = asyncio.create_task(wakeups.run())
    await wakeups.listening.wait()
    await heard.wait(1)
    for _ in range(100):
        began = time.perf_counter()
        await fill(database, 1)
        await heard.wait(1)
        taken = await jobs_bare.acquire(database, SCOPE.tenant_id, BATCH)
        bare.append(time.perf_counter() - began)
        await jobs_bare.complete(database, taken)
        await asyncio.sleep(PAUSE)
    listening.cancel()
    await asyncio.wait([listening])
    bench.report("jobs.idle_start_p50", statistics.median(ours) * 1000, "ms")
    bench.report("jobs.idle_start_vs_bare_loop", statistics.median(ours) / statistics.median(bare), "x", "<= 2")


async def heartbeats(bench: Bench, database: Database) -> None:
    """A hundred jobs in hand, for as many ticks."""
    await clear(database)
    await fill(database, 100)
    kinds = Kinds(Kind("rest", Nothing, Counted(0).run))
    intake = Intake(kinds, "bench", LIMITS.lease)
    async with database.system() as tx:
        claims = await intake.take(tx, 100)
    hand = {
        (claim.job_id, claim.epoch): Execution(claim, kinds.find("rest"), database, Path("unused"), safe_until=1e18)
        for claim in claims
    }
    heart = Heart(database, "bench", hand, Wakeup(), interval=timedelta(seconds=10), safe=27.0)
    before = await updates(database)
    took = []
    for _ in range(100):
        began = time.perf_counter()
        await heart.beat()
        took.append(time.perf_counter() - began)
    after = await updates(database)
    bench.report("jobs.heartbeat_ms_a_job", statistics.median(took) * 1000 / 100, "ms", "<= 1")
    bench.report("jobs.heartbeats_in_place", (after[1] - before[1]) / (after[0] - before[0]), "x", ">= 0.9")


async def crowded(bench: Bench, database: Database) -> None:
    """The same throughput beside a million finished jobs, and beside a transaction that never ends."""
    empty = min([await our_drain(database) for _ in range(ROUNDS)])
    await clear(database)
    await finish(bench.database_url)
    full = min([await our_drain(database, keep=True) for _ in range(ROUNDS)])
    await clear(database)
    async with await psycopg.AsyncConnection.connect(bench.database_url) as other:
        await other.execute("SELECT txid_current()")
        held = min([await our_drain(database, keep=True) for _ in range(ROUNDS)])
        await other.rollback()
    bench.report("jobs.beside_a_million_finished", empty / full, "x", ">= 0.8")
    bench.report("jobs.beside_a_long_transaction", empty / held, "x", ">= 0.5")


async def bare_drain(database: Database) -> float:
    await clear(database)
    await fill(database, COUNT)
    return await jobs_bare.drain(database, SCOPE.tenant_id, COUNT, BATCH)


async def our_drain(database: Database, *, keep: bool = False) -> float:
    if not keep:
        await clear(database)
    await fill(database, COUNT)
    counted = Counted(COUNT)
    began = time.perf_counter()
    async with working(database, counted):
        await counted.done.wait()
    return time.perf_counter() - began  # the last ones are settled, since the worker has ended cleanly


@asynccontextmanager
async def working(database: Database, handler: Counted | Timed) -> AsyncIterator[None]:
    wakeups = Wakeups(database.url)
    kinds = Kinds(Kind("rest", Nothing, handler.run))
    with tempfile.TemporaryDirectory() as scratch:
        worker = Worker(database, wakeups, kinds, scratch=Path(scratch), limits=replace(LIMITS))
        tasks = [asyncio.create_task(wakeups.run()), asyncio.create_task(worker.run())]
        try:
            yield
        finally:
            for task in reversed(tasks):
                task.cancel()
                await asyncio.wait([task])


async def fill(database: Database, count: int) -> None:
    async with database.tenant(SCOPE.tenant_id) as tx:
        await jobs.enqueue_many(tx, SCOPE, "rest", [Nothing()] * count)


async def clear(database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as owner:
        await owner.execute("TRUNCATE windrow.jobs, windrow.job_events")


async def copy(url: str) -> float:
    """As whoever owns the tables, for whom the policies are lifted: COPY cannot be had with them."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        for table in ("jobs", "job_events"):
            await owner.execute(f"ALTER TABLE windrow.{table} NO FORCE ROW LEVEL SECURITY")
        ids = [
            (await (await owner.execute("SELECT windrow.new_job_id()::text")).fetchone() or ("",))[0] for _ in range(1)
        ]
        ids = [f"{ids[0][:-12]}{number:012x}" for number in range(COUNT)]
        began = time.perf_counter()
        async with owner.transaction(), owner.cursor() as cursor:
            async with cursor.copy("COPY windrow.jobs (tenant_id, id, project_id, kind, payload) FROM STDIN") as stream:
                await stream.write("".join(f"bench\t{job_id}\tmain\trest\t{{}}\n" for job_id in ids))
            async with cursor.copy(
                "COPY windrow.job_events (tenant_id, job_id, event, attempt, epoch) FROM STDIN"
            ) as stream:
                await stream.write("".join(f"bench\t{job_id}\tcreated\t1\t0\n" for job_id in ids))
        seconds = time.perf_counter() - began
        for table in ("jobs", "job_events"):
            await owner.execute(f"ALTER TABLE windrow.{table} FORCE ROW LEVEL SECURITY")
    return seconds


async def finish(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        await owner.execute("SET ROLE windrow_app")
        await owner.execute("SELECT set_config('windrow.tenant_id', 'bench', false)")
        await owner.execute("SET search_path = windrow")
        await owner.execute(
            "INSERT INTO jobs (tenant_id, project_id, kind, payload, status, finished_at)"
            " SELECT 'bench', 'main', 'rest', '{}', 'done', now() FROM generate_series(1, %s)",
            [FINISHED],
        )
        await owner.execute("RESET ROLE")
        await owner.execute("VACUUM ANALYZE windrow.jobs")


async def updates(database: Database) -> tuple[int, int]:
    async with database.connection() as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        row = await (
            await connection.execute(
                "SELECT pg_stat_get_tuples_updated(oid) AS updated, pg_stat_get_tuples_hot_updated(oid) AS in_place"
                " FROM pg_class WHERE oid = 'windrow.jobs'::regclass"
            )
        ).fetchone()
    assert row
    return row["updated"], row["in_place"]


def peer(bench: Bench, module: str, count: int, batch: int) -> float:
    """Another's worker, in an interpreter of its own; seconds."""
    url = bench.database_url.partition("?")[0]
    done = subprocess.run(
        [interpreter(), HERE / f"{module}.py", url, str(count), str(batch)], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])
