"""Failures across Temporal: what went in comes out, and what nobody knows is transient."""

import json
import socket
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from temporalio.exceptions import ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TemporalTimeout

from windrow import kv
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
from windrow.contracts.keys import Key
from windrow.harvest.guards import is_too_much
from windrow.http.failures import failure as meaning
from windrow.http.response import Response
from windrow.orchestration.failure import Failure

URL = "https://api.example/items"

ERRORS = [
    RetryableTransient("away", code=Code.NETWORK),
    RateLimited("slow down", retry_after=7200.0, hint="wait"),
    RateLimited("slow down"),
    Conflict("moved"),
    ValidationFailure("malformed", code=Code.TOO_LARGE),
    Fatal("revoked", code=Code.UNAUTHORIZED, hint="give it another"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{type(error).__name__}-{error.code}")
def test_an_error_is_the_same_on_the_other_side(error: WindrowError) -> None:
    failure = Failure.read(Failure.of(error).raised())

    assert failure == Failure.of(error)
    assert (failure.error().error_class, failure.error().code) == (error.error_class, error.code)
    assert (failure.error().message, failure.error().hint) == (error.message, error.hint)


def answered(status: int) -> WindrowError:
    """What an API's answer means to a connector."""
    return meaning(Response(status, URL, {}), None)


def raised_by(work: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:
        work()
    return caught.value


TRANSIENT, CONFLICT = timedelta(seconds=30), timedelta(seconds=5)
MEMBERS = {
    "network": (httpx2.ConnectError("refused"), RetryableTransient, TRANSIENT),
    "name not found": (socket.gaierror(socket.EAI_NONAME, "unknown host"), RetryableTransient, TRANSIENT),
    "timeout": (httpx2.ReadTimeout("slow"), RetryableTransient, TRANSIENT),
    "rate limit": (answered(429), RetryableTransient, TRANSIENT),
    "source away": (answered(503), RetryableTransient, TRANSIENT),
    "database away": (psycopg.errors.AdminShutdown(), RetryableTransient, TRANSIENT),
    "kv compare-and-set": (kv.Stale(3, None).conflict(Key.parse("tenant/acme/project/main/x/y")), Conflict, CONFLICT),
    "serialization": (psycopg.errors.SerializationFailure(), Conflict, CONFLICT),
    "deadlock": (psycopg.errors.DeadlockDetected(), Conflict, CONFLICT),
    "lock timeout": (psycopg.errors.LockNotAvailable(), Conflict, CONFLICT),
    "malformed data": (raised_by(lambda: Response(200, URL, {}, body=b"{").json()), ValidationFailure, None),
    "malformed JSON": (raised_by(lambda: json.loads("{")), ValidationFailure, None),
    "not text": (raised_by(lambda: b"\xff".decode()), ValidationFailure, None),
    "schema mismatch": (is_too_much(fetched=100, refused=90), ValidationFailure, None),
    "authorization revoked": (answered(401), Fatal, None),
    "not allowed": (answered(403), Fatal, None),
    "corrupted state": (psycopg.errors.DataCorrupted(), Fatal, None),
}


@pytest.mark.req("MW-25")
@pytest.mark.parametrize(("error", "kind", "first"), MEMBERS.values(), ids=MEMBERS)
def test_what_is_raised_belongs_to_a_class_which_decides_what_follows(
    error: Exception, kind: type[WindrowError], first: timedelta | None
) -> None:
    failure = Failure.read(Failure.of(classify(error)).raised())

    assert failure.error_class == kind.__name__
    assert failure.delay(1, 1.0) == first


def test_the_server_does_not_try_again_by_itself() -> None:
    assert Failure.of(RetryableTransient("away")).raised().non_retryable


def test_the_innermost_word_of_ours_counts() -> None:
    outer = RuntimeError("Activity task failed")
    outer.__cause__ = Failure.of(Fatal("revoked")).raised()

    assert Failure.read(outer).is_fatal


@pytest.mark.parametrize(
    "error",
    [RuntimeError("what is this"), ApplicationError("what is this", type="SomethingElse"), ApplicationError("no type")],
)
def test_what_nobody_mapped_is_transient(error: BaseException) -> None:
    assert (Failure.read(error).error_class, Failure.read(error).code) == ("RetryableTransient", "UNKNOWN")


def test_a_worker_that_was_not_heard_of_any_more_is_a_timeout() -> None:
    error = TemporalTimeout("heartbeat", type=TimeoutType.HEARTBEAT, last_heartbeat_details=[])

    assert (Failure.read(error).error_class, Failure.read(error).code) == ("RetryableTransient", "TIMEOUT")


def test_a_worker_of_another_version_is_understood() -> None:
    newer = ApplicationError("no", {"code": "QUITE_NEW", "message": "no", "colour": "blue"}, type="Fatal")
    older = ApplicationError("no", {}, type="Conflict")

    assert Failure.read(newer) == Failure("Fatal", "QUITE_NEW", "no")
    assert Failure.read(newer).error().code is Code.UNKNOWN
    assert Failure.read(older) == Failure("Conflict", "UNKNOWN", "no")
