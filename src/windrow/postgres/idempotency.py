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
    if await claim(tx, key, request):
        value = await act()
        await answer(tx, key, value)
        return Answer(value, replayed=False)
    found = await earlier(tx, key, request)
    assert found, "a claimed key that cannot be seen"
    return found


async def claim(tx: Transaction, key: str, request: Any) -> bool:
    """The key is this request's, unless it was used. Whoever claims it answers in the same transaction."""
    return await tx.execute(Q.claim, key=key, request_hash=_hash(request)) == 1


async def answer(tx: Transaction, key: str, value: Any) -> None:
    """What a request has come to, with what it did; said again, it is the later word that counts."""
    await tx.execute(Q.answer, key=key, response=Jsonb(value))


async def earlier(tx: Transaction, key: str, request: Any) -> Answer | None:
    """The answer that there is, if there is one; an error if the key was used for another request."""
    found = await tx.row(Q.find, key=key)
    if found is None:
        return None
    if found["request_hash"] != _hash(request):
        raise ValidationFailure(
            f"idempotency key {key[:80]!r} was used for another request",
            code=Code.REQUEST_REUSED,
            hint="use a new key for a new request",
        )
    return Answer(found["response"], replayed=True)


def _hash(request: Any) -> str:
    return digest(request) or ""


async def purge(database: Database, *, keep_hours: float = 48) -> int:
    """Forget the keys of long ago; how many."""
    async with database.system() as tx:
        return await tx.execute(Q.purge, hours=keep_hours)
