"""One search on its way through the lots.

The index deals the items of a project into lots, each three times all those before it (migration 0008). They are looked
through in turn, the smallest first, until there is enough: a rare word is sought in all of them, a word that is in a
million items in the first, which is a fair sample of the million.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from windrow.catalog.filters import Filters
from windrow.catalog.sought import Sought
from windrow.postgres import Transaction, load

LOTS = 7
ENOUGH = 60
# this many candidates of one look are weighed, and no more
MOST = 2000
# more rows than this are not weighed to save the index a word that may go on: of the small lots, of the large ones
FEW, SOME = 200, 1000
# who has found nothing in one item of 256 will not find too much in all the others
_SMALL = 3

Q = load(__package__, "search.sql")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that answers, where it was found, and how fresh it is."""

    place: int
    fresh: datetime
    item_id: UUID

    @property
    def rank(self) -> tuple[int, float, UUID]:
        """The best first: by place, then the freshest; the id decides where nothing else does."""
        return (self.place, -self.fresh.timestamp(), self.item_id)


@dataclass(frozen=True, slots=True)
class _Look:
    """What some lots showed: how many candidates were weighed, how many hold all that was asked for, the best of them."""

    seen: int
    hits: int
    best: list[Candidate]


class Sweep:
    """What is found, and whether that is all there is."""

    def __init__(self, tx: Transaction, project_id: str, sought: Sought, filters: Filters, take: int) -> None:
        self._tx, self._sought, self._take = tx, sought, take
        self._lots = list(range(LOTS))
        self._parameters: dict[str, Any] = {
            "project": project_id,
            "take": take,
            "whole": sought.whole,
            "patterns": sought.patterns,
            "barred": sought.barred,
            "endpoint": filters.endpoint,
            "entity_type": filters.entity_type,
            "label": filters.label,
            "owner": filters.owner,
            "deleted": filters.deleted,
        }
        self.candidates: list[Candidate] = []
        self.count = 0
        self.is_all = True

    async def run(self) -> None:
        """Everywhere until there is enough; then, in the lots that are left, only for what is better."""
        if not self._sought.anywhere:
            return
        enough = max(ENOUGH, self._take)
        await self._by_rows(enough)
        await self._by_index(enough, self._sought.anywhere)
        self.is_all &= not self._lots
        for query in self._sought.better:
            await self._by_index(self.count + self._take, query)

    async def _by_rows(self, enough: int) -> None:
        """The index is asked for the finished words only, and the rows for the last one, as long as they are few."""
        if not self._sought.begun:
            return
        quoted = [*self._sought.quoted, self._sought.patterns[-1]]
        while self._lots and self.count < enough:
            lots = self._next()
            most = FEW if lots[0] < _SMALL else SOME
            look = await self._look(lots, self._sought.begun, quoted, most)
            if look.seen == most:
                return
            self._take_in(lots, look)

    async def _by_index(self, enough: int, query: str) -> None:
        while self._lots and self.count < enough:
            lots = self._next()
            look = await self._look(lots, query, self._sought.quoted, MOST)
            self._take_in(lots, look)
            self.is_all &= look.seen < MOST

    def _next(self) -> list[int]:
        nothing_yet = self.count == 0 and self._lots[0] >= _SMALL
        return self._lots if nothing_yet else self._lots[:1]

    def _take_in(self, lots: list[int], look: _Look) -> None:
        self._lots = self._lots[len(lots) :]
        self.count += look.hits
        self.candidates += look.best

    async def _look(self, lots: list[int], query: str, quoted: list[str], most: int) -> _Look:
        asked = {"lots": lots, "sought": query, "quoted": quoted, "most": most}
        rows = await self._tx.rows(Q.lots, **self._parameters, **asked)
        best = [Candidate(row["place"], row["fresh"], row["item_id"]) for row in rows if row["item_id"] is not None]
        return _Look(rows[0]["seen"], rows[0]["hits"], best)
