"""The one error shape: problem details (RFC 9457), made from the error family.

What went wrong inside of us is told by its class and code alone; the words are in the log, under the request's id.
"""

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

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
from windrow.telemetry import redact

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = 5

_BY_CODE = {
    Code.INVALID_VALUE: 422,
    Code.TOO_LARGE: 413,
    Code.NOT_FOUND: 404,
    Code.GONE: 410,
    Code.REQUEST_REUSED: 409,
    Code.CONTENT_TYPE: 415,
    # somebody else refused our request: no fault of the caller's
    Code.REFUSED: 502,
}
# what a refusal means to whoever was refused: to wait, to look again, to ask a person; anything else is a wrong request
_BY_STATUS: dict[int, type[WindrowError]] = {
    401: Fatal,
    403: Fatal,
    408: RetryableTransient,
    409: Conflict,
    412: Conflict,
    429: RetryableTransient,
}
_INSIDE = "something failed inside of Windrow"
# what passes by itself is said, without where our engines are
_AWAY = {
    Code.DATABASE_UNREACHABLE: "the database does not answer; try again in a moment",
    Code.TEMPORAL_UNREACHABLE: "Temporal does not answer; try again in a moment",
}


class Refusal(ValidationFailure):
    """What cannot be taken, for a reason that HTTP has a number for."""

    def __init__(
        self, status: int, message: str, *, code: Code, hint: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.status, self.headers = status, headers or {}

    @property
    def error_class(self) -> str:
        return _BY_STATUS.get(self.status, ValidationFailure).__name__


class Away(RetryableTransient):
    """What cannot be done now since somebody else is away (503): unlike what fails inside of us, the caller is told."""


def status_of(error: WindrowError) -> int:
    """The number by which HTTP tells the classes apart; of what is malformed, the code says how."""
    match error:
        case Refusal():
            return error.status
        case ValidationFailure():
            return _BY_CODE.get(error.code, 400)
        case Conflict():
            return 409
        case RetryableTransient() if error.code is not Code.UNKNOWN:
            return 503
        case _:
            return 500


def problem(error: WindrowError, *, correlation_id: str, request_id: str) -> dict[str, Any]:
    """The members of the document."""
    status = status_of(error)
    ours = status >= 500 and not isinstance(error, Away)
    inside = _AWAY.get(error.code, _INSIDE)
    return {
        "type": "about:blank",
        "title": error.error_class,
        "status": status,
        "detail": inside if ours else redact(error.message),
        "code": error.code,
        "hint": f"the log tells more under the request_id {request_id}" if ours else error.hint,
        "correlation_id": correlation_id,
        "request_id": request_id,
    }


def answer(error: WindrowError, *, correlation_id: str, request_id: str) -> Response:
    """The document, with the headers that belong to its status."""
    told = problem(error, correlation_id=correlation_id, request_id=request_id)
    headers = dict(error.headers) if isinstance(error, Refusal) else {}
    if told["status"] == 503:
        wait = error.retry_after if isinstance(error, RateLimited) else None
        headers["retry-after"] = str(max(1, round(wait or RETRY_AFTER)))
    body = json.dumps(told, ensure_ascii=True).encode()
    return Response(body, told["status"], headers, media_type=MEDIA_TYPE)


@classify.register
def _(error: HTTPException) -> WindrowError:
    """What Starlette's router raises: no such page, no such method."""
    code = Code.NOT_FOUND if error.status_code == 404 else Code.INVALID
    hint = "check the address and the method: docs/how-to/api.md lists them"
    return Refusal(error.status_code, error.detail, code=code, hint=hint, headers=dict(error.headers or {}))
