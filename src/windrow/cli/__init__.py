"""The command line: parse, call, print."""

import io
import os
import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run one command and leave.

    The Temporal SDK's threads can abort the interpreter while it shuts down: flush, then end without that.
    """
    code: int | str | None = 0
    _open_what_is_closed()
    try:
        # in here: who presses Ctrl-C while it loads gets no traceback either
        from windrow.cli.tree import planted

        planted(sys.argv[1:])()
    except SystemExit as left:
        code = left.code
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except OSError as error:  # not even the help could be printed: a full disk behind the output
        code = 1
        print(f"error: {error.strerror or error}", file=sys.stderr)  # noqa: T201
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:  # the reader has seen enough
            code = 0
        except OSError:
            code = code or 1
    os._exit(code if isinstance(code, int) else 1 if code else 0)


def _open_what_is_closed() -> None:
    """A shell may close a stream (`>&-`), or give one that cannot write every letter: nobody below has to ask for that."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for the whole process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
