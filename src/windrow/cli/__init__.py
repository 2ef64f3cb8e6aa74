"""The command line: parse, call, print."""

import os
import sys

from windrow.cli.tree import planted

__all__ = ["main"]


def main() -> None:
    """Run one command and leave.

    The Temporal SDK's threads can abort the interpreter while it shuts down: flush, then end without that.
    """
    code: int | str | None = 0
    try:
        planted(sys.argv[1:])()
    except SystemExit as left:
        code = left.code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:  # the reader has seen enough
            code = 0
    os._exit(code if isinstance(code, int) else 1 if code else 0)
