"""One search on its way through the lots.

The index deals the items of a project into lots, each three times all those before it (migration 0008). They are looked
through in turn, the smallest first, until there is enough: a rare word is sought in all of them, a word that is in a
million items in the first, which is a fair sample of the million. The database goes from lot to lot by itself, as far as
candidates are all that is needed.
"""

import re
from collections import Counter
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
# this many candidates of one look are weighed, and no more; and of all looks together, until there is enough
MOST, ALTOGETHER = 2000, 3000
# so many rows are weighed to save the index a word that may go on; and to weigh 100 costs as much as to gather the 4096
# entries that stand behind one in the first lot
FEW, WORTH = 300, 100
# the next lot has about three times what all before it had, or by chance some more
_GROWTH = 4

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
    """What some lots showed: how many candidates there were, how many hold all that was asked for, the best of them."""

    lots: int
    seen: int
    hits: int
    best: list[Candidate]
    facets: Counter[tuple[str, str]]


class Sweep:
    """What is found, whether that is all there is, and how many candidates the index was asked for."""

    def __init__(
        self,
        tx: Transaction,
        project_id: str,
        sought: Sought,
        filters: Filters,
        take: int,
        *,
        with_facets: bool = False,
    ) -> None:
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
            "with_facets": with_facets,
        }
        self.candidates: list[Candidate] = []
        self.facets: Counter[tuple[str, str]] = Counter()
        self.count = self.weighed = 0
        self.is_all = True

    async def run(self, enough: int, *, weighed: int = ALTOGETHER) -> None:
        """Everywhere until there is enough, or so many were weighed; then, in the lots that are left, only for what is better."""
        if not self._sought.anywhere:
            return
        await self._by_rows(enough)
        await self._by_index(enough, self._sought.anywhere, MOST, weighed)
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
        most, is_known, seen = FEW, False, 0
        while self._lots and self.count < enough:
            if seen * _GROWTH >= most and not is_known:
                most, is_known = await self._patience(), True
            if seen * _GROWTH >= most:
                return
            seen += await self._weigh(min(enough - self.count, most // _GROWTH), most)

    async def _weigh(self, enough: int, most: int) -> int:
        """How many candidates there were; if too many, nothing was gained by it."""
        quoted = [*self._sought.quoted, self._sought.patterns[-1]]
        look = await self._look(self._sought.begun, quoted, enough, most)
        if look.seen < most:
            self._take_in(look)
        return look.seen

    async def _patience(self) -> int:
        asked = {"sought": self._sought.beginning, "most": MOST // WORTH}
        frequency: int = await self._tx.value(
            Q.frequency, project=self._parameters["project"], deleted=self._parameters["deleted"], **asked
        )
        return max(FEW, frequency * WORTH)

    async def _by_index(self, enough: int, query: str, most: int, left: int = ALTOGETHER) -> None:
        while self._lots and self.count < enough and left > 0:
            most = min(most, left)
            look = await self._look(query, self._sought.quoted, enough - self.count, most)
            self._take_in(look)
            self.is_all &= look.seen < most
            self.weighed += look.seen
            left -= look.seen

    def _take_in(self, look: _Look) -> None:
        self._lots = self._lots[look.lots :]
        self.count += look.hits
        self.candidates += look.best
        self.facets += look.facets

    async def _look(self, query: str, quoted: list[str], enough: int, most: int) -> _Look:
        """Lot after lot until there are enough candidates, of which at most so many are weighed."""
        asked = {"lots": self._lots, "sought": query, "quoted": quoted, "within": _within(quoted)}
        rows = await self._tx.rows(Q.lots, **self._parameters, **asked, enough=enough, most=most)
        best = [Candidate(row["place"], row["fresh"], row["item_id"]) for row in rows if row["item_id"] is not None]
        seen = rows[0]["seen"]
        lots = self._lots.index(rows[0]["last"]) + 1 if seen >= min(enough, most) else len(self._lots)
        facets = Counter({(endpoint, kind): items for endpoint, kind, items in rows[0]["facets"] or ()})
        return _Look(lots, seen, rows[0]["hits"], best, facets)


def _within(quoted: list[str]) -> list[str]:
    """What a plain text must match as it stands to hold the phrases, `TokenStore` being parted or not."""
    return ["[^a-z0-9]*".join(map(re.escape, phrase.split())) for phrase in quoted]
