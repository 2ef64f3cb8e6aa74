"""What a call of Temporal's means to us."""

import pytest
from temporalio.service import RPCError, RPCStatusCode

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError, classify
from windrow.orchestration import connect  # noqa: F401 - registers what Temporal's client raises

MEANINGS: dict[RPCStatusCode, tuple[type[WindrowError], Code]] = {
    RPCStatusCode.UNAUTHENTICATED: (Fatal, Code.UNAUTHORIZED),
    RPCStatusCode.PERMISSION_DENIED: (Fatal, Code.FORBIDDEN),
    RPCStatusCode.UNIMPLEMENTED: (Fatal, Code.FORBIDDEN),
    RPCStatusCode.NOT_FOUND: (ValidationFailure, Code.NOT_FOUND),
    RPCStatusCode.INVALID_ARGUMENT: (ValidationFailure, Code.REFUSED),
    RPCStatusCode.RESOURCE_EXHAUSTED: (RetryableTransient, Code.RATE_LIMITED),
    RPCStatusCode.UNAVAILABLE: (RetryableTransient, Code.TEMPORAL_UNREACHABLE),
    RPCStatusCode.DEADLINE_EXCEEDED: (RetryableTransient, Code.TEMPORAL_UNREACHABLE),
}


@pytest.mark.parametrize("status", MEANINGS, ids=lambda status: status.name)
def test_a_refused_call_belongs_to_a_class(status: RPCStatusCode) -> None:
    ours = classify(RPCError("two\nlines", status, b""))

    kind, code = MEANINGS[status]
    assert isinstance(ours, kind)
    assert ours.code is code
    assert "\n" not in ours.message
