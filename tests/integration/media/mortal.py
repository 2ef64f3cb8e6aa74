"""A worker that ends where it is told to: before any statement, before or after any commit, before or after it asks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from windrow.media.enriching import Provider, Question
from windrow.media.snapshot import Snapshot
from windrow.postgres import Database, Transaction


class Died(BaseException):
    """As by kill -9: nothing of the process sees it, and nothing is tidied up."""


class Life:
    """So many steps; None: all of them. It ends in death, or as a task ends that is cancelled."""

    def __init__(self, steps: int | None, *, violent: bool = True) -> None:
        self.left, self._violent, self._cancelled = steps, violent, False

    def step(self) -> None:
        if self.left is None or self._cancelled:
            return
        if self.left > 0:
            self.left -= 1
        elif self._violent:
            raise Died
        else:
            self._cancelled = True
            task = asyncio.current_task()
            assert task
            task.cancel()


class MortalTransaction(Transaction):
    """Shares what the real one has promised to say after its commit."""

    def __init__(self, real: Transaction, life: Life) -> None:
        super().__init__(real.connection)
        self.afterwards, self._life = real.afterwards, life

    async def _run(self, query: Any, parameters: Any) -> Any:
        self._life.step()
        return await super()._run(query, parameters)


class MortalDatabase:
    """The real database, as somebody mortal uses it."""

    def __init__(self, database: Database, life: Life) -> None:
        self._database, self._life = database, life

    async def row(self, query: Any, **parameters: Any) -> Any:
        self._life.step()
        found = await self._database.row(query, **parameters)
        self._life.step()
        return found

    @asynccontextmanager
    async def tenant(self, tenant_id: str) -> AsyncIterator[Transaction]:
        async with self._database.tenant(tenant_id) as tx:
            yield MortalTransaction(tx, self._life)
            self._life.step()
        self._life.step()

    @asynccontextmanager
    async def system(self, *first: Any) -> AsyncIterator[Transaction]:
        async with self._database.system(*first) as tx:
            yield MortalTransaction(tx, self._life)
            self._life.step()
        self._life.step()


class MortalProvider:
    """The provider, as somebody mortal asks it."""

    def __init__(self, provider: Provider, life: Life) -> None:
        self._provider, self._life = provider, life

    async def snapshot(self, question: Question) -> Snapshot:
        self._life.step()
        answer = await self._provider.snapshot(question)
        self._life.step()
        return answer
