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
# where a sample was enough, so many are looked for in the names of the others
BETTER = 20
# this many candidates of one look are weighed, and no more
MOST = 2000
# so many rows of a lot are weighed to save the index a word that may go on; and to weigh 40 costs as much as to gather
# the 4096 entries that stand behind one in the first lot
FEW, WORTH = 300, 40
# the next lot has about four times what the last one had
_GROWTH = 4
# who has found nothing in one item of 256 will not find too much in all the others
_SAMPLED = 3

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
        self._tx, self._sought = tx, sought
        self._lots = list(range(LOTS))
        self._parameters: dict[str, Any] = {
            "project": project_id,
            "take": max(take, BETTER),  # whether there are better ones does not depend on the page
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

    async def run(self, enough: int) -> None:
        """Everywhere until there is enough; then, in the lots that are left, only for what is better."""
        if not self._sought.anywhere:
            return
        await self._by_rows(enough)
        await self._by_index(enough, self._sought.anywhere, MOST)
        self.is_all &= not self._lots
        await self._better(2, self._sought.in_name)
        await self._better(1, self._sought.as_name)

    async def _better(self, place: int, query: str) -> None:
        good = sum(candidate.place <= place for candidate in self.candidates)
        if query and good < BETTER:
            await self._by_index(self.count + BETTER - good, query, FEW)

    async def _by_rows(self, enough: int) -> None:
        """The index is asked for the finished words only, and the rows for the last one, as long as that is cheaper."""
        if not self._sought.begun:
            return
        quoted = [*self._sought.quoted, self._sought.patterns[-1]]
        most, is_known = FEW, False
        while self._lots and self.count < enough:
            lots = self._next()
            look = await self._look(lots, self._sought.begun, quoted, most)
            ahead = most
            if look.seen < most:
                self._take_in(lots, look)
                ahead = look.seen * _GROWTH
            if ahead >= most and not is_known:
                most, is_known = await self._patience(), True
            if ahead >= most:
                return

    async def _patience(self) -> int:
        asked = {"sought": self._sought.beginning, "most": MOST // WORTH}
        frequency: int = await self._tx.value(
            Q.frequency, project=self._parameters["project"], deleted=self._parameters["deleted"], **asked
        )
        return max(FEW, frequency * WORTH)

    async def _by_index(self, enough: int, query: str, most: int) -> None:
        while self._lots and self.count < enough:
            lots = self._next()
            look = await self._look(lots, query, self._sought.quoted, most)
            self._take_in(lots, look)
            self.is_all &= look.seen < most

    def _next(self) -> list[int]:
        nothing_yet = self.count == 0 and self._lots[0] >= _SAMPLED
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
