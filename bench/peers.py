"""The libraries we compare ourselves with, in a virtual environment of their own: `python -m bench.peers` prints its interpreter."""

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE / ".peers"
WANTED = HERE / "peers.txt"


def interpreter() -> Path:
    """The peers' Python, made when it is missing or when the list of peers has changed."""
    python = PEERS / "bin" / "python"
    mark = PEERS / "installed.txt"
    wanted = WANTED.read_text()
    if not mark.exists() or mark.read_text() != wanted:
        print("setting up the peers' virtual environment", file=sys.stderr, flush=True)
        venv.create(PEERS, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", WANTED], check=True)
        mark.write_text(wanted)
    return python


if __name__ == "__main__":
    print(interpreter())
