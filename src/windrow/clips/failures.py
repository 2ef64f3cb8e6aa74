"""What ffmpeg's end means. Its messages are for people: they are shown, and never decided by.

ffmpeg ends with the low byte of its error: a negative errno of the system, or a tag of its own (183: invalid data).
"""

import errno
import os
import signal

from windrow.clips.limits import GIB, ClipLimits
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError, classify
from windrow.telemetry import redact

_LONGEST = 300
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
# by us, by the system or by a limit; not by a mistake of its own
_ENDED = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGXFSZ)


class FfmpegFailed(Exception):
    """A command ended with a code that is no success."""

    def __init__(self, code: int, complaint: str) -> None:
        self.code, self.said = code, shown(complaint)
        super().__init__(f"ffmpeg ended with {code}{f': {self.said}' if self.said else ''}")

    @property
    def errno(self) -> int | None:
        """The system's error behind it, if it was one."""
        number = 256 - self.code
        return number if self.code > 128 and number in errno.errorcode else None

    @property
    def killed_by(self) -> int | None:
        """The signal that ended it, if one did."""
        return -self.code if self.code < 0 else None


def shown(complaint: str) -> str:
    """The first thing it said, in one line, without secrets and control characters: what follows is mostly echo."""
    line = next((line.strip() for line in complaint.splitlines() if line.strip()), "")
    text = "".join(char if char.isprintable() else "�" for char in redact(line))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def not_read(error: FfmpegFailed) -> WindrowError:
    """Of a source that cannot be opened or decoded."""
    return _of_the_machine(error) or ValidationFailure(
        f"the source cannot be read as a video: {error.said or error}",
        code=Code.UNREADABLE,
        hint="check that it plays; mp4, mkv, webm, mov, avi and MPEG streams are understood",
    )


def not_cut(error: FfmpegFailed, size: int, limits: ClipLimits) -> WindrowError:
    """Of a cut that did not come to its end, with so many bytes written."""
    if error.killed_by == signal.SIGXFSZ or error.errno == errno.EFBIG:
        return _over(size, limits)
    if error.errno == errno.ENOMEM:
        return ValidationFailure(
            f"the source takes more than {limits.memory_bytes / GIB:.3g} GiB of memory to cut",
            code=Code.INPUT_TOO_LARGE,
            hint="make a smaller version of the source first",
        )
    return not_read(error)


def is_final(error: FfmpegFailed) -> bool:
    """Whether to do less at once would not help: there is no room for the clip, or somebody has ended ffmpeg."""
    return error.errno in (*_NO_ROOM, errno.EFBIG) or error.killed_by in _ENDED


def not_decoded(error: FfmpegFailed) -> WindrowError:
    """Of a clip of ours that does not decode."""
    return _of_the_machine(error) or Fatal(
        f"the clip is damaged: {error.said or error}",
        code=Code.CORRUPTED,
        hint="check the disk of the worker, then retry the job",
    )


def not_started(complaint: str) -> Fatal:
    """Of an ffmpeg that is not there, or is none."""
    return Fatal(
        f"ffmpeg cannot be run: {shown(complaint)}",
        code=Code.CONFIGURATION,
        hint="install ffmpeg, and name it in IMAGEIO_FFMPEG_EXE",
    )


def took_too_long(seconds: float) -> RetryableTransient:
    return RetryableTransient(
        f"ffmpeg did not end within {seconds:g} s",
        code=Code.TIMEOUT,
        hint="cut a shorter clip, or use a smaller source",
    )


def _over(size: int, limits: ClipLimits) -> WindrowError:
    if size >= limits.clip_bytes:
        return ValidationFailure(
            f"the clip would be larger than {limits.clip_bytes / GIB:.3g} GiB",
            code=Code.TOO_LARGE,
            hint="cut a shorter clip",
        )
    return classify(OSError(errno.EFBIG, f"no room for the clip: {os.strerror(errno.EFBIG)} after {size} bytes"))


def _of_the_machine(error: FfmpegFailed) -> WindrowError | None:
    """What has nothing to do with the source."""
    if error.killed_by is not None:
        return RetryableTransient(
            f"ffmpeg was ended by signal {error.killed_by}", code=Code.UNAVAILABLE, hint="it is tried again"
        )
    if error.errno in _NO_ROOM:
        return classify(OSError(error.errno, f"no room for the clip: {os.strerror(error.errno)}"))
    return None
