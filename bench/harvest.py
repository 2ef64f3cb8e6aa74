"""Items into the catalog: through validation, outbox and subscriber, against the raw limit and against dlt, on one Postgres.

The raw limit is COPY into a staging table and INSERT … ON CONFLICT … WHERE the hash differs, 5,000 rows at a time: into a
table with nothing but its primary key, and into one that is like ours. Each measurement has processes of its own, which
also tell their peak memory; they take turns, and the best of each counts.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection

from bench.figures import Bench
from bench.peers import interpreter

HERE = Path(__file__).parent
ITEMS = 100_000
MANY = 1_000_000
ROUNDS = 3


async def run(bench: Bench) -> None:
    """Every load begins with empty tables."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for name, load in (("bare", _raw), ("like_ours", _raw), ("ours", _ours)):
            await _empty(bench.database_url)
            found = await load(bench.database_url, name, ITEMS)
            best[name] = {key: min(value, best.get(name, found)[key]) for key, value in found.items()}
    await _empty(bench.database_url)
    peer = await _dlt(bench.database_url, ITEMS)
    ours = best["ours"]
    for name in ("bare", "like_ours"):
        bench.report(f"harvest.raw_limit_{name}_items_per_second", ITEMS / best[name]["seconds"], "1/s")
    bench.report("harvest.items_per_second", ITEMS / ours["seconds"], "1/s")
    bench.report("harvest.of_raw_limit_same_table", best["like_ours"]["seconds"] / ours["seconds"], "x", ">= 0.6")
    bench.report("harvest.of_raw_limit_bare_table", best["bare"]["seconds"] / ours["seconds"], "x", ">= 0.6")
    bench.report("harvest.dlt_items_per_second", ITEMS / peer, "1/s")
    bench.report("harvest.over_dlt", peer / ours["seconds"], "x", ">= 5")
    bench.report("harvest.unchanged_over_first", ours["again_seconds"] / ours["seconds"], "x", "< 1")
    bench.report("harvest.unchanged_rows_written", ours["again_written"], "rows", "== 0")
    bench.report("harvest.searchable_after_seconds", ours["searchable_seconds"], "s")
    bench.report("harvest.peak_memory_100k_mb", ours["peak_mb"], "MB", "< 200")
    await _growth(bench)


async def _growth(bench: Bench) -> None:
    """The same load into a catalog of 10,000 and of a million items."""
    await _empty(bench.database_url)
    many = await _ours(bench.database_url, "many", MANY)
    small, large = many["rate_at_start"], many["rate_at_end"]
    bench.report("harvest.items_per_second_at_10k", small, "1/s")
    bench.report("harvest.items_per_second_at_1m", large, "1/s")
    bench.report("harvest.growth", large / small, "x", ">= 0.7")
    bench.report("harvest.peak_memory_1m_mb", many["peak_mb"], "MB", "< 200")


async def _raw(url: str, kind: str, items: int) -> dict[str, float]:
    return await _measured([sys.executable, "-m", "bench.harvest_raw", url, kind, str(items)])


async def _ours(url: str, kind: str, items: int) -> dict[str, float]:
    return await _measured([sys.executable, "-m", "bench.harvest_ours", url, kind, str(items)])


async def _dlt(url: str, items: int) -> float:
    found = await _measured([str(interpreter()), str(HERE / "harvest_dlt.py"), url, str(items)])
    return found["seconds"]


async def _measured(command: list[str]) -> dict[str, float]:
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, cwd=HERE.parent)
    if done.returncode:
        raise RuntimeError(f"{command[1:3]}: {done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


async def _empty(url: str) -> None:
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        cursor = await owner.execute(
            "SELECT string_agg(format('windrow.%I', tablename), ', ') FROM pg_tables"
            " WHERE schemaname = 'windrow' AND tablename <> 'migrations'"
        )
        row = await cursor.fetchone()
        assert row
        await owner.execute(f"TRUNCATE {row[0]}".encode())
        await owner.execute("DROP SCHEMA IF EXISTS bench_dlt CASCADE")
        await owner.execute("DROP SCHEMA IF EXISTS bench_dlt_staging CASCADE")
