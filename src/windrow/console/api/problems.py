"""What the API answers where it cannot do what it is asked: one shape for every operation, and FastAPI's faults in it."""

from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field

from windrow.contracts.errors import Code, ValidationFailure, WindrowError, classify
from windrow.web.problem import MEDIA_TYPE

_LONGEST = 1000


class Problem(BaseModel):
    """Problem details (RFC 9457). `code` says what happened, `hint` what to do, `request_id` where the log tells more."""

    type: str
    title: str = Field(description="The class of the error, which decides whether trying again can help.")
    status: int
    detail: str
    code: Code
    hint: str | None
    correlation_id: str
    request_id: str


DEFAULT: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "Anything else: problem details.",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}


@classify.register
def _(error: RequestValidationError) -> WindrowError:
    """What is wrong, by place; values are not repeated, since one of them may be a secret."""
    faults = error.errors()
    told = "; ".join(_told(fault) for fault in faults)
    unread = any(fault["type"] == "json_invalid" for fault in faults)
    return ValidationFailure(
        "the body is not JSON" if unread else f"the request is not what is asked for: {told[:_LONGEST]}",
        code=Code.INVALID if unread else Code.INVALID_VALUE,
        hint="GET /api/v1/openapi.json tells what each operation takes",
    )


def _told(fault: dict[str, Any]) -> str:
    place = ".".join(str(part)[:80] for part in fault["loc"])
    return f"{place}: {str(fault['msg'])[:200]}"
