"""Which object store the database belongs to: the rows name its objects, and those of no other."""

from dataclasses import dataclass
from datetime import datetime

from windrow.postgres.pool import Database, Transaction
from windrow.postgres.queries import load

Q = load(__package__, "object_store.sql")


@dataclass(frozen=True, slots=True)
class KnownStore:
    """The store by its id. `place` is where it lay `since` it is known, for people: it may have been moved."""

    store_id: str
    place: str
    since: datetime


async def known_store(database: Database) -> KnownStore | None:
    """The store of this database; None before the first one is used."""
    async with database.system() as tx:
        found = await tx.into(KnownStore, Q.known)
    return found[0] if found else None


async def belong(database: Database, store_id: str, place: str) -> KnownStore:
    """Belong to this store, unless there is one already; the one that it is."""
    async with database.system() as tx:
        await tx.execute(Q.belong, store_id=store_id, place=place)
        (known,) = await tx.into(KnownStore, Q.known)
    return known


async def replace_store(tx: Transaction, store_id: str, place: str) -> None:
    """Belong to this store from now on; in a transaction of the system's."""
    await tx.execute(Q.replace, store_id=store_id, place=place)
