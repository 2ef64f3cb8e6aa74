"""`python -m bench [NAME]`: run every benchmark, or those of one area; print each figure, write bench/results.json.

A benchmark is a module of this folder with `async def run(bench: Bench) -> None`. It alternates what it compares, takes
the best of several rounds, and reports a ratio: the machines are noisy, and only what ran side by side can be compared.
"""

import asyncio
import importlib
import pkgutil
import shutil
import sys
import tempfile
from pathlib import Path

import bench
from bench.figures import Bench, Figures
from windrow.postgres.migrate import migrate
from windrow.stack import EmbeddedPostgres, EmbeddedTemporal, Stack, StackConfig
from windrow.telemetry import log
from windrow.telemetry.declare import Level

HARNESS = {
    "figures",
    "items",
    "crowd",
    "peers",
    "harvest_raw",
    "harvest_ours",
    "harvest_dlt",
    "harvest_rows",
    "harvest_shelf",
    "harvest_subscriber",
    "orchestration_ours",
    "jobs_bare",
    "jobs_pgqueuer",
    "jobs_procrastinate",
    "media_bare",
    "media_youtube",
}


def areas(only: str | None) -> list[str]:
    """The names of the benchmarks to run."""
    found = sorted(
        module.name for module in pkgutil.iter_modules(bench.__path__) if module.name not in HARNESS | {"__main__"}
    )
    chosen = [name for name in found if only is None or name == only.partition(".")[0]]
    if not chosen:
        sys.exit(f"there is no benchmark {only!r}; there are: {', '.join(found)}")
    return chosen


async def measure(names: list[str], figures: Figures) -> None:
    """One durable Postgres and one Temporal for all of them, as a user would run them."""
    directory = Path(tempfile.mkdtemp(prefix="windrow-bench-"))
    directory.chmod(0o711)
    try:
        async with Stack(StackConfig(directory / "home", EmbeddedPostgres(), EmbeddedTemporal())) as stack:
            await migrate(stack.database_url)
            for name in names:
                await importlib.import_module(f"bench.{name}").run(
                    Bench(figures.report, stack.database_url, stack.temporal_address)
                )
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main() -> None:
    log.configure(format=log.Format.JSON, level=Level.ERROR)
    only = sys.argv[1] if len(sys.argv) > 1 else None
    figures = Figures(Path(__file__).with_name("results.json"))
    asyncio.run(measure(areas(only), figures))
    figures.write()
    if missed := figures.missed():
        print(f"\nmissed: {', '.join(missed)}")


main()
