"""What psycopg raises, as our error family."""

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)

_UNREACHABLE = (
    "check that the server runs, and what WINDROW_DATABASE_URL says of it; without that, `windrow up` starts one here"
)
_MIGRATE = "migrate the database: `windrow up` does so at its start, `windrow doctor --repair` does so alone"

# by SQLSTATE, then by its class (the first two characters)
_STATES: dict[str, tuple[type[WindrowError], Code, str | None]] = {
    "40001": (Conflict, Code.CONTENTION, None),
    "40P01": (Conflict, Code.CONTENTION, None),
    "55P03": (Conflict, Code.CONTENTION, None),
    "23505": (Conflict, Code.ALREADY_EXISTS, None),
    "57014": (RetryableTransient, Code.TIMEOUT, None),
    "42501": (
        Fatal,
        Code.FORBIDDEN,
        "the login needs the roles windrow_app and windrow_system: see the how-to on databases",
    ),
    "42P01": (Fatal, Code.SCHEMA_MISSING, _MIGRATE),
    "42883": (Fatal, Code.SCHEMA_MISSING, _MIGRATE),
    "3F000": (Fatal, Code.SCHEMA_MISSING, _MIGRATE),
    "3D000": (Fatal, Code.CONFIGURATION, "create that database, or name another in WINDROW_DATABASE_URL"),
    "22023": (Fatal, Code.CONFIGURATION, None),
    "53100": (Fatal, Code.DISK_FULL, "free some space on the database's disk, then try again"),
    "XX001": (Fatal, Code.CORRUPTED, "stop writing, and restore from a backup"),
    "XX002": (Fatal, Code.CORRUPTED, "stop writing, and rebuild the index that it names"),
}
_CLASSES: dict[str, tuple[type[WindrowError], Code, str | None]] = {
    "08": (RetryableTransient, Code.DATABASE_UNREACHABLE, _UNREACHABLE),
    "53": (RetryableTransient, Code.UNAVAILABLE, None),
    "57": (RetryableTransient, Code.DATABASE_UNREACHABLE, _UNREACHABLE),
    "28": (Fatal, Code.UNAUTHORIZED, "check user and password in WINDROW_DATABASE_URL"),
    "22": (ValidationFailure, Code.INVALID_VALUE, None),
    "23": (ValidationFailure, Code.INVALID_VALUE, None),
    "25": (Fatal, Code.READ_ONLY, "this server takes no writes: name its primary in WINDROW_DATABASE_URL"),
    "42": (Fatal, Code.SCHEMA_MISSING, _MIGRATE),
    "54": (ValidationFailure, Code.TOO_LARGE, None),
}


@classify.register
def _(error: psycopg.Error) -> WindrowError:
    state = error.sqlstate or ""
    found = _STATES.get(state) or _CLASSES.get(state[:2])
    if found:
        kind, code, hint = found
        return kind(_first_line(error), code=code, hint=hint)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return RetryableTransient(
            f"the database cannot be reached: {_first_line(error)}", code=Code.DATABASE_UNREACHABLE, hint=_UNREACHABLE
        )
    if isinstance(error, psycopg.DataError):  # refused by the driver before it was sent: a NUL character, for one
        return ValidationFailure(_first_line(error), code=Code.INVALID_VALUE)
    return RetryableTransient(_first_line(error), code=Code.UNKNOWN)


@classify.register(PoolTimeout)
@classify.register(PoolClosed)
@classify.register(TooManyRequests)
def _(error: Exception) -> WindrowError:
    return RetryableTransient(
        f"no database connection could be had: {error}", code=Code.DATABASE_UNREACHABLE, hint=_UNREACHABLE
    )


def _first_line(error: psycopg.Error) -> str:
    message = error.diag.message_primary or str(error)
    return " ".join(message.split()) or type(error).__name__
