"""Becomes a handler's program: limits itself, asks to be killed with its parent, and turns into the given program.

    child_shim.py CWD PARENT MEMORY FILE_SIZE PROGRAM ARGUMENT …        (a limit of - is none)

Run by its path with `python -I -S`, because it must happen between fork and exec: the worker has threads, and no Python
code is safe in a fork of a process that has. It imports next to nothing: a worker waits for this before each program, and
`json`, `typing` and `signal` alone would double the time.
"""

import _signal  # type: ignore[import-not-found]
import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 126  # what a shell answers when a program cannot be executed


def main() -> None:
    try:
        become(*sys.argv[1:])
    except (OSError, ValueError) as error:
        print(f"cannot start {sys.argv[5]}: {error}", file=sys.stderr)  # noqa: T201 - the program's own stderr
    sys.exit(CANNOT_RUN)


def become(cwd: str, parent: str, memory: str, file_size: str, *program: str) -> None:
    """Turn into the program, or raise what prevented it."""
    os.umask(0o077)
    os.chdir(cwd)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, _signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(parent):
        sys.exit(CANNOT_RUN)  # the parent was gone before the wish was made
    limit(resource.RLIMIT_CORE, "0")
    limit(resource.RLIMIT_FSIZE, file_size)
    # Python ignores this signal; a program that writes past the limit should die of it
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
    limit(resource.RLIMIT_AS, memory)
    os.execv(program[0], program)  # noqa: S606 - the whole purpose


def limit(what: int, most: str) -> None:
    """Lower a limit; one that is lower already stays."""
    if most != "-":
        _, hard = resource.getrlimit(what)
        allowed = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
        resource.setrlimit(what, (allowed, allowed))


if __name__ == "__main__":
    main()
