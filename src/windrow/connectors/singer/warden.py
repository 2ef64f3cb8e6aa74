"""Runs a tap and sees to it that nothing of it is left: not when it ends, not when we ask, not when we are gone.

    warden.py SCRATCH REPORT MEMORY FILE_SIZE PROGRAM ARGUMENT …

Run by its path with `python -I -S`, and imports little: `signal` alone would take longer than all the rest. Its stdin is a
pipe that nobody writes to: it ends when whoever holds it lets go of it, or dies of whatever. On Linux it adopts what the tap
leaves behind, also what has left its session, and kills that too. REPORT is the number of an open file: how the tap ended and
the most memory it had go there. SCRATCH is removed in the end.
"""

import _signal as signal  # type: ignore[import-not-found]
import ctypes
import os
import resource
import select
import sys
import time
from contextlib import suppress

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CANNOT_RUN = 126  # what a shell answers when a program cannot be executed
_OUT, _ERR = 1, 2
# what cannot be killed (another user's, or one that waits for a broken disk) is not waited for
_PATIENCE = 5.0


def main(scratch: str, report: str, memory: str, file_size: str, *program: str) -> None:
    os.umask(0o077)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.set_inheritable(int(report), False)
    woken = wake_on_child()
    warden, tap = os.getpid(), os.fork()
    if tap == 0:
        become(warden, scratch, int(memory), int(file_size), program)
    # or the pipes would have no end while we are there
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _OUT)
    os.dup2(nowhere, _ERR)
    ended = attend(tap, woken)
    if ended is None:
        os.kill(tap, signal.SIGKILL)
    kill_all(warden)
    if ended is not None:
        os.write(int(report), b"%d %d" % ended)
    remove(scratch)


def become(warden: int, scratch: str, memory: int, file_size: int, program: tuple[str, ...]) -> None:
    """Turn into the tap, within its limits."""
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            os._exit(CANNOT_RUN)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(scratch)
        for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, file_size), (resource.RLIMIT_AS, memory)):
            limit(what, most)
        # Python ignores these, and what is ignored stays so in the program
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.execv(program[0], program)  # noqa: S606 - the whole purpose
    except OSError as error:
        os.write(_ERR, f"cannot start {program[0]}: {error}\n".encode())
    finally:
        os._exit(CANNOT_RUN)


def prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def limit(what: int, most: int) -> None:
    """Lower a limit; one that is lower already stays."""
    _, hard = resource.getrlimit(what)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (allowed, allowed))


def wake_on_child() -> int:
    """A descriptor that can be read once a child has ended."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken


def attend(tap: int, woken: int) -> tuple[int, int] | None:
    """Wait until the tap has ended, or nobody wants it any more: its exit code and most kilobytes, None in that case."""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if 0 in ready:
            return None
        with suppress(BlockingIOError):
            os.read(woken, 4096)
        for pid, status, used in reaped():
            if pid == tap:
                return os.waitstatus_to_exitcode(status), used.ru_maxrss


def reaped() -> list[tuple[int, int, resource.struct_rusage]]:
    """Every child that has ended by now."""
    found = []
    with suppress(ChildProcessError):
        while (one := os.wait4(-1, os.WNOHANG))[0]:
            found.append(one)
    return found


def kill_all(warden: int) -> None:
    """Kill all that descends from us, until there is nothing left; what forks faster than that is met again."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        for pid in descendants(warden):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.005)


def descendants(of: int) -> list[int]:
    """All processes below one, by who their parents are, where the system says that."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH208, PTH112 - as below
        with suppress(OSError, ValueError, IndexError):
            if name.isdigit():
                with open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123 - pathlib alone would double the start
                    # the name of the program is in parentheses, and may hold anything
                    parents[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
    below, found = {of}, list[int]()
    while below:
        below = {pid for pid, parent in parents.items() if parent in below}
        found += below
    return found


def remove(directory: str) -> None:
    """All of a directory, following no link."""
    with suppress(OSError):
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    remove(entry.path)
                else:
                    os.unlink(entry.path)  # noqa: PTH108 - as above
        os.rmdir(directory)  # noqa: PTH106 - as above


if __name__ == "__main__":
    main(*sys.argv[1:])
