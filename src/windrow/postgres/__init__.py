"""The one door to our database: pool and transactions, named queries, migrations, audit rows, idempotency keys."""

from windrow.postgres.pool import Database, Transaction
from windrow.postgres.queries import Queries, Query, load, uuid_array

__all__ = ["Database", "Queries", "Query", "Transaction", "load", "uuid_array"]
