"""A resumable upload: parts sent to an address that Google gives for it. They are an object once the last one is there."""

import re
from http import HTTPStatus
from typing import Any

from google.api_core.exceptions import GoogleAPICallError, NotFound, ServiceUnavailable, from_http_response
from google.cloud.storage.exceptions import DataCorruption

from windrow.contracts.errors import Code, RetryableTransient
from windrow.objects.gcs.bucket import TIMEOUT, Bucket
from windrow.objects.gcs.checksum import Checksum

# a part, which Google wants to be a multiple of 256 KiB; also the most that its client sends in a single request
PART = 8 * 1024 * 1024
_KEPT = re.compile(r"bytes=0-(\d+)", re.ASCII)


class Session:
    """The upload of one object, in a thread. Nothing is seen of it before `finish` has returned.

    Google's client has such uploads, but cannot cancel one, and does not ask how far a broken one got.
    """

    def __init__(self, bucket: Bucket, name: str, content_type: str, generation: int | None = None) -> None:
        """With a generation, the object is written only over that one; 0 is none."""
        self._bucket, self._name, self._content_type, self._generation = bucket, name, content_type, generation
        self._address = ""
        # how far Google has taken it, and whether it has said so since the last request
        self._kept, self._is_certain = 0, True
        self._is_broken = False
        self._checksum = Checksum()
        self._made: dict[str, Any] | None = None

    @property
    def is_begun(self) -> bool:
        return bool(self._address)

    def send(self, part: bytes) -> None:
        """The next part, of `PART` bytes."""
        self._transfer(part, is_last=False)

    def finish(self, part: bytes) -> str:
        """The last part, which is not empty. The generation of the object that is there now."""
        made = self._transfer(part, is_last=True)
        if made.get(self._checksum.field, str(self._checksum)) != str(self._checksum):
            # it should have been refused; what nobody sent must not stay
            self._bucket.blob(self._name).delete(if_generation_match=int(made["generation"]), **self._bucket.manners)
            raise DataCorruption(None, "the checksum does not agree")
        return str(made["generation"])

    def cancel(self) -> None:
        """Forget what was sent."""
        if self._address:
            self._bucket.line.session.delete(self._address, timeout=TIMEOUT, allow_redirects=False).close()

    def _transfer(self, part: bytes, *, is_last: bool) -> dict[str, Any]:
        if self._is_broken:
            # a part has failed, and whoever goes on all the same would leave a hole
            raise _broken()
        if not self._address:
            self._address = self._bucket.blob(self._name).create_resumable_upload_session(
                self._content_type, if_generation_match=self._generation, **self._bucket.manners
            )
        self._is_broken = True
        self._checksum.update(part)
        self._bucket.retry(self._attempt)(part, self._kept, is_last)
        self._is_broken = False
        return self._made or {}

    def _attempt(self, part: bytes, begin: int, is_last: bool) -> None:
        end = begin + len(part)
        total = str(end) if is_last else "*"
        if not self._is_certain:
            self._put(b"", f"bytes */{total}", is_last)
        while self._made is None and (self._kept < end or is_last):
            if self._kept < begin:
                raise _broken()
            before, rest = self._kept, part[self._kept - begin :]
            self._put(rest, f"bytes {self._kept}-{end - 1}/{total}" if rest else f"bytes */{total}", is_last)
            if self._made is None and self._kept == before:
                raise ServiceUnavailable("nothing was taken")  # type: ignore[no-untyped-call]

    def _put(self, body: bytes, place: str, is_last: bool) -> None:
        """Send bytes, or ask how far it got; either way Google tells."""
        self._is_certain = False
        headers = {"content-range": place} | ({"x-goog-hash": self._checksum.header} if is_last else {})
        answer = self._bucket.line.session.put(
            self._address, data=body, headers=headers, timeout=TIMEOUT, allow_redirects=False
        )
        if answer.status_code == HTTPStatus.PERMANENT_REDIRECT:
            taken = _KEPT.fullmatch(answer.headers.get("range", ""))
            self._kept = int(taken[1]) + 1 if taken else 0
        elif answer.ok:
            self._made = answer.json()
        else:
            raise _refused(from_http_response(answer))  # type: ignore[no-untyped-call]
        self._is_certain = True


def _refused(error: GoogleAPICallError) -> Exception:
    # the bucket was there when the upload began: this is about the upload
    return _broken() if isinstance(error, NotFound) or error.code == HTTPStatus.GONE else error


def _broken() -> RetryableTransient:
    return RetryableTransient(
        "Google Cloud Storage has lost the upload", code=Code.STORAGE_UNAVAILABLE, hint="begin it again"
    )
