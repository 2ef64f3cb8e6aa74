"""Media: an object's bytes, whole or a range of them."""

import re
from email.utils import format_datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from tests.fakes.gcs.errors import error
from tests.fakes.gcs.shelf import Kept

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def media(request: Request, kept: Kept) -> Response:
    headers = {
        "content-type": kept.content_type or "application/octet-stream",
        "etag": f'"{kept.generation}/{kept.metageneration}"',
        "last-modified": format_datetime(kept.updated, usegmt=True),
        "x-goog-generation": str(kept.generation),
        "x-goog-metageneration": str(kept.metageneration),
        "x-goog-stored-content-length": str(len(kept.data)),
        "x-goog-stored-content-encoding": "identity",
        "x-goog-hash": f"crc32c={kept.crc32c}, md5={kept.md5}",
    }
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    if asked is None:
        return Response(kept.data, headers=headers)
    first, last = _bounds(asked, len(kept.data))
    if first >= len(kept.data):
        return error(416)
    headers["content-range"] = f"bytes {first}-{last}/{len(kept.data)}"
    return Response(kept.data[first : last + 1], 206, headers)


def _bounds(asked: re.Match[str], size: int) -> tuple[int, int]:
    first, last = asked.groups()
    if not first:
        return max(size - int(last), 0), size - 1
    return int(first), min(int(last), size - 1) if last else size - 1


class Cut(Response):
    """An answer whose connection breaks after some of its bytes."""

    def __init__(self, whole: Response, after: int) -> None:
        super().__init__(bytes(whole.body)[:after], whole.status_code)
        self.raw_headers = whole.raw_headers

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        # the server closes the connection of whoever does not keep what the headers said
        raise ConnectionAbortedError("cut")
