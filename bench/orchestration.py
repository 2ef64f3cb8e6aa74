"""What Temporal costs: a run that a worker does, from its trigger to its end, against the same harvest called directly.

Both are done by one process, with the same subscriber and the same connections, and take turns. The source is in memory.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from bench.figures import Bench

HERE = Path(__file__).parent
SMALL, LARGE = 100, 500_000
SMALL_ROUNDS, LARGE_ROUNDS = 9, 3


async def run(bench: Bench) -> None:
    """A small run for what each costs, a large one for what comes on top, and one that finds nothing new."""
    small = await _measured(bench, SMALL, SMALL_ROUNDS)
    bench.report("orchestration.direct_small_seconds", small["direct"], "s")
    bench.report("orchestration.run_small_seconds", small["run"], "s")
    # both ways: where there are batches, each waits for them by itself, and by turns of a fifth of a second
    fixed = max(small["run"] - small["direct"], small["run_idle"] - small["direct_idle"])
    bench.report("orchestration.fixed_seconds", fixed, "s", "<= 0.6")
    bench.report("orchestration.idle_seconds", small["run_idle"], "s", "< 2")
    bench.report("orchestration.history_events", small["events"], "events")
    large = await _measured(bench, LARGE, LARGE_ROUNDS)
    bench.report("orchestration.direct_large_seconds", large["direct"], "s")
    bench.report("orchestration.run_large_seconds", large["run"], "s")
    bench.report("orchestration.large_over_direct", large["run"] / large["direct"], "x", "<= 1.15")


async def _measured(bench: Bench, items: int, rounds: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.orchestration_ours", bench.database_url, bench.temporal_address]
    command += [str(items), str(rounds)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, cwd=HERE.parent)
    if done.returncode:
        raise RuntimeError(f"{command[1:3]}: {done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
