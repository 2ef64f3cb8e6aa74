"""The same request twice has one effect and one answer.

The key is written in the transaction of the effect. A second request with the same key waits for the first to commit,
then reads its answer; if the first rolled back, the second does the work.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from windrow.contracts.errors import Code, ValidationFailure
from windrow.postgres.audit import digest
from windrow.postgres.pool import Database, Transaction
from windrow.postgres.queries import load

Q = load(__package__, "idempotency.sql")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and whether that was an earlier answer."""

    value: Any
    replayed: bool


async def once(tx: Transaction, key: str, request: Any, act: Callable[[], Awaitable[Any]]) -> Answer:
    """Do `act` unless the key was used: then the first answer again, or an error if the request was another one."""
    request_hash = digest(request) or ""
    if await tx.execute(Q.claim, key=key, request_hash=request_hash):
        value = await act()
        await tx.execute(Q.answer, key=key, response=Jsonb(value))
        return Answer(value, replayed=False)
    found = await tx.row(Q.find, key=key)
    assert found, "a claimed key that cannot be seen"
    if found["request_hash"] != request_hash:
        raise ValidationFailure(
            f"idempotency key {key[:80]!r} was used for another request",
            code=Code.REQUEST_REUSED,
            hint="use a new key for a new request",
        )
    return Answer(found["response"], replayed=True)


async def purge(database: Database, *, keep_hours: float = 48) -> int:
    """Forget the keys of long ago; how many."""
    async with database.system() as tx:
        return await tx.execute(Q.purge, hours=keep_hours)
