"""What the end of a tap means. Its words are for people: they are shown, redacted, and never decided by."""

import signal
from dataclasses import dataclass

from windrow.connectors.singer.warden import CANNOT_RUN
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError

# a program that had so large a part of what it may have, and failed, failed for want of more
_NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True)
class Ended:
    """How a tap ended: its exit code, negative for a signal and None where nobody knows; its most memory; its last words."""

    code: int | None
    peak_bytes: int
    words: str

    @property
    def well(self) -> bool:
        return self.code == 0


def crashed(tap: str, ended: Ended, *, memory: int) -> WindrowError:
    """Our error for a tap that did not end well. Singer has no exit codes that mean something, so most may be transient."""
    said = f": {ended.words}" if ended.words else ""
    match ended.code:
        case None:
            return RetryableTransient(f"the tap {tap} was ended from outside{said}", code=Code.UNAVAILABLE)
        case _ if ended.code == CANNOT_RUN:
            return Fatal(
                f"the tap {tap} cannot be run{said}",
                code=Code.CONFIGURATION,
                hint="run it by hand on this machine, as the user that Windrow runs as",
            )
        case _ if ended.peak_bytes >= _NEARLY_ALL * memory:
            return ValidationFailure(
                f"the tap {tap} needs more than the {memory >> 20} MiB of memory that it may have{said}",
                code=Code.TOO_LARGE,
                hint="select fewer streams, or let the operator raise WINDROW_TAP_MEMORY_BYTES",
            )
        case number if number < 0:
            return _killed(tap, -number, said)
        case number:
            return RetryableTransient(
                f"the tap {tap} failed with exit code {number}{said}",
                code=Code.UNAVAILABLE,
                hint="the log has what it said (tap.said); it is tried again later",
            )


def _killed(tap: str, number: int, said: str) -> WindrowError:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if number == signal.SIGXFSZ:
        return ValidationFailure(
            f"the tap {tap} writes a file that is larger than it may{said}",
            code=Code.TOO_LARGE,
            hint="select fewer streams, or configure the tap to keep less on the disk",
        )
    return RetryableTransient(
        f"the tap {tap} was killed by {name}{said}",
        code=Code.UNAVAILABLE,
        hint="SIGKILL may be the machine's own, for want of memory" if number == signal.SIGKILL else None,
    )


def hung(tap: str, seconds: float, words: str) -> RetryableTransient:
    said = f"; it said last: {words}" if words else ""
    return RetryableTransient(
        f"the tap {tap} gave nothing for {seconds:g} s{said}",
        code=Code.TIMEOUT,
        hint="its source hangs, or it needs longer for each answer than it may",
    )


def slow(tap: str, seconds: float) -> RetryableTransient:
    return RetryableTransient(
        f"the tap {tap} did not come to where it was within {seconds:g} s",
        code=Code.TIMEOUT,
        hint="it gives a STATE too seldom; select fewer streams, or use a tap that can go on in the middle",
    )


def endless(tap: str, times: int) -> ValidationFailure:
    return ValidationFailure(
        f"the tap {tap} began again {times} times in one pass",
        code=Code.INVALID,
        hint="it does not go on from its STATE, and its source changes meanwhile; split its streams over several endpoints",
    )
