"""Errors as Google writes them."""

from starlette.responses import JSONResponse, Response

_SAID = {
    400: ("invalid", "global", "Invalid argument."),
    401: ("authError", "global", "Invalid Credentials"),
    403: ("forbidden", "global", "windrow@acme.iam does not have storage.objects.create access to the object."),
    404: ("notFound", "global", "The specified bucket does not exist."),
    409: ("conflict", "global", "The request conflicts with another one."),
    410: ("gone", "global", "The upload session is no longer available."),
    412: ("conditionNotMet", "global", "At least one of the pre-conditions you specified did not hold."),
    416: ("requestedRangeNotSatisfiable", "global", "The requested range cannot be satisfied."),
    429: ("rateLimitExceeded", "usageLimits", "The object exceeded the rate limit for object mutation operations."),
    500: ("internalError", "global", "We encountered an internal error.\nPlease try again."),
    503: ("backendError", "global", "We encountered an internal error.\nPlease try again."),
}


def error(status: int, message: str | None = None, reason: str | None = None) -> Response:
    """`{"error": {"code", "message", "errors": [{"message", "domain", "reason"}]}}`"""
    usual, domain, said = _SAID[status]
    message = message or said
    detail = {"message": message, "domain": domain, "reason": reason or usual}
    return JSONResponse({"error": {"code": status, "message": message, "errors": [detail]}}, status)


def no_object(bucket: str, name: str) -> Response:
    return error(404, f"No such object: {bucket}/{name}")
