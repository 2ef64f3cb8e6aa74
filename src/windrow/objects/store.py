"""One tenant's objects, whatever kind of storage they lie in: keys checked, failures translated, work measured."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from windrow.contracts.errors import Code, ValidationFailure, WindrowError, classify
from windrow.objects.content_type import OCTETS, checked_content_type
from windrow.objects.driver import Absent, Anything, Download, Driver, Guard, Head, Listed, Matches, Method, Upload
from windrow.objects.errors import storage_error
from windrow.objects.keys import checked_key, checked_prefix
from windrow.objects.signing import LONGEST, checked_lifetime
from windrow.objects.threads import in_thread
from windrow.telemetry import span
from windrow.telemetry.catalogue import objects as telemetry

CHUNK = 1024 * 1024
# what fits in memory without a thought; larger objects are read piece by piece
LARGEST_GET = 64 * 1024 * 1024


class Objects(Protocol):
    """A storage with everybody's objects, opened for one tenant at a time: no key reaches another tenant's."""

    def for_tenant(self, tenant_id: str) -> "ObjectStore": ...

    def own(self) -> "ObjectStore":
        """What the storage keeps about itself, where no tenant's objects are."""
        ...

    async def sweep(self) -> int:
        """Remove what processes that died left unfinished, where that is ours to do. How many files there were."""
        ...


class ObjectStore:
    """One tenant's objects. A put is whole or not at all, and durable when it returns.

    A guard that does not hold is a `Conflict`. After a hiccup on the way to a bucket that can be our own put, repeated:
    whoever must know compares what is there.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    async def put(self, key: str, data: bytes, *, content_type: str = OCTETS) -> str:
        """Write the object, over whatever is there. The new etag."""
        return await self._put(key, data, content_type, Anything())

    async def put_if_absent(self, key: str, data: bytes, *, content_type: str = OCTETS) -> str:
        """Write the object where none is; of any number of callers, one succeeds. Its etag."""
        return await self._put(key, data, content_type, Absent())

    async def put_if_matches(self, key: str, data: bytes, etag: str, *, content_type: str = OCTETS) -> str:
        """Write the object over the one that had this etag. The new etag."""
        return await self._put(key, data, content_type, Matches(etag))

    async def put_file(self, key: str, path: Path, *, content_type: str = OCTETS) -> None:
        """Write a file's bytes as the object, without holding them all in memory."""
        try:
            file = await in_thread(path.open, "rb")
        except OSError as error:
            raise classify(error) from error
        with file:
            async with self.open_writer(key, content_type=content_type) as writer:
                while chunk := await in_thread(file.read, CHUNK):
                    await writer.write(chunk)

    @asynccontextmanager
    async def open_writer(self, key: str, *, content_type: str = OCTETS) -> AsyncIterator["Writer"]:
        """Write piece by piece. The object is there when the block ends, and not at all if it raises."""
        checked_key(key)
        with _translated("put", key):
            upload = await self._driver.upload(key, checked_content_type(content_type))
        try:
            yield Writer(self._driver.kind, key, upload)
            with self._doing("put", key):
                await upload.commit()
        except BaseException:
            # why it stopped matters more than that the tidying failed too
            with suppress(Exception):
                await upload.abort()
            raise

    async def get(self, key: str, *, limit: int = LARGEST_GET) -> bytes:
        """The object's bytes, if there are no more than `limit`."""
        async with self.open_reader(key) as reader:
            if reader.head.size > limit:
                raise ValidationFailure(
                    f"the object {key!r} has {reader.head.size} bytes, more than {limit}",
                    code=Code.TOO_LARGE,
                    hint="read it piece by piece with open_reader",
                )
            return b"".join([chunk async for chunk in reader])

    @asynccontextmanager
    async def open_reader(self, key: str, *, start: int = 0) -> AsyncIterator["Reader"]:
        """Read piece by piece, from a place before the object's end. It is one version, whatever happens to it meanwhile."""
        checked_key(key)
        with self._doing("get", key):
            download = await self._driver.download(key, start)
        try:
            yield Reader(self._driver.kind, key, download)
        finally:
            await download.aclose()

    async def head(self, key: str) -> Head | None:
        """Size, etag, content type and time of the object, or None if it is not there."""
        checked_key(key)
        with self._doing("head", key):
            return await self._driver.head(key)

    async def delete(self, key: str) -> None:
        """Remove the object; removing what is not there is done already."""
        checked_key(key)
        with self._doing("delete", key):
            await self._driver.delete(key)

    async def copy(self, source: str, target: str) -> None:
        """Copy an object over whatever is there."""
        await self._copy(source, target, Anything())

    async def copy_if_absent(self, source: str, target: str) -> None:
        """Copy an object to where none is."""
        await self._copy(source, target, Absent())

    async def move(self, source: str, target: str) -> None:
        """Copy to where none is, then delete the source. A crash between the two leaves both; at no moment is there none."""
        _check_pair(source, target)
        with self._doing("move", source):
            await self._driver.move(source, target)

    async def list(self, prefix: str = "", *, after: str | None = None) -> AsyncIterator[Listed]:
        """The objects below a folder (`jobs/Queued`, empty for all), by key in byte order, from the one after `after`."""
        pages = self._driver.pages(checked_prefix(prefix), checked_key(after) if after is not None else None)
        while True:
            with self._doing("list", prefix):
                page = await anext(pages, None)
            if page is None:
                return
            for listed in page:
                yield listed

    async def signed_url(
        self, key: str, *, method: Method = Method.GET, expires_in: timedelta = LONGEST, most_bytes: int | None = None
    ) -> str:
        """A URL that lets its holder read (or write) this one object, for at most 15 minutes.

        `most_bytes` bounds what is written where Windrow serves the store itself. A bucket is not told: look at what came.
        """
        checked_key(key)
        with self._doing("sign", key):
            return await self._driver.sign(key, method, checked_lifetime(expires_in), most_bytes)

    async def _put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        checked_key(key)
        checked_content_type(content_type)
        with self._doing("put", key):
            etag = await self._driver.put(key, data, content_type, guard)
        telemetry.BYTES.add(len(data), store=self._driver.kind, direction="in")
        return etag

    async def _copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        _check_pair(source, target)
        with self._doing("copy", source):
            await self._driver.copy(source, target, guard)

    @contextmanager
    def _doing(self, verb: str, key: str) -> Iterator[None]:
        kind, begun, outcome = self._driver.kind, time.perf_counter(), "ok"
        try:
            with span("objects.request", store=kind, verb=verb, key=key), _translated(verb, key):
                yield
        except WindrowError as error:
            outcome = error.error_class
            raise
        finally:
            telemetry.REQUESTS.add(1, store=kind, verb=verb, outcome=outcome)
            telemetry.SECONDS.record(time.perf_counter() - begun, store=kind, verb=verb)


