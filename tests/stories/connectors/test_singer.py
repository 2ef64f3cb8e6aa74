"""A worker is killed while its tap runs: neither the tap nor anything that it has started outlives it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.singer import make_tap

# one page, and then for ever; a child of it has left its session and hears no signal
_ENDLESS = """
    held = os.open(config["lifeline"], os.O_WRONLY)
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        os.write(held, b"!")
        time.sleep(300)
    schema()
    for number in range(51):
        record(number)
    time.sleep(300)
"""


def test_nothing_of_a_tap_outlives_a_worker_that_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lifeline")
    make_tap(tmp_path / "tap-fake", _ENDLESS)
    with (
        subprocess.Popen(
            [sys.executable, "-m", "tests.stories.connectors.singer_process", str(tmp_path)], stdout=subprocess.PIPE
        ) as worker,
        (tmp_path / "lifeline").open("rb") as lifeline,
    ):
        assert worker.stdout
        assert worker.stdout.readline() == b"50\n"
        worker.kill()

        # the end of the file is the death of the last one that held it
        assert lifeline.read() == b"!"
