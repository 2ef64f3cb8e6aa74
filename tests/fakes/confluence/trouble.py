"""Answers that a site in trouble gives."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

Answer = Callable[[Request | None], Response]


def limited(retry_after: str | None) -> Answer:
    """The budget is spent."""
    headers = {"x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-nearlimit": "true"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    return lambda _: JSONResponse({"message": "Rate limit exceeded."}, 429, headers)


def broken(status: int) -> Answer:
    """A gateway's page, as people would see it."""
    return lambda _: Response(f"<html><body>{status}</body></html>", status, media_type="text/html")