class Writer:
    """Takes the bytes of an object under way."""

    def __init__(self, kind: str, key: str, upload: Upload) -> None:
        self._kind, self._key, self._upload = kind, key, upload

    async def write(self, data: bytes) -> None:
        """The next piece, of any size."""
        with _translated("put", self._key):
            await self._upload.write(data)
        telemetry.BYTES.add(len(data), store=self._kind, direction="in")


class Reader:
    """Gives the bytes of an object, piece by piece: `async for chunk in reader`."""

    def __init__(self, kind: str, key: str, download: Download) -> None:
        self._kind, self._key, self._download = kind, key, download

    @property
    def head(self) -> Head:
        return self._download.head

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self._download.chunks()
        while True:
            with _translated("get", self._key):
                chunk = await anext(chunks, None)
            if chunk is None:
                return
            telemetry.BYTES.add(len(chunk), store=self._kind, direction="out")
            yield chunk


@contextmanager
def _translated(verb: str, key: str) -> Iterator[None]:
    try:
        yield
    except WindrowError:
        raise
    except Exception as error:
        raise storage_error(error, f"cannot {verb} the object {key!r}") from error


def _check_pair(source: str, target: str) -> None:
    if checked_key(source) == checked_key(target):
        raise ValidationFailure(f"the object {source!r} cannot go onto itself", code=Code.INVALID_KEY)
