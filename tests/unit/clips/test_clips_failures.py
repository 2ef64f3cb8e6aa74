"""What ffmpeg's exit codes mean to us."""

import errno
import signal

import pytest

from windrow.clips import failures
from windrow.clips.failures import FfmpegFailed
from windrow.clips.limits import ClipLimits
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError

LIMITS = ClipLimits(clip_bytes=1000)


@pytest.mark.parametrize(
    ("code", "size", "kind", "said"),
    [
        (256 - errno.ENOSPC, 10, Fatal, Code.DISK_FULL),
        (256 - errno.EDQUOT, 10, Fatal, Code.DISK_FULL),
        (256 - errno.EFBIG, 10, Fatal, Code.DISK_FULL),
        (-signal.SIGXFSZ, 999, Fatal, Code.DISK_FULL),
        (-signal.SIGXFSZ, 1000, ValidationFailure, Code.TOO_LARGE),
        (256 - errno.ENOMEM, 10, ValidationFailure, Code.INPUT_TOO_LARGE),
        (-signal.SIGKILL, 10, RetryableTransient, Code.UNAVAILABLE),
        (-signal.SIGSEGV, 10, RetryableTransient, Code.UNAVAILABLE),
        (183, 10, ValidationFailure, Code.UNREADABLE),
        (69, 10, ValidationFailure, Code.UNREADABLE),
        (1, 0, ValidationFailure, Code.UNREADABLE),
    ],
)
@pytest.mark.req("RR-7")
def test_the_end_of_a_cut_is_classified(code: int, size: int, kind: type[WindrowError], said: Code) -> None:
    error = failures.not_cut(FfmpegFailed(code, "moov atom not found\n"), size, LIMITS)

    assert (type(error), error.code) == (kind, said)


@pytest.mark.parametrize(
    ("code", "final"),
    [
        (256 - errno.ENOSPC, True),
        (256 - errno.EFBIG, True),
        (-signal.SIGXFSZ, True),
        (-signal.SIGKILL, True),
        (-signal.SIGSEGV, False),
        (256 - errno.ENOMEM, False),
        (256 - errno.EINVAL, False),
        (183, False),
        (8, False),
    ],
)
def test_a_cut_that_failed_is_done_plainly_unless_that_cannot_help(code: int, final: bool) -> None:
    assert failures.is_final(FfmpegFailed(code, "")) is final


def test_a_clip_that_does_not_decode_is_damage_of_our_own() -> None:
    error = failures.not_decoded(FfmpegFailed(183, "Invalid NAL unit size"))

    assert (type(error), error.code) == (Fatal, Code.CORRUPTED)


def test_a_complaint_is_shown_in_one_line_without_secrets_and_control_characters() -> None:
    said = failures.shown("\n\x1b[31m https://me:hunter2hunter2@example.org: no\nmore\n")

    assert said == "�[31m https://[redacted]@example.org: no"


def test_a_long_complaint_is_cut() -> None:
    assert len(failures.shown("x" * 5000)) == 300
