"""The local disk as a driver: everything that blocks runs in threads."""

import os
from collections.abc import AsyncIterator, Sequence
from itertools import islice

from windrow.objects.driver import Absent, Anything, Guard, Head, Listed, Sign
from windrow.objects.errors import not_found
from windrow.objects.local.draft import Draft, drafted
from windrow.objects.local.listing import walk
from windrow.objects.local.reading import open_object
from windrow.objects.local.tree import Tree
from windrow.objects.local.writing import delete, move, place
from windrow.objects.threads import in_thread

PAGE = 1000
CHUNK = 1024 * 1024


class LocalDriver:
    """One tenant's objects in its tree."""

    kind = "local"

    def __init__(self, tree: Tree, sign: Sign) -> None:
        self._tree = tree
        self.sign = sign

    async def put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        return await in_thread(self._put, key, data, content_type, guard)

    async def upload(self, key: str, content_type: str) -> "_Upload":
        return _Upload(self._tree, await in_thread(Draft.begin, self._tree), key, content_type)

    async def download(self, key: str, start: int) -> "_Download":
        found = await in_thread(open_object, self._tree, key)
        if found is None:
            raise not_found(key)
        os.lseek(found[0], start, os.SEEK_SET)
        return _Download(*found)

    async def head(self, key: str) -> Head | None:
        return await in_thread(self._head, key)

    async def delete(self, key: str) -> None:
        await in_thread(delete, self._tree, key)

    async def copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        await in_thread(self._copy, source, target, guard)

    async def move(self, source: str, target: str) -> None:
        await in_thread(move, self._tree, source, target)

    async def pages(self, prefix: str, after: str | None) -> AsyncIterator[Sequence[Listed]]:
        found = await in_thread(walk, self._tree, prefix, after)
        while page := await in_thread(list, islice(found, PAGE)):
            yield page

    def _put(self, key: str, data: bytes, content_type: str, guard: Guard) -> str:
        with drafted(self._tree) as draft:
            draft.write(data)
            return place(self._tree, draft, key, content_type, guard)

    def _head(self, key: str) -> Head | None:
        found = open_object(self._tree, key)
        if found is None:
            return None
        file, head = found
        os.close(file)
        return head

    def _copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        found = open_object(self._tree, source)
        if found is None:
            raise not_found(source)
        file, head = found
        with os.fdopen(file, "rb"), drafted(self._tree) as draft:
            draft.copy_from(file)
            place(self._tree, draft, target, head.content_type, guard)


class _Upload:
    def __init__(self, tree: Tree, draft: Draft, key: str, content_type: str) -> None:
        self._tree, self._draft, self._key, self._content_type = tree, draft, key, content_type

    async def write(self, data: bytes) -> None:
        await in_thread(self._draft.write, data)

    async def commit(self) -> None:
        await in_thread(place, self._tree, self._draft, self._key, self._content_type, Anything())
        await in_thread(self._draft.close)

    async def abort(self) -> None:
        await in_thread(self._draft.close)


class _Download:
    def __init__(self, file: int, head: Head) -> None:
        self._file: int | None = file
        self.head = head

    async def chunks(self) -> AsyncIterator[bytes]:
        while self._file is not None and (chunk := await in_thread(os.read, self._file, CHUNK)):
            yield chunk

    async def aclose(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
