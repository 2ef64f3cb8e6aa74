"""The source of a clip, brought to where ffmpeg can read it: an object, a file of this machine, or a URL."""

import os
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from windrow.clips.limits import GIB, ClipLimits
from windrow.contracts.errors import Code, ValidationFailure, classify
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.objects import Objects
from windrow.objects.threads import in_thread

# where a tenant's path really leads, if the operator lets the tenant read there
Allowed = Callable[[str, str], Path]


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that a clip may be cut from."""

    objects: Objects
    http: HttpClient
    allowed: Allowed
    limits: ClipLimits

    @asynccontextmanager
    async def opened(self, scope: Scope, source: str, scratch: Path) -> AsyncIterator[Path]:
        """A path at which the source can be read while the block lasts."""
        kind, _, rest = source.partition(":")
        if kind == "file":
            with self._file(scope.tenant_id, rest) as path:
                yield path
            return
        into = scratch / "source"
        if kind == "object":
            await self._object(scope.tenant_id, rest, into)
        else:
            await self._download(source, into)
        yield into

    @contextmanager
    def _file(self, tenant_id: str, path: str) -> Iterator[Path]:
        real = self.allowed(tenant_id, path)
        try:
            # a pipe would make us wait for somebody to write
            descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise classify(error) from error
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise ValidationFailure(f"{path!r} is not a file", code=Code.UNREADABLE, hint="name a video file")
            self._check_size(found.st_size)
            if sys.platform != "linux":
                yield real
                return
            # what was opened, by a name that nobody can lead elsewhere; and is it still what was allowed?
            opened = Path(f"/proc/{os.getpid()}/fd/{descriptor}")
            self.allowed(tenant_id, str(opened.readlink()))
            yield opened
        finally:
            os.close(descriptor)

    async def _object(self, tenant_id: str, key: str, into: Path) -> None:
        async with self.objects.for_tenant(tenant_id).open_reader(key) as reader:
            self._check_size(reader.head.size)
            try:
                with into.open("wb") as file:
                    async for chunk in reader:
                        await in_thread(file.write, chunk)
            except OSError as error:
                raise classify(error) from error

    async def _download(self, url: str, into: Path) -> None:
        try:
            async with self.http.stream(
                url, max_bytes=self.limits.source_bytes, timeout=self.limits.fetch_seconds
            ) as download:
                await download.save(into)
        except ValidationFailure as error:
            if error.code is Code.TOO_LARGE:
                raise self._too_large() from error
            raise

    def _check_size(self, size: int) -> None:
        if size > self.limits.source_bytes:
            raise self._too_large()

    def _too_large(self) -> ValidationFailure:
        return ValidationFailure(
            f"the source is larger than {self.limits.source_bytes / GIB:.3g} GiB",
            code=Code.INPUT_TOO_LARGE,
            hint="use a smaller source; the operator's limit is WINDROW_CLIP_SOURCE_BYTES",
        )
