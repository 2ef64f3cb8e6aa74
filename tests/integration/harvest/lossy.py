"""A database whose answers can get lost: the server has done it, and nobody hears of it."""

from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

from windrow.postgres import Database


class LossyDatabase(Database):
    """`loses` is asked at each commit, before and after it: True, and the connection is gone."""

    def __init__(self, url: str, loses: Callable[[str], bool], *, size: int = 4) -> None:
        super().__init__(url, size=size)

        class Connection(AsyncConnection[Any]):
            async def commit(self) -> None:
                if self.info.transaction_status is TransactionStatus.IDLE:  # on its way back into the pool
                    return
                await self._lose("before")
                await super().commit()
                await self._lose("after")

            async def _lose(self, moment: str) -> None:
                if loses(moment):
                    await self.close()
                    raise psycopg.OperationalError("server closed the connection unexpectedly")

        self._pool.connection_class = Connection  # type: ignore[assignment]


def once(moment: str, number: int) -> Callable[[str], bool]:
    """Lose the answer before or after the so manieth commit."""
    seen = 0

    def loses(at: str) -> bool:
        nonlocal seen
        seen += at == moment
        return at == moment and seen == number

    return loses
