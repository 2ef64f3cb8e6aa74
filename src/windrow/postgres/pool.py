"""Connections and transactions, and who one is inside of them.

Every pooled connection is the role `windrow_app` from the start: row-level security applies, and with no tenant set it
shows nothing. `tenant()` sets the tenant for one transaction; `system()` claims across tenants, on queue tables only,
and becomes `windrow_app` again by `Transaction.become` before it does the work.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, Self, TypeVar

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from windrow.contracts.errors import Code, Fatal, classify
from windrow.contracts.scope import checked_name
from windrow.postgres import errors  # noqa: F401 - registers psycopg's exceptions with `classify`
from windrow.postgres.queries import Query, load

T = TypeVar("T")
Row = dict[str, Any]
Connection = AsyncConnection[Row]

Q = load(__package__, "session.sql")


class Transaction:
    """A transaction under way. Parameters are given by name; psycopg's errors leave it as ours."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.afterwards: list[Callable[[], None]] = []

    async def execute(self, query: Query, **parameters: Any) -> int:
        """Run it; how many rows it touched."""
        return (await self._run(query, parameters)).rowcount

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """The only row, or None."""
        return await (await self._run(query, parameters)).fetchone()

    async def rows(self, query: Query, **parameters: Any) -> list[Row]:
        """All rows."""
        return await (await self._run(query, parameters)).fetchall()

    async def value(self, query: Query, **parameters: Any) -> Any:
        """The first column of the only row, or None."""
        row = await self.row(query, **parameters)
        return next(iter(row.values())) if row else None

    async def into(self, kind: type[T], query: Query, **parameters: Any) -> list[T]:
        """All rows, each as a value of the given class."""
        cursor = self.connection.cursor(row_factory=class_row(kind))
        try:
            await cursor.execute(query.text, parameters)
            return await cursor.fetchall()
        except psycopg.Error as error:
            raise classify(error) from error

    async def many(self, query: Query, parameters: Sequence[Mapping[str, Any]]) -> None:
        """Run it once for each set of parameters, in one round trip."""
        try:
            await self.connection.cursor().executemany(query.text, parameters)
        except psycopg.Error as error:
            raise classify(error) from error

    async def become(self, tenant_id: str) -> None:
        """From here on, the application role of that tenant."""
        await self.connection.execute(_naming(Q.become, tenant_id))

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What fails inside is undone; the transaction lives on."""
        promised = len(self.afterwards)
        async with self.connection.transaction():
            try:
                yield
            except BaseException:
                del self.afterwards[promised:]
                raise

    def after_commit(self, act: Callable[[], None]) -> None:
        """Do it once this has committed, and not otherwise; at once where every statement commits by itself."""
        if self.connection.pgconn.transaction_status == TransactionStatus.IDLE:
            act()
        else:
            # whoever says something then says it as what it is now: with this tenant, run and cause
            self.afterwards.append(partial(copy_context().run, act))

    async def _run(self, query: Query, parameters: Mapping[str, Any]) -> psycopg.AsyncCursor[Row]:
        try:
            return await self.connection.execute(query.text, parameters or None)
        except psycopg.Error as error:
            raise classify(error) from error


RECONNECT = 5.0


class Database:
    """A pool of connections to the database of WINDROW_DATABASE_URL."""

    def __init__(
        self,
        url: str,
        *,
        size: int = 8,
        wait: float = 10.0,
        reconnect: float = RECONNECT,
        application: str = "windrow",
    ) -> None:
        self.url = url
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            min_size=0,
            max_size=size,
            timeout=wait,
            # beyond that nobody would try anew for as long as the pauses have grown: minutes, after a long outage
            reconnect_timeout=reconnect,
            open=False,
            configure=_configure,
            kwargs={"autocommit": True, "row_factory": dict_row, "application_name": application},
        )

    async def __aenter__(self) -> Self:
        await self._pool.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def tenant(self, tenant_id: str) -> AsyncIterator[Transaction]:
        """One transaction as the application role, seeing this tenant's rows and no others."""
        async with self.connection() as connection, _transaction(connection, _naming(Q.begin_tenant, tenant_id)) as tx:
            yield tx

    @asynccontextmanager
    async def system(self, *first: Query) -> AsyncIterator[Transaction]:
        """One transaction as the system role, which sees the queue tables of all tenants and nothing else.

        What comes `first` has no parameters and no answer that matters, and travels with the BEGIN.
        """
        begin = b";\n".join(query.text for query in (Q.begin_system, *first))
        async with self.connection() as connection, _transaction(connection, begin) as tx:
            yield tx

    async def row(self, query: Query, **parameters: Any) -> Row | None:
        """The only row of a statement that is a transaction of its own and sets its own tenant (`enter_tenant`)."""
        async with self.connection() as connection:
            return await Transaction(connection).row(query, **parameters)

    def after_commit(self, act: Callable[[], None]) -> None:
        """As on a transaction: a statement of its own has committed when it has answered."""
        act()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection outside any transaction, for single statements that set their own tenant."""
        try:
            async with self._pool.connection() as connection:
                yield connection
        except (psycopg.Error, PoolClosed, PoolTimeout, TooManyRequests) as error:
            raise classify(error) from error


def _naming(query: Query, tenant_id: str) -> sql.Composed:
    return sql.SQL(query.text.decode()).format(tenant=checked_name("tenant", tenant_id))


async def _configure(connection: Connection) -> None:
    await connection.execute(Q.configure.text)


@asynccontextmanager
async def _transaction(connection: Connection, begin: bytes | sql.Composed) -> AsyncIterator[Transaction]:
    await connection.execute(begin)
    transaction = Transaction(connection)
    try:
        yield transaction
        _must_be_whole(connection)
    except BaseException:
        # a broken connection has nothing left to roll back, and its error would hide the one that matters
        if not connection.closed and not connection.broken:
            await connection.rollback()
        raise
    await connection.commit()
    for act in transaction.afterwards:
        act()


def _must_be_whole(connection: Connection) -> None:
    # COMMIT after a failed statement answers without an error, and rolls back
    if connection.pgconn.transaction_status == TransactionStatus.INERROR:
        raise Fatal(
            "a statement of this transaction failed and its error was swallowed: nothing was written",
            code=Code.UNKNOWN,
            hint="let the error pass, or catch it around a savepoint",
        )
