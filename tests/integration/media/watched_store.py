"""A store in memory that can be watched and made to fail: after each step of a mirror, something is looked at or breaks."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from windrow.contracts.errors import Code, RetryableTransient
from windrow.objects import ObjectStore
from windrow.objects.memory import MemoryObjects


@dataclass
class WatchedObjects:
    """`fails_after` is how many writes succeed before the next one breaks off; `before` is awaited before each write."""

    fails_after: int | None = None
    before: Callable[[str, str], Awaitable[None]] | None = None
    writes: list[str] = field(default_factory=list)
    after: Callable[[], Awaitable[None]] | None = None
    _memory: MemoryObjects = field(default_factory=lambda: MemoryObjects(None))

    def for_tenant(self, tenant_id: str) -> ObjectStore:
        return ObjectStore(_Watched(self, self._memory.for_tenant(tenant_id)._driver))

    def own(self) -> ObjectStore:
        return self._memory.own()

    def unwatched(self, tenant_id: str) -> ObjectStore:
        return self._memory.for_tenant(tenant_id)

    async def sweep(self) -> int:
        return 0


class _Watched:
    def __init__(self, watch: WatchedObjects, driver: Any) -> None:
        self._watch, self._driver = watch, driver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    async def put(self, key: str, *rest: Any) -> Any:
        return await self._written("put", key, lambda: self._driver.put(key, *rest))

    async def delete(self, key: str) -> None:
        await self._written("delete", key, lambda: self._driver.delete(key))

    async def _written(self, verb: str, key: str, write: Callable[[], Awaitable[Any]]) -> Any:
        watch = self._watch
        if watch.before is not None:
            await watch.before(verb, key)
        if watch.fails_after is not None and len(watch.writes) >= watch.fails_after:
            raise RetryableTransient("the store is away", code=Code.STORAGE_UNAVAILABLE)
        done = await write()
        watch.writes.append(f"{verb} {key}")
        if watch.after is not None:
            await watch.after()
        return done
