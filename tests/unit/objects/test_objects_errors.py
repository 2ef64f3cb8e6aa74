"""What obstore raises, in our family."""

import errno

import pytest
from obstore import exceptions

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.objects import open_objects
from windrow.objects.errors import storage_error
from windrow.objects.local import LocalObjects
from windrow.objects.memory import MemoryObjects
from windrow.objects.s3 import S3Objects


@pytest.mark.parametrize(
    ("raised", "kind", "code"),
    [
        (exceptions.GenericError, RetryableTransient, Code.STORAGE_UNAVAILABLE),
        (exceptions.JoinError, RetryableTransient, Code.STORAGE_UNAVAILABLE),
        (exceptions.UnauthenticatedError, Fatal, Code.UNAUTHORIZED),
        (exceptions.PermissionDeniedError, Fatal, Code.FORBIDDEN),
        (exceptions.AlreadyExistsError, Conflict, Code.ALREADY_EXISTS),
        (exceptions.PreconditionError, Conflict, Code.CAS_MISMATCH),
        (exceptions.InvalidPathError, ValidationFailure, Code.INVALID_KEY),
        (exceptions.NotSupportedError, Fatal, Code.CONFIGURATION),
        (exceptions.UnknownConfigurationKeyError, Fatal, Code.CONFIGURATION),
    ],
)
def test_every_error_of_obstore_is_one_of_ours_in_one_line(
    raised: type[Exception], kind: type[WindrowError], code: Code
) -> None:
    error = classify(raised("what happened\n\nDebug source:\nGeneric { many: lines }"))

    assert type(error) is kind
    assert (error.code, error.message) == (code, "what happened")


@pytest.mark.parametrize(
    ("number", "kind", "code"),
    [
        (errno.ENOSPC, Fatal, Code.DISK_FULL),
        (errno.EDQUOT, Fatal, Code.DISK_FULL),
        (errno.EROFS, Fatal, Code.READ_ONLY),
        (errno.EACCES, Fatal, Code.FORBIDDEN),
        (errno.EIO, RetryableTransient, Code.STORAGE_UNAVAILABLE),
    ],
)
def test_an_error_of_the_disk_says_what_was_being_done(number: int, kind: type[WindrowError], code: Code) -> None:
    error = storage_error(OSError(number, "it did not work"), "cannot put the object 'a'")

    assert (type(error), error.code) == (kind, code)
    assert error.message.startswith("cannot put the object 'a': ")


@pytest.mark.req("EV-13")
@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("file:/var/lib/windrow/objects", LocalObjects),
        ("file:relative", LocalObjects),
        ("memory:", MemoryObjects),
        ("s3://bucket", S3Objects),
        ("s3://bucket/some/prefix/", S3Objects),
    ],
)
def test_a_setting_names_the_store(url: str, kind: type[object]) -> None:
    assert isinstance(open_objects(url, region="eu-west-1"), kind)


@pytest.mark.parametrize("url", ["", "file:", "s3:", "s3://", "s3:///prefix", "ftp://x", "memory:x", "/var/lib"])
def test_what_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(Fatal) as raised:
        open_objects(url)

    assert raised.value.code is Code.CONFIGURATION
    assert "WINDROW_OBJECT_STORE" in str(raised.value.hint)


@pytest.mark.parametrize("prefix", ["x" * 59, "../x", "/x", "a//b"])
def test_a_prefix_that_leaves_no_room_or_climbs_is_refused(prefix: str) -> None:
    with pytest.raises(Fatal) as raised:
        S3Objects("bucket", prefix, region="eu-west-1")

    assert raised.value.code is Code.CONFIGURATION


def test_a_store_that_asks_for_patience_is_tried_again_later() -> None:
    error = storage_error(RateLimited("slow down", retry_after=3), "cannot put the object 'a'")

    assert isinstance(error, RetryableTransient)
    assert error.code is Code.RATE_LIMITED
