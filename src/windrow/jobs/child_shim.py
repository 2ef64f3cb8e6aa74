"""Becomes a handler's program: limits itself, asks to be killed with its parent, and turns into the given program.

Run by its path with `python -I -S`, because it must happen between fork and exec: the worker has threads, and no Python
code is safe in a fork of a process that has. The orders are one JSON object in the first argument.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 126  # what a shell answers when a program cannot be executed


def main() -> NoReturn:
    orders = json.loads(sys.argv[1])
    try:
        become(orders)
    except (OSError, ValueError) as error:
        print(f"cannot start {orders['argv'][0]}: {error}", file=sys.stderr)  # noqa: T201 - the program's own stderr
    sys.exit(CANNOT_RUN)


def become(orders: dict[str, Any]) -> None:
    """Turn into the program, or raise what prevented it."""
    os.umask(0o077)
    os.chdir(orders["cwd"])
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != orders["parent"]:
        sys.exit(CANNOT_RUN)  # the parent was gone before the wish was made
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, orders["file_size"])
    # Python ignores this signal; a program that writes past the limit should die of it
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    limit(resource.RLIMIT_AS, orders["memory"])
    os.execve(orders["argv"][0], orders["argv"], orders["env"])  # noqa: S606 - the whole purpose


def limit(what: int, most: int | None) -> None:
    """Lower a limit; one that is lower already stays."""
    if most is not None:
        _, hard = resource.getrlimit(what)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (allowed, allowed))


if __name__ == "__main__":
    main()
