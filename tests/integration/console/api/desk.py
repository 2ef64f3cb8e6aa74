"""A client of the API as it is served, and a counter of what it asks the database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import psycopg
from tests.integration.console.house import House

from windrow.postgres import Database
from windrow.postgres.pool import Connection
from windrow.web.pace import PaceLimits

# so wide that only the test of the pace meets it
WIDE = PaceLimits(per_second=10_000, burst=100_000)


class _Counting(psycopg.AsyncCursor[Any]):
    statements = 0

    async def execute(self, *args: Any, **kwargs: Any) -> Any:
        _Counting.statements += 1
        return await super().execute(*args, **kwargs)


class CountingDatabase(Database):
    """Counts statements, that of the transaction's beginning among them."""

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        async with super().connection() as connection:
            connection.cursor_factory = _Counting
            yield connection


@dataclass
class Desk:
    """A client of the API."""

    house: House
    database: Database

    async def ask(self, method: str, path: str, token: str = "token-of-acme", **more: Any) -> httpx2.Response:
        return await self.house.call(method, f"/api/v1{path}", token, **more)

    async def get(self, path: str, token: str = "token-of-acme", **params: Any) -> Any:
        answered = await self.ask("GET", path, token, params=params)
        assert answered.status_code == 200, answered.text
        return answered.json()

    async def statements(self, path: str, **params: Any) -> int:
        """How many statements a call needs."""
        before = _Counting.statements
        await self.get(path, **params)
        return _Counting.statements - before

    async def all_pages(self, path: str, limit: int, **filters: Any) -> list[Any]:
        """Every item of a list, read page by page."""
        found: list[Any] = []
        page = await self.get(path, limit=limit, **filters)
        while True:
            found += page["items"]
            if page["next"] is None:
                return found
            page = await self.get(path, limit=limit, page=page["next"], **filters)
