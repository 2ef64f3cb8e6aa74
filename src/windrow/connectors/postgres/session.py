"""One database at one moment: a connection with a transaction that reads and changes nothing."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from psycopg import AsyncConnection, capabilities, sql
from psycopg.rows import dict_row

from windrow.connectors.context import Context
from windrow.connectors.postgres import login
from windrow.connectors.postgres.address import permitted
from windrow.connectors.postgres.config import PostgresConfig
from windrow.connectors.postgres.failures import too_much, too_slow, translated
from windrow.connectors.postgres.limits import Limits
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, RetryableTransient
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.queries import Query, load

Q = load(__package__)

Row = dict[str, Any]

_AT_ONCE = 500


class Session:
    """Asks one database. The server may be anybody's: no answer is longer, and none takes longer, than was agreed."""

    def __init__(self, connection: AsyncConnection[Any], tool: ExecutionTool, limits: Limits) -> None:
        self._connection, self._tool, self._limits = connection, tool, limits

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """All rows of an answer."""
        return await self._tool.call(query.name, lambda: self._rows(query.text, parameters))

    async def composed(self, query: Query, **parts: sql.Composable) -> list[Row]:
        """The same for a query with names in it, and not only values."""
        statement = sql.SQL(query.text.decode()).format(**parts)
        return await self._tool.call(query.name, lambda: self._rows(statement, {}))

    async def row(self, query: Query, **parameters: Any) -> Row:
        """The only row of an answer that always has one."""
        found = await self.rows(query, **parameters)
        if not found:
            # a database that was dropped under our feet
            raise RetryableTransient("the source's server has no answer", code=Code.UNAVAILABLE)
        return found[0]

    async def _rows(self, statement: bytes | sql.Composed, parameters: dict[str, Any]) -> list[Row]:
        found: list[Row] = []
        seconds = self._limits.answer_seconds
        try:
            with translated():
                async with asyncio.timeout(seconds), self._connection.cursor(row_factory=dict_row) as cursor:
                    # in portions: all at once would be in memory before anybody could count it
                    portion = _AT_ONCE if capabilities.has_stream_chunked() else 1
                    stream = cursor.stream(statement, parameters or None, size=portion)
                    async with aclosing(cast("AsyncGenerator[Row, None]", stream)) as answer:
                        async for row in answer:
                            found.append(row)
                            if len(found) > self._limits.rows:
                                raise too_much(self._limits.rows)
        except TimeoutError:
            raise too_slow(seconds) from None
        _let_cancellation_pass()
        return found


def _let_cancellation_pass() -> None:
    if is_cancelled():
        raise asyncio.CancelledError


@dataclass(frozen=True, slots=True)
class Server:
    """One endpoint's server."""

    config: PostgresConfig
    context: Context
    tool: ExecutionTool
    limits: Limits

    @asynccontextmanager
    async def enter(self, database: str) -> AsyncIterator[Session]:
        """A database of it, for as long as it is read."""
        connection = await self.tool.call("connect", lambda: self._begun(database))
        try:
            yield Session(connection, self.tool, self.limits)
        finally:
            await connection.close()

    async def _begun(self, database: str) -> AsyncConnection[Any]:
        connection = await self._connected(database)
        try:
            with translated():
                async with asyncio.timeout(self.limits.answer_seconds):
                    await connection.execute(Q.begin.text)
                    if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
                        await connection.execute(Q.as_bytes.text)
            _let_cancellation_pass()
        except BaseException as error:
            await connection.close()
            if isinstance(error, TimeoutError):
                raise too_slow(self.limits.answer_seconds) from None
            raise
        return connection

    async def _connected(self, database: str) -> AsyncConnection[Any]:
        password, authorities = await self.context.credential(), self._authorities()
        *others, last = await permitted(self.config, self.context)
        for address in others:
            info = login.conninfo(self.config, address, database, password, authorities)
            with suppress(RetryableTransient):
                return await login.log_in(info, self.config, self.limits.login_seconds)
        info = login.conninfo(self.config, last, database, password, authorities)
        return await login.log_in(info, self.config, self.limits.login_seconds)

    def _authorities(self) -> Path | None:
        """libpq reads them from a file only."""
        if self.config.ca is None:
            return None
        written = self.config.ca.encode()
        file = self.context.cache / f"ca-{hashlib.sha256(written).hexdigest()[:16]}.pem"
        if not file.exists():
            # whole or not at all: another run may read it meanwhile
            self.context.cache.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(f".{secrets.token_hex(8)}")
            draft.write_bytes(written)
            draft.replace(file)
        return file
