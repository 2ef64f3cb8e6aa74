"""What goes wrong with the source's server, in our family.

`windrow.postgres.errors` says what the same states mean for our own database; here the server is somebody else's.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.telemetry import redact

LONGEST_WORD = 300
_LOGIN = "check `user` and its credential: the server does not let this login in"
_GRANT = "grant the login what it needs: CONNECT on the database, USAGE on its schemas"
_FOREIGN = "the connector needs PostgreSQL 13 or later"


class Shut(Fatal):
    """This database does not let us in; others of the same server may."""


# by SQLSTATE, then by its class (the first two characters)
_STATES: dict[str, tuple[type[WindrowError], Code, str | None]] = {
    "28P01": (Fatal, Code.UNAUTHORIZED, _LOGIN),
    "28000": (Shut, Code.UNAUTHORIZED, "check `user`, and what pg_hba.conf of the server says about it"),
    "3D000": (Shut, Code.CONFIGURATION, "check `database`: the server has no such one"),
    "55000": (Shut, Code.CONFIGURATION, "choose another `database`: this one takes no connections"),
    "42501": (Shut, Code.FORBIDDEN, _GRANT),
    "40001": (Conflict, Code.CONTENTION, None),
    "40P01": (Conflict, Code.CONTENTION, None),
    "55P03": (Conflict, Code.CONTENTION, "something on the server holds a lock on its catalogs"),
    "57014": (RetryableTransient, Code.TIMEOUT, None),
}
_CLASSES: dict[str, tuple[type[WindrowError], Code, str | None]] = {
    "08": (RetryableTransient, Code.NETWORK, None),
    "28": (Fatal, Code.UNAUTHORIZED, _LOGIN),
    "42": (Fatal, Code.CONFIGURATION, _FOREIGN),
    "0A": (Fatal, Code.CONFIGURATION, _FOREIGN),
}


def failure(said: str, state: str | None) -> WindrowError:
    """Our error for what the server said; states that nobody listed are taken for passing trouble."""
    found = _STATES.get(state or "") or _CLASSES.get((state or "")[:2])
    kind, code, hint = found or (RetryableTransient, Code.UNAVAILABLE if state else Code.NETWORK, None)
    return kind(f"the source's server: {one_line(said)}", code=code, hint=hint)


def one_line(said: str) -> str:
    """The server's words, safe to be shown."""
    return redact(" ".join(said.split()))[:LONGEST_WORD] or "no answer"


def too_much(most: int) -> ValidationFailure:
    """For an answer that is longer than anything we asked for."""
    return ValidationFailure(
        f"the source's server answers with more than {most} rows",
        code=Code.TOO_LARGE,
        hint="harvest it by several endpoints, each with some of its `databases` or `schemas`",
    )


def too_slow(seconds: float) -> RetryableTransient:
    """For a server that does not answer."""
    return RetryableTransient(f"the source's server took longer than {seconds:g} s", code=Code.TIMEOUT)


@contextmanager
def translated() -> Iterator[None]:
    """What psycopg raises inside leaves as ours."""
    try:
        yield
    except psycopg.Error as error:
        raise failure(error.diag.message_primary or str(error), error.sqlstate) from error
