"""`make campaign SEEDS=n`: the seeded tests again and again, each time with another seed; which seeds failed is printed, and what was measured.

The tests that carry the mark `campaign` run once in `make test`. Here each seed drives hypothesis and the `seed` fixture.
With ONLY=harvest, those whose names or places have that word in them; with ONLY=tests/stories/jobs, those below that
place, and the others are not even collected. SEEDS=30-40 goes on from the thirtieth.
"""

import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "10").rpartition("-")
    seeds = range(int(first or 1), int(last) + 1)
    only = _chosen(sys.argv[2]) if len(sys.argv) > 2 else []
    failed: list[int] = []
    begun = time.monotonic()
    for seed in seeds:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-m",
            "campaign",
            "-n",
            "2",
            # a campaign may share its machine for hours: what is slow there is not stuck
            "--timeout",
            "900",
            "--seed",
            str(seed),
            f"--hypothesis-seed={seed}",
            *only,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        summary = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "no output"
        print(f"seed {seed:>4}  {summary}", flush=True)
        for figure in (line for line in done.stdout.splitlines() if line.startswith("figure: ")):
            print(f"           {figure.removeprefix('figure: ')}", flush=True)
        if done.returncode:
            failed.append(seed)
            print(done.stdout)
    minutes = (time.monotonic() - begun) / 60
    print(f"{len(seeds) - len(failed)} passed, {len(failed)} failed")
    print(f"{minutes:.1f} minutes" + (f"; failed seeds: {failed}" if failed else ""))
    sys.exit(bool(failed))


def _chosen(only: str) -> list[str]:
    return [only] if Path(only).exists() else ["-k", only]


main()
