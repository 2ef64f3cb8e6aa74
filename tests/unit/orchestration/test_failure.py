"""Failures across Temporal: what went in comes out, and what nobody knows is transient."""

import pytest
from temporalio.exceptions import ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TemporalTimeout

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.orchestration.failure import Failure

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
