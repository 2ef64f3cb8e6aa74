"""Uploads in one request (`multipart`), and in parts that are an object once the last one is there (`resumable`)."""

import base64
import hashlib
import json
import re
import secrets
from dataclasses import dataclass, field
from typing import Any

import google_crc32c
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.fakes.gcs.errors import error
from tests.fakes.gcs.shelf import Kept, Shelf, refused

STEP = 256 * 1024
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


@dataclass
class Upload:
    """One under way: an address that takes parts."""

    metadata: dict[str, Any]
    query: dict[str, str]
    data: bytearray = field(default_factory=bytearray)
    made: Kept | None = None


@dataclass
class Uploads:
    """All that are under way in a bucket."""

    bucket: str
    shelf: Shelf
    open: dict[str, Upload] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)
    # how much of the next part is taken, when it is not all of it
    takes: int | None = None

    def whole(self, request: Request, body: bytes) -> Response:
        """Metadata and bytes in one request."""
        metadata, content_type, data = _related(request.headers["content-type"], body)
        return self._make({"contentType": content_type, **metadata}, dict(request.query_params), data)

    def begin(self, request: Request, body: bytes) -> Response:
        query, metadata = dict(request.query_params), json.loads(body or b"{}")
        if answer := refused(query, self.shelf.get(metadata["name"])):
            return answer
        metadata.setdefault("contentType", request.headers.get("x-upload-content-type"))
        name = secrets.token_urlsafe(16)
        self.open[name] = Upload(metadata, query)
        return Response(headers={"location": str(request.url.include_query_params(upload_id=name))})

    def part(self, request: Request, body: bytes) -> Response:
        name = request.query_params["upload_id"]
        if name in self.cancelled or name not in self.open:
            return Response(status_code=499) if name in self.cancelled else error(410)
        upload, said = self.open[name], _RANGE.fullmatch(request.headers["content-range"])
        if said is None:
            return error(400, "Failed to parse Content-Range header.")
        if upload.made:
            return JSONResponse(upload.made.resource(self.bucket))
        start, _end, total = said.groups()
        if start is not None and (answer := self._take(upload, int(start), body, is_last=total != "*")):
            return answer
        if total == "*" or len(upload.data) < int(total):
            return _so_far(upload)
        return self._finished(upload, request.headers.get("x-goog-hash"))

    def cancel(self, request: Request) -> Response:
        name = request.query_params["upload_id"]
        if self.open.pop(name, None):
            self.cancelled.add(name)
        return Response(status_code=499)

    def _take(self, upload: Upload, start: int, body: bytes, *, is_last: bool) -> Response | None:
        if start > len(upload.data):
            return error(503)
        if not is_last and len(body) % STEP:
            return error(400, "Chunk size must be a multiple of 262144.")
        taken, self.takes = body[: self.takes], None
        # what is there already is not taken twice
        upload.data += taken[len(upload.data) - start :]
        return None

    def _finished(self, upload: Upload, hashes: str | None) -> Response:
        metadata = upload.metadata | {
            {"crc32c": "crc32c", "md5": "md5Hash"}[name]: value
            for name, _, value in (each.strip().partition("=") for each in (hashes or "").split(",") if each)
        }
        answer = self._make(metadata, upload.query, bytes(upload.data))
        if answer.status_code == 200:
            upload.made = self.shelf.get(upload.metadata["name"])
        return answer

    def _make(self, metadata: dict[str, Any], query: dict[str, str], data: bytes) -> Response:
        name = metadata["name"]
        for said, found in (("crc32c", google_crc32c.Checksum(data).digest()), ("md5Hash", hashlib.md5(data).digest())):
            calculated = base64.b64encode(found).decode()
            if metadata.get(said, calculated) != calculated:
                return error(400, f"Provided {said} {metadata[said]!r} doesn't match calculated {calculated!r}.")
        if answer := refused(query, self.shelf.get(name)):
            return answer
        return JSONResponse(self.shelf.put(name, data, metadata.get("contentType")).resource(self.bucket))


def _so_far(upload: Upload) -> Response:
    headers = {"range": f"bytes=0-{len(upload.data) - 1}"} if upload.data else {}
    return Response(status_code=308, headers=headers)


def _related(content_type: str, body: bytes) -> tuple[dict[str, Any], str, bytes]:
    """`multipart/related`: JSON, then the bytes with their type."""
    found = re.search(r'boundary="?([^";]+)"?', content_type)
    assert found, content_type
    line = f"--{found[1]}".encode()
    _, first, second, end = body.split(line)
    assert end.strip() == b"--", end
    metadata = json.loads(first.partition(b"\r\n\r\n")[2])
    head, _, data = second.partition(b"\r\n\r\n")
    said = re.search(rb"content-type: *(.+)", head, re.IGNORECASE)
    assert said, head
    return metadata, said[1].strip().decode(), data.removesuffix(b"\r\n")
