"""Objects through obstore: the same calls for a store in memory and for S3."""

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, PreconditionError

from windrow.objects.content_type import OCTETS
from windrow.objects.driver import Absent, Anything, Guard, Head, Listed, Matches, Sign
from windrow.objects.errors import changed, exists, no_bucket, not_found
from windrow.objects.keys import joined

if TYPE_CHECKING:
    from obstore import AsyncWritableFile, GetOptions, GetResult, ObjectMeta, PutMode
    from obstore.store import ObjectStore as Store

PAGE = 1000
CHUNK = 1024 * 1024
# a part of a multipart upload: 10,000 of them are 80 GB, and three are held in memory
PART = 8 * 1024 * 1024
PARTS_AT_ONCE = 3


class ObstoreDriver:
    """One tenant's objects, below its place in a store; an empty place is all of it."""

    def __init__(self, kind: str, store: "Store", place: str, sign: Sign) -> None:
        self._kind, self._store, self._place = kind, store, place
        self.sign = sign

    @property
    def kind(self) -> str:
        return self._kind

    async def put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        attributes = {"Content-Type": content_type}
        try:
            result = await obstore.put_async(
                self._store, self._at(key), data, attributes=attributes, mode=_mode(guard), use_multipart=False
            )
        except (AlreadyExistsError, PreconditionError):
            # S3 also answers so when two guarded puts meet: somebody else was first, whatever the answer is called
            raise (changed(key) if isinstance(guard, Matches) else exists(key)) from None
        except FileNotFoundError as error:
            raise no_bucket() from error
        return result["e_tag"] or ""

    async def upload(self, key: str, content_type: str) -> "_Upload":
        attributes = {"Content-Type": content_type}
        return _Upload(
            obstore.open_writer_async(
                self._store, self._at(key), attributes=attributes, buffer_size=PART, max_concurrency=PARTS_AT_ONCE
            )
        )

    async def download(self, key: str, start: int) -> "_Download":
        # all of it is no range: there is none in an empty object
        part: GetOptions = {"range": {"offset": start}} if start else {}
        try:
            return _Download(key, await obstore.get_async(self._store, self._at(key), options=part))
        except FileNotFoundError:
            raise not_found(key) from None

    async def head(self, key: str) -> Head | None:
        try:
            # `head_async` tells no attributes
            found = await obstore.get_async(self._store, self._at(key), options={"head": True})
        except FileNotFoundError:
            return None
        return _head(key, found)

    async def delete(self, key: str) -> None:
        try:
            await obstore.delete_async(self._store, self._at(key))
        except FileNotFoundError:
            return

    async def copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        await self._copy_in(self._store, source, target, guard)

    async def move(self, source: str, target: str) -> None:
        await self.copy(source, target, Absent())
        await self.delete(source)

    async def pages(self, prefix: str, after: str | None) -> AsyncIterator[Sequence[Listed]]:
        folder = self._at(prefix)
        offset = self._at(after) if after else None
        async for page in obstore.list(self._store, folder, offset=offset, chunk_size=PAGE):
            yield [self._listed(meta) for meta in page]

    def _at(self, key: str) -> str:
        return joined(self._place, key)

    def _listed(self, meta: "ObjectMeta") -> Listed:
        key = meta["path"].removeprefix(f"{self._place}/" if self._place else "")
        return Listed(key, meta["size"], meta["e_tag"] or "", meta["last_modified"])

    async def _copy_in(self, store: "Store", source: str, target: str, guard: Anything | Absent) -> None:
        try:
            await obstore.copy_async(store, self._at(source), self._at(target), overwrite=isinstance(guard, Anything))
        except AlreadyExistsError:
            raise exists(target) from None
        except FileNotFoundError:
            raise not_found(source) from None


class _Upload:
    def __init__(self, file: "AsyncWritableFile") -> None:
        self._file = file

    async def write(self, data: bytes) -> None:
        try:
            await self._file.write(data)
        except FileNotFoundError as error:
            raise no_bucket() from error

    async def commit(self) -> None:
        try:
            await self._file.close()
        except FileNotFoundError as error:
            raise no_bucket() from error

    async def abort(self) -> None:
        # the only door to its abort is leaving it with an error
        await self._file.__aexit__(RuntimeError, RuntimeError("aborted"), None)


class _Download:
    def __init__(self, key: str, result: "GetResult") -> None:
        self.head = _head(key, result)
        self._result = result

    async def chunks(self) -> AsyncIterator[bytes]:
        async for received in self._result.stream(min_chunk_size=CHUNK):
            # what lies in memory comes in one piece, and the network may bring more than was asked for
            whole = memoryview(received)
            for start in range(0, len(whole), CHUNK):
                yield bytes(whole[start : start + CHUNK])

    async def aclose(self) -> None:
        """Nothing is held: the connection goes with the last reference."""


def _mode(guard: Guard) -> "PutMode":
    match guard:
        case Anything():
            return "overwrite"
        case Absent():
            return "create"
        case Matches(etag=etag):
            return {"e_tag": etag}


def _head(key: str, result: "GetResult") -> Head:
    meta = result.meta
    content_type = result.attributes.get("Content-Type", OCTETS)
    return Head(key, meta["size"], meta["e_tag"] or "", meta["last_modified"], content_type)
