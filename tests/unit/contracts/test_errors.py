"""The error family: what decides about retries, and how foreign exceptions map into it."""

import errno

import httpx2  # noqa: F401 - the mapping below must not depend on what else was imported
import psycopg
import pytest
from psycopg import errors as pg

from windrow.contracts.errors import (
    FAMILY,
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.postgres import pool  # noqa: F401 - registers psycopg's exceptions


@pytest.mark.parametrize(
    ("raised", "kind", "code"),
    [
        (ConnectionResetError(errno.ECONNRESET, "reset"), RetryableTransient, Code.NETWORK),
        (TimeoutError(), RetryableTransient, Code.TIMEOUT),
        (OSError(errno.ENOSPC, "no room"), Fatal, Code.DISK_FULL),
        (OSError(errno.EROFS, "read-only"), Fatal, Code.READ_ONLY),
        (PermissionError(errno.EACCES, "denied"), Fatal, Code.FORBIDDEN),
        (FileNotFoundError(errno.ENOENT, "gone"), ValidationFailure, Code.NOT_FOUND),
        (OSError(errno.EADDRINUSE, "taken"), Fatal, Code.PORT_TAKEN),
        (RuntimeError("what?"), RetryableTransient, Code.UNKNOWN),
        (pg.SerializationFailure(), Conflict, Code.CONTENTION),
        (pg.DeadlockDetected(), Conflict, Code.CONTENTION),
        (pg.LockNotAvailable(), Conflict, Code.CONTENTION),
        (pg.UniqueViolation(), Conflict, Code.ALREADY_EXISTS),
        (pg.AdminShutdown(), RetryableTransient, Code.DATABASE_UNREACHABLE),
        (pg.TooManyConnections(), RetryableTransient, Code.UNAVAILABLE),
        (pg.DiskFull(), Fatal, Code.DISK_FULL),
        (pg.InvalidPassword(), Fatal, Code.UNAUTHORIZED),
        (pg.InsufficientPrivilege(), Fatal, Code.FORBIDDEN),
        (pg.UndefinedTable(), Fatal, Code.SCHEMA_MISSING),
        (pg.UntranslatableCharacter(), ValidationFailure, Code.INVALID_VALUE),
        (pg.CheckViolation(), ValidationFailure, Code.INVALID_VALUE),
        (pg.ReadOnlySqlTransaction(), Fatal, Code.READ_ONLY),
        (psycopg.OperationalError("connection refused"), RetryableTransient, Code.DATABASE_UNREACHABLE),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_a_foreign_exception_becomes_one_of_the_family(
    raised: BaseException, kind: type[WindrowError], code: Code
) -> None:
    ours = classify(raised)

    assert isinstance(ours, kind)
    assert ours.code is code


def test_our_own_errors_stay_as_they_are() -> None:
    error = RateLimited("slow down", retry_after=3)

    assert classify(error) is error
    assert error.error_class == "RetryableTransient"


def test_every_error_belongs_to_exactly_one_class_of_the_family() -> None:
    def leaves(kind: type[WindrowError]) -> set[type[WindrowError]]:
        children = kind.__subclasses__()
        return {kind} if not children else {leaf for child in children for leaf in leaves(child)}

    for kind in leaves(WindrowError):
        assert sum(issubclass(kind, member) for member in FAMILY) == 1, kind


def test_a_database_message_is_one_line_however_many_it_came_in() -> None:
    assert "\n" not in classify(psycopg.OperationalError("one\n\ttwo\nthree")).message


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "a.yaml"), "a.yaml: No such file or directory"),
        (PermissionError(errno.EACCES, "Permission denied", "/home/x"), "/home/x: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("of a wrapper"), "of a wrapper"),
        (FileNotFoundError(), "not there"),
    ],
)
def test_what_the_system_says_of_a_file_is_told_with_its_name_and_without_a_number(raised: OSError, said: str) -> None:
    assert classify(raised).message == said
