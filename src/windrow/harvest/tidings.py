"""Tidings become items: through the lane `events`, whose source is what was heard, and whose cursor is how far it was looked at.

A page is so many tidings and what the source answered about them, published and passed by in one transaction like any page: a
crash leaves the cursor before it, and the source is asked again.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from psycopg.types.json import Jsonb

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.tidings import Heard, Hearing
from windrow.contracts.page import Cursor, Page, Transformed
from windrow.contracts.scope import Scope
from windrow.harvest.cursors import Cursors
from windrow.outbox.lane import EVENTS, Lane
from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry.catalogue import tidings as told

Q = load(__package__, "tidings.sql")

CHANNEL = "windrow_tidings"
KEEP = timedelta(days=7)
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Waiting:
    """An endpoint that has told something."""

    scope: Scope
    endpoint_id: str

    @property
    def lane(self) -> Lane:
        return Lane(self.scope, self.endpoint_id, EVENTS)

    @property
    def key(self) -> dict[str, str]:
        return {"project": self.scope.project_id, "endpoint": self.endpoint_id}


async def note(tx: Transaction, about: Waiting, heard: Heard) -> bool:
    """Keep what was heard; False if this delivery is known."""
    await tx.execute(Q.lock, **about.key)
    noted = await tx.row(Q.note, **about.key, delivery=heard.delivery_id, refs=Jsonb(list(heard.references)))
    return noted is not None


async def waiting(database: Database, *, most: int = 100) -> list[Waiting]:
    """Endpoints of all tenants with something to look up."""
    async with database.system() as tx:
        rows = await tx.rows(Q.waiting, most=most)
    return [Waiting(Scope(row["tenant_id"], row["project_id"]), row["endpoint_id"]) for row in rows]


async def settle(database: Database, about: Waiting, directive: str) -> int:
    """What the lane's cursor has passed is done; how many."""
    async with database.tenant(about.scope.tenant_id) as tx:
        position = await Cursors(about.lane, directive).load(tx)
        if position.cursor is None:
            return 0
        return await tx.execute(Q.looked_up, **about.key, upto=position.cursor["tiding"])


async def purge(database: Database, *, keep: timedelta = KEEP) -> int:
    """Remove what was looked up longer ago than that; how many."""
    removed = 0
    while not is_cancelled():
        async with database.system() as tx:
            gone: int = await tx.value(Q.purge, keep=keep, most=_AT_ONCE)
        removed += gone
        if gone < _AT_ONCE:
            break
    return removed


class LookedUp(Connector[Any]):
    """A connector, asked for what was heard and for nothing else."""

    def __init__(self, inner: Connector[Any], database: Database, about: Waiting) -> None:
        super().__init__(inner.config, inner.context)
        self._inner, self._database, self._about = inner, database, about
        # of an instance, since it is another's: the type has none
        self.spec = inner.spec  # type: ignore[misc]

    async def prepare(self) -> list[Finding]:
        """The connector's own."""
        return await self._inner.prepare()

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """The tidings behind the cursor, a page of them at a time, and the things they name as they are now."""
        at = cursor["tiding"] if cursor else 0
        while True:
            async with self._database.tenant(self._about.scope.tenant_id) as tx:
                heard = await tx.rows(Q.behind, **self._about.key, after=at, most=page_size)
            began = time.perf_counter()
            named = _each_once([one for tiding in heard for one in tiding["refs"]])
            records = await cast("Hearing", self._inner).look_up(named) if named else []
            told.LOOKED_UP.add(len(heard), directive=self.spec.name)
            told.LOOK_UP_SECONDS.record(time.perf_counter() - began, directive=self.spec.name)
            at = heard[-1]["seq"] if heard else at
            last = len(heard) < page_size
            yield Page(records=records, cursor={"tiding": at}, position=f"tiding {at}", last=last)
            if last:
                return

    def transform(self, page: Page) -> Transformed:
        """As in any harvest."""
        return self._inner.transform(page)

    def progress(self, cursor: Cursor) -> int | None:
        """The tiding's number."""
        return int(cursor["tiding"]) if cursor else 0


def _each_once(references: list[Any]) -> list[Any]:
    """What is named several times is looked at once: it is asked for after all of them were heard."""
    seen: list[Any] = []
    for reference in references:
        if reference not in seen:
            seen.append(reference)
    return seen
