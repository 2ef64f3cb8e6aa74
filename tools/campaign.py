"""`make campaign SEEDS=n`: the seeded tests again and again, each time with another seed; which seeds failed is printed, and what was measured.

The tests that carry the mark `campaign` run once in `make test`. Here each seed drives hypothesis and the `seed` fixture.
With ONLY=harvest, those whose names or places have that word in them.
"""

import subprocess
import sys
import time


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    only = ["-k", sys.argv[2]] if len(sys.argv) > 2 else []
    failed: list[int] = []
    begun = time.monotonic()
    for seed in range(1, seeds + 1):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-m",
            "campaign",
            "-n",
            "2",
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
    print(f"{seeds - len(failed)} passed, {len(failed)} failed")
    print(f"{minutes:.1f} minutes" + (f"; failed seeds: {failed}" if failed else ""))
    sys.exit(bool(failed))


main()
