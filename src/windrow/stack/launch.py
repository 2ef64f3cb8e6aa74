"""Becomes an engine: gives up root, asks to be ended with its parent, and turns into the given program.

Run by its path with `python -I -S`: it imports four small modules and nothing of ours, so it costs milliseconds.
The orders are one JSON object in the first argument.
"""

import ctypes
import json
import os
import sys
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 126  # what a shell answers when a program cannot be executed


def main() -> NoReturn:
    orders = json.loads(sys.argv[1])
    try:
        become(orders)
    except OSError as error:
        print(f"cannot start {orders['argv'][0]}: {error}", file=sys.stderr)  # noqa: T201 - the engine's own log
    sys.exit(CANNOT_RUN)


def become(orders: dict[str, Any]) -> None:
    """Turn into the program, or raise the OSError that prevented it."""
    os.umask(0o077)
    if orders["uid"] is not None:
        os.setgroups([])
        os.setgid(orders["gid"])
        os.setuid(orders["uid"])
    os.chdir(orders["cwd"])
    # after setuid: a change of credentials clears the wish to die with the parent
    die_with_parent(orders["signal"])
    if os.getppid() != orders["parent"]:
        sys.exit(CANNOT_RUN)  # the parent was gone before the wish was made
    os.execve(orders["argv"][0], orders["argv"], orders["env"])  # noqa: S606 - the whole purpose


def die_with_parent(signal: int | None) -> None:
    """Ask Linux for a signal when the parent ends; elsewhere the next start finds and stops what was left over."""
    if signal is not None and sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0)


if __name__ == "__main__":
    main()
