"""A database and an object store belong together: whoever would use another store is stopped before it writes there.

Rows name objects. With a store of its own for each machine, one process would write what the others never find. A store is
known by the id that lies in it, wherever it is moved to; the database remembers the first one that was used with it.
"""

import platform
from dataclasses import dataclass

from windrow.app.outside import store_url
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Actor
from windrow.objects import Objects
from windrow.objects.identity import identified, identity
from windrow.objects.memory import MemoryObjects
from windrow.postgres import Database, audit
from windrow.postgres.object_store import KnownStore, belong, known_store, replace_store
from windrow.settings import Settings
from windrow.telemetry import emit

_ADOPT = "`windrow doctor --adopt-store` goes on with this one, without the objects that the database still names"


@dataclass(frozen=True, slots=True)
class Pair:
    """A store at its place, by its id if it has one, and the store that the database knows, if any."""

    place: str
    store_id: str | None
    known: KnownStore | None

    def must_match(self) -> None:
        """Refuse a store that is not the known one; before the first is known, any may become it."""
        if self.known is None or self.known.store_id == self.store_id:
            return
        was = f"that one lay at {self.known.place} on {self.known.since:%Y-%m-%d}"
        if self.store_id is None:
            raise Fatal(
                f"the object store {self.place} was never used with this database: {was}",
                code=Code.CONFIGURATION,
                hint=f"name the right one in WINDROW_OBJECT_STORE, or bring it back from a backup; if it is lost, {_ADOPT}",
            )
        raise Fatal(
            f"the object store {self.place} is not the one of this database: {was}",
            code=Code.CONFIGURATION,
            hint=f"name that one in WINDROW_OBJECT_STORE (several machines share a bucket); if it is lost, {_ADOPT}",
        )


def is_fleeting(objects: Objects) -> bool:
    """What is gone with its process is another store each time, and belongs to nobody."""
    return isinstance(objects, MemoryObjects)


async def paired(settings: Settings, database: Database, objects: Objects) -> Pair:
    """How the two stand to each other; nothing is changed."""
    return Pair(place_of(settings), await identity(objects), await known_store(database))


async def join(settings: Settings, database: Database, objects: Objects) -> None:
    """Before a process uses the store: it is the one of the database, or becomes it if there is none yet."""
    if is_fleeting(objects):
        return
    pair = await paired(settings, database, objects)
    if pair.known is None:
        # the store first: a crash between the two leaves an id that the next start finds
        mine = await identified(objects)
        known = await belong(database, mine, pair.place)
        pair = Pair(pair.place, mine, known)
        if known.store_id == mine:
            emit("store.joined", store_id=mine, place=pair.place)
    pair.must_match()


async def adopt(settings: Settings, database: Database, objects: Objects, actor: Actor) -> Pair:
    """From now on this store is the one of the database, by an operator's word."""
    before = await paired(settings, database, objects)
    mine = await identified(objects)
    if before.known is None or before.known.store_id != mine:
        async with database.system() as tx:
            await replace_store(tx, mine, before.place)
            await tx.become(settings.tenant)
            was = {"store_id": before.known.store_id, "place": before.known.place} if before.known else None
            now = {"store_id": mine, "place": before.place}
            await audit.record(
                tx, actor, "store.adopt", "object-store", before=was, after=now, details={"before": was, "after": now}
            )
        emit("store.joined", store_id=mine, place=before.place)
    return await paired(settings, database, objects)


def place_of(settings: Settings) -> str:
    """Where the store lies, for people: a path alone does not tell on which machine."""
    url = store_url(settings)
    return f"{url} on {platform.node()}" if url.startswith("file:") else url
