"""Cloud Storage as a driver: Google's client blocks, so all of it runs in the bucket's threads."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from google.api_core.exceptions import NotFound, PreconditionFailed

from windrow.objects.content_type import OCTETS
from windrow.objects.driver import Absent, Anything, Guard, Head, Listed, Matches, Method
from windrow.objects.errors import changed, exists, not_found
from windrow.objects.gcs.bucket import Bucket
from windrow.objects.gcs.download import Download
from windrow.objects.gcs.identity import signing
from windrow.objects.gcs.session import PART, Session
from windrow.objects.gcs.upload import Upload
from windrow.objects.keys import fault, joined

PAGE = 1000
_FIELDS = "items(name,size,generation,updated),nextPageToken"
# 0 is none: an etag that says so was never given
_GENERATION = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
# how often a source may be replaced between the look at it and the copy of what was seen
_RACES = 5


class GcsDriver:
    """One tenant's objects, below its place in a bucket; an empty place is all of it."""

    kind = "gcs"

    def __init__(self, bucket: Bucket, place: str) -> None:
        self._bucket, self._place = bucket, place

    async def put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        return await self._bucket.ask(self._put, key, data, content_type, guard)

    async def upload(self, key: str, content_type: str) -> Upload:
        session = Session(self._bucket, self._at(key), content_type)
        return Upload(self._bucket, session, lambda data: self.put(key, data, content_type, Anything()))

    async def download(self, key: str, start: int) -> Download:
        download = Download(self._bucket, self._at(key), key, start)
        try:
            await self._bucket.ask(download.open)
        except BaseException:
            await download.aclose()
            raise
        return download

    async def head(self, key: str) -> Head | None:
        return await self._bucket.ask(self._head, key)

    async def delete(self, key: str) -> None:
        await self._bucket.ask(self._delete, key)

    async def copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        await self._bucket.ask(self._copy, source, target, guard)

    async def move(self, source: str, target: str) -> None:
        generation = await self._bucket.ask(self._copy, source, target, Absent())
        # only what was copied: somebody may have put another one there
        await self._bucket.ask(self._delete, source, generation)

    async def pages(self, prefix: str, after: str | None) -> AsyncIterator[Sequence[Listed]]:
        pages = await self._bucket.ask(self._listing, prefix, after)
        while (page := await self._bucket.ask(self._page, pages)) is not None:
            # the offset itself is listed too; and what is no key of ours (a folder's marker) could not be asked for
            yield [each for each in page if each.key != after and not fault(each.key)]

    async def sign(self, key: str, method: Method, expires_in: timedelta, _most_bytes: int | None) -> str:
        return await self._bucket.ask(self._sign, key, method, expires_in)

    def _put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        generation = _generation(key, guard)
        with _guarded(key, guard):
            if len(data) > PART:
                return self._put_parts(key, data, content_type, generation)
            blob = self._bucket.blob(self._at(key))
            blob.upload_from_string(data, content_type, if_generation_match=generation, **self._bucket.manners)
            return str(blob.generation)

    def _put_parts(self, key: str, data: bytes, content_type: str, generation: int | None) -> str:
        session = Session(self._bucket, self._at(key), content_type, generation)
        last = (len(data) - 1) // PART * PART
        try:
            for start in range(0, last, PART):
                session.send(data[start : start + PART])
            return session.finish(data[last:])
        except BaseException:
            with suppress(Exception):
                session.cancel()
            raise

    def _head(self, key: str) -> Head | None:
        blob = self._found(key)
        if blob is None:
            return None
        return Head(key, blob.size, str(blob.generation), blob.updated, blob.content_type or OCTETS)

    def _found(self, key: str) -> Any:
        return self._bucket.handle.get_blob(self._at(key), **self._bucket.manners)

    def _delete(self, key: str, generation: int | None = None) -> None:
        try:
            self._bucket.blob(self._at(key)).delete(if_generation_match=generation, **self._bucket.manners)
        except NotFound:
            return
        except PreconditionFailed:
            raise changed(key) from None

    def _copy(self, source: str, target: str, guard: Anything | Absent) -> int:
        """Copy what is there now. Its generation."""
        for _ in range(_RACES):
            found = self._found(source)
            if found is None:
                raise not_found(source)
            with suppress(NotFound), _guarded(target, guard):
                self._rewrite(found, target, _generation(target, guard))
                return int(found.generation)
        raise changed(source)

    def _rewrite(self, source: Any, target: str, generation: int | None) -> None:
        # nothing is said of the target: then it says of itself what the source does
        blob, token = self._bucket.blob(self._at(target)), None
        while True:
            # the source names its generation too: no other is copied
            token, *_ = blob.rewrite(source, token, if_generation_match=generation, **self._bucket.manners)
            if token is None:
                return

    def _listing(self, prefix: str, after: str | None) -> Iterator[Any]:
        folder = self._at(prefix)
        found = self._bucket.line.client.list_blobs(
            self._bucket.name,
            prefix=f"{folder}/" if folder else None,
            start_offset=self._at(after) if after else None,
            fields=_FIELDS,
            page_size=PAGE,
            **self._bucket.manners,
        )
        return iter(found.pages)

    def _page(self, pages: Iterator[Any]) -> list[Listed] | None:
        page = next(pages, None)
        return None if page is None else [self._listed(blob) for blob in page]

    def _listed(self, blob: Any) -> Listed:
        key = blob.name.removeprefix(f"{self._place}/" if self._place else "")
        return Listed(key, blob.size, str(blob.generation), blob.updated)

    def _sign(self, key: str, method: Method, expires_in: timedelta) -> str:
        credentials = signing(self._bucket.line.credentials)
        url: str = self._bucket.blob(self._at(key)).generate_signed_url(
            version="v4", method=method.value, expiration=expires_in, credentials=credentials
        )
        return url

    def _at(self, key: str) -> str:
        return joined(self._place, key)


def _generation(key: str, guard: Guard) -> int | None:
    """What may be there, in the words of Cloud Storage; an etag that it never gave cannot match."""
    match guard:
        case Anything():
            return None
        case Absent():
            return 0
        case Matches(etag=etag):
            if not _GENERATION.fullmatch(etag):
                raise changed(key)
            return int(etag)


@contextmanager
def _guarded(key: str, guard: Guard) -> Iterator[None]:
    try:
        yield
    except PreconditionFailed:
        raise (changed(key) if isinstance(guard, Matches) else exists(key)) from None
