"""Reading an object: one version of it, as it is stored, taken up again where the connection broke."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from google.api_core.exceptions import NotFound, from_http_response
from google.cloud.storage.exceptions import DataCorruption
from urllib3.exceptions import ProtocolError

from windrow.contracts.errors import Code, Fatal
from windrow.objects.content_type import OCTETS
from windrow.objects.driver import Head
from windrow.objects.errors import changed, not_found
from windrow.objects.gcs.bucket import TIMEOUT, Bucket
from windrow.objects.gcs.checksum import Checksum

CHUNK = 1024 * 1024


class Download:
    """An object to read. Its connection is held from the beginning: later, another version may be in its place.

    Google's client has no such thing: it reads to the end, or asks anew for every piece.
    """

    def __init__(self, bucket: Bucket, name: str, key: str, start: int = 0) -> None:
        self._bucket, self._key = bucket, key
        self._address = f"{bucket.endpoint}/download/storage/v1/b/{bucket.name}/o/{quote(name, safe='')}"
        self._answer: Any = None
        self._start = self._offset = start
        self._checksum = Checksum()

    def open(self) -> None:
        """In a thread: nothing else works before."""
        try:
            self._answer = self._bucket.retry(self._opened)()
        except NotFound:
            raise not_found(self._key) from None
        self._told = self._answer.headers.get("x-goog-hash")
        self.head = _head(self._key, self._answer.headers)

    async def chunks(self) -> AsyncIterator[bytes]:
        while chunk := await self._bucket.ask(self._bucket.retry(self._next)):
            yield chunk

    async def aclose(self) -> None:
        if self._answer is not None:
            self._answer.close()

    def _next(self) -> bytes:
        if self._answer is None:
            self._answer = self._resumed()
        try:
            chunk = self._read()
        except Exception:
            self._answer.close()
            self._answer = None
            raise
        self._offset += len(chunk)
        self._checksum.update(chunk)
        # what is told is of the whole
        if not chunk and not self._start and not self._checksum.agrees(self._told):
            raise DataCorruption(self._answer, "the checksum does not agree")
        return chunk

    def _read(self) -> bytes:
        # as it is stored: size and checksum are of that, whatever its content encoding is
        chunk: bytes = self._answer.raw.read(CHUNK, decode_content=False)
        if not chunk and self._offset != self.head.size:
            raise ProtocolError("the answer ended early")
        return chunk

    def _opened(self) -> Any:
        return self._ranged({}) if self._start else self._get({}, {})

    def _resumed(self) -> Any:
        try:
            return self._ranged({"generation": self.head.etag})
        except NotFound:
            raise changed(self._key) from None

    def _ranged(self, version: dict[str, str]) -> Any:
        answer = self._get(version, {"range": f"bytes={self._offset}-"})
        if answer.headers.get("content-range", "").startswith(f"bytes {self._offset}-"):
            return answer
        answer.close()
        raise ProtocolError("the answer is of another range")

    def _get(self, version: dict[str, str], part: dict[str, str]) -> Any:
        answer = self._bucket.line.session.get(
            self._address,
            params={"alt": "media", **version},
            headers={"accept-encoding": "gzip", **part},
            timeout=TIMEOUT,
            stream=True,
            allow_redirects=False,
        )
        if answer.status_code in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            return answer
        with answer:
            raise from_http_response(answer)  # type: ignore[no-untyped-call]


def _head(key: str, headers: Any) -> Head:
    try:
        # of a part, the range tells how much there is in all
        whole = headers.get("content-range", "").rpartition("/")[2]
        size = int(headers.get("x-goog-stored-content-length") or whole or headers["content-length"])
        generation = int(headers["x-goog-generation"])
    except (KeyError, ValueError) as error:
        raise Fatal(
            "what answers is not Google Cloud Storage: it names no size or no generation",
            code=Code.CONFIGURATION,
            hint="check WINDROW_OBJECT_STORE_ENDPOINT",
        ) from error
    return Head(key, size, str(generation), _updated(headers, generation), headers.get("content-type") or OCTETS)


def _updated(headers: Any, generation: int) -> datetime:
    try:
        return parsedate_to_datetime(headers["last-modified"])
    except (KeyError, ValueError):
        # a generation counts the microseconds until it was made
        return datetime.fromtimestamp(generation / 1e6, UTC)
