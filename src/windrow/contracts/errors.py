"""The one error family.

    WindrowError
    ├── RetryableTransient    the network, a limit, a source that is away for a while    30 s … 10 min
    │   └── RateLimited       the source said how long to wait
    ├── Conflict              somebody else was first: compare-and-set, lock, deadlock    5 s … 1 min
    ├── ValidationFailure     what we were given is malformed                             never retried
    └── Fatal                 only a person can help: credentials, specs, corrupted state

The class decides what happens next (`contracts.retry`), the code says what happened, the hint says what a person can do.
Each boundary translates what its library raises exactly once, by registering with `classify`; nobody parses messages.
"""

import errno
import json
from enum import StrEnum
from functools import singledispatch
from typing import ClassVar


class Code(StrEnum):
    """What happened. The set is closed: a new code is a new line here."""

    # RetryableTransient
    NETWORK = "NETWORK"  # connection refused, reset, name not resolved
    TIMEOUT = "TIMEOUT"
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "UNAVAILABLE"  # the other side answers that it cannot serve now
    DATABASE_UNREACHABLE = "DATABASE_UNREACHABLE"
    TEMPORAL_UNREACHABLE = "TEMPORAL_UNREACHABLE"
    STORAGE_UNAVAILABLE = "STORAGE_UNAVAILABLE"
    UNKNOWN = "UNKNOWN"  # an exception nobody mapped: transient until its budget is spent
    # Conflict
    CAS_MISMATCH = "CAS_MISMATCH"
    CONTENTION = "CONTENTION"  # serialization failure, deadlock, lock timeout
    LEASE_LOST = "LEASE_LOST"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    ALREADY_RUNNING = "ALREADY_RUNNING"
    # ValidationFailure
    INVALID = "INVALID"
    INVALID_KEY = "INVALID_KEY"
    INVALID_VALUE = "INVALID_VALUE"
    TOO_LARGE = "TOO_LARGE"
    INPUT_TOO_LARGE = "INPUT_TOO_LARGE"  # what a job was to work on is more than it may take in
    UNREADABLE = "UNREADABLE"  # a source whose format nobody knows, or that is damaged
    NO_VIDEO = "NO_VIDEO"
    OUT_OF_RANGE = "OUT_OF_RANGE"  # a stretch that the source does not have
    NOT_FOUND = "NOT_FOUND"
    GONE = "GONE"  # it was there, or could have been, and is not any more
    REQUEST_REUSED = "REQUEST_REUSED"  # one request id or idempotency key, two different requests
    CONTENT_TYPE = "CONTENT_TYPE"
    REFUSED = "REFUSED"  # the other side says that our request is wrong (4xx)
    # Fatal
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    CREDENTIAL_MISSING = "CREDENTIAL_MISSING"
    ADDRESS_REFUSED = "ADDRESS_REFUSED"  # an address that the operator has not allowed
    CONFIGURATION = "CONFIGURATION"
    SCHEMA_NEWER = "SCHEMA_NEWER"
    SCHEMA_MISSING = "SCHEMA_MISSING"
    CORRUPTED = "CORRUPTED"
    DATA_VERSION = "DATA_VERSION"  # an engine's data was written by another major version of it
    DISK_FULL = "DISK_FULL"
    READ_ONLY = "READ_ONLY"
    PORT_TAKEN = "PORT_TAKEN"
    ENGINE_FAILED = "ENGINE_FAILED"
    RETRIES_EXHAUSTED = "RETRIES_EXHAUSTED"  # a job that failed as often as it may


class WindrowError(Exception):
    """An error of ours: a message in one line, a code, and where there is one, the next step for a person."""

    default_code: ClassVar[Code] = Code.UNKNOWN

    def __init__(self, message: str, *, code: Code | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint

    @property
    def error_class(self) -> str:
        """The name of the family member that decides about retries."""
        return next(base.__name__ for base in type(self).__mro__ if base in FAMILY)


class RetryableTransient(WindrowError):
    """Worth another try by itself, later."""

    default_code = Code.UNAVAILABLE


class RateLimited(RetryableTransient):
    """The other side asked us to slow down; `retry_after` is in seconds, None when it did not say."""

    default_code = Code.RATE_LIMITED

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class Conflict(WindrowError):
    """Somebody else was first; look again and retry."""

    default_code = Code.CAS_MISMATCH


class ValidationFailure(WindrowError):
    """Trying again with the same input can only fail again."""

    default_code = Code.INVALID


class Fatal(WindrowError):
    """Nothing goes on until a person has acted."""

    default_code = Code.CONFIGURATION


FAMILY: tuple[type[WindrowError], ...] = (RetryableTransient, Conflict, ValidationFailure, Fatal)

_OS_ERRORS: dict[int, tuple[type[WindrowError], Code, str]] = {
    errno.ENOSPC: (Fatal, Code.DISK_FULL, "free some space on that disk, then try again"),
    errno.EDQUOT: (Fatal, Code.DISK_FULL, "the disk quota is used up; free some space, then try again"),
    errno.EFBIG: (Fatal, Code.DISK_FULL, "a limit on the size of files was met; raise it (ulimit -f), then try again"),
    errno.EROFS: (Fatal, Code.READ_ONLY, "choose a directory that can be written (WINDROW_HOME)"),
    errno.EADDRINUSE: (Fatal, Code.PORT_TAKEN, "choose another port, or stop what is using it"),
    errno.ENAMETOOLONG: (ValidationFailure, Code.INVALID, "choose a shorter path"),
}


@singledispatch
def classify(error: BaseException) -> WindrowError:
    """Our error for any exception. What nobody mapped is transient until its budget is spent."""
    return RetryableTransient(f"{type(error).__name__}: {error}", code=Code.UNKNOWN)


@classify.register
def _(error: WindrowError) -> WindrowError:
    return error


@classify.register
def _(error: TimeoutError) -> WindrowError:
    return RetryableTransient(str(error) or "timed out", code=Code.TIMEOUT)


@classify.register
def _(error: ConnectionError) -> WindrowError:
    return RetryableTransient(str(error) or type(error).__name__, code=Code.NETWORK)


@classify.register
def _(error: FileNotFoundError) -> WindrowError:
    return ValidationFailure(_plain(error) or "not there", code=Code.NOT_FOUND, hint="check the path")


@classify.register
def _(error: PermissionError) -> WindrowError:
    return Fatal(_plain(error) or "not permitted", code=Code.FORBIDDEN, hint="check the permissions of that path")


@classify.register(json.JSONDecodeError)
@classify.register(UnicodeDecodeError)
def _(error: ValueError) -> WindrowError:
    # what is malformed stays so, however often it is read
    return ValidationFailure(str(error), code=Code.INVALID_VALUE)


@classify.register
def _(error: OSError) -> WindrowError:
    # a missing number is how the resolver and some wrappers raise: the network, not the disk
    kind, code, hint = _OS_ERRORS.get(error.errno or 0, (RetryableTransient, Code.NETWORK, None))
    return kind(_plain(error), code=code, hint=hint)


def _plain(error: OSError) -> str:
    """What the system says, and of which file; its number is for machines."""
    said = error.strerror or str(error)
    return f"{error.filename}: {said}" if isinstance(error.filename, str) else said
