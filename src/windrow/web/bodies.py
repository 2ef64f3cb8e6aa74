"""Bodies of requests, within their bounds of bytes and time; and of answers."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from windrow.contracts.errors import Code, ValidationFailure
from windrow.web.problem import Refusal

T = TypeVar("T")

_LENGTH = re.compile(r"[0-9]{1,18}", re.ASCII)


def slow_client() -> Refusal:
    return Refusal(408, "the request took too long to arrive", code=Code.TIMEOUT, hint="send it faster, or in one go")


def announced_length(request: Request) -> int | None:
    """How long the body is going to be, if that is said."""
    said = request.headers.get("content-length")
    if said is None:
        return None
    if not _LENGTH.fullmatch(said):
        raise Refusal(400, "the content-length is no number", code=Code.INVALID)
    return int(said)


async def chunks(request: Request, *, idle_seconds: float, seconds: float) -> AsyncIterator[bytes]:
    """The body piece by piece. A client that goes away raises `ClientDisconnect`, one that dawdles is refused."""
    deadline = asyncio.get_running_loop().time() + seconds
    more = True
    while more:
        left = deadline - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(min(idle_seconds, left)):
                message = await request.receive()
        except TimeoutError:
            raise slow_client() from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if body := message.get("body", b""):
            yield body


async def read_json(request: Request, kind: type[T], *, most: int, idle_seconds: float, seconds: float) -> T:
    """The body as a value of the given kind; what it is not is said."""
    check_json_headers(request)
    return decoded(await read_body(request, most=most, idle_seconds=idle_seconds, seconds=seconds), kind)


async def read_body(request: Request, *, most: int, idle_seconds: float, seconds: float) -> bytes:
    """The whole body, which is not packed."""
    check_plain(request)
    return await read_wire(request, most=most, idle_seconds=idle_seconds, seconds=seconds)


async def read_wire(request: Request, *, most: int, idle_seconds: float, seconds: float) -> bytes:
    """The whole body as it is on the wire, packed or not: it is bounded as it is, and nobody unpacks it."""
    if (announced_length(request) or 0) > most:
        raise _too_large(most)
    received = bytearray()
    async for chunk in chunks(request, idle_seconds=idle_seconds, seconds=seconds):
        received += chunk
        if len(received) > most:
            raise _too_large(most)
    return bytes(received)


def decoded(text: bytes, kind: type[T]) -> T:
    """JSON text as a value of the given kind."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise ValidationFailure(
            f"the body is not what is asked for: {error}", code=Code.INVALID_VALUE, hint="see docs/how-to/blobs.md"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ValidationFailure(f"the body is not JSON: {words}", code=Code.INVALID, hint="send one object") from None


def check_json_headers(request: Request) -> None:
    """JSON and nothing else, and not packed."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ValidationFailure(
            f"a body of the type {media_type[:80]!r} is not taken here",
            code=Code.CONTENT_TYPE,
            hint="send application/json",
        )


def check_plain(request: Request) -> None:
    """Bodies are taken as they are: what is packed could be a thousand times what it seems."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ValidationFailure(
            "a packed body is not taken", code=Code.CONTENT_TYPE, hint="send it without a content-encoding"
        )


def _too_large(most: int) -> ValidationFailure:
    return ValidationFailure(
        f"the body has more than {most} bytes", code=Code.TOO_LARGE, hint="content goes to an upload URL, not in here"
    )


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer that is a JSON document."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
