"""Full-text search: what a tenant's items are called, where they are, whose they are.

The index deals the items into lots that grow eightfold and more. A search takes them one by one, the smallest first, and
stops when it has enough: a rare word is sought in all of them, a word that is in a million items in the first, which is a
fair sample. Then it still looks for better hits in the others, in names alone. docs/explanation/search.md has the reasons.
"""

import time
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any
from uuid import UUID

from windrow.catalog.asked import Asked, parse
from windrow.catalog.filters import Filters
from windrow.catalog.reading import Summary, summaries
from windrow.catalog.sought import Sought
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Transaction, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import catalog as told

LOTS = 4
ENOUGH = 100
DEEPEST = 500
# a lot of which this many candidates were seen is not looked at further
MOST = 2000

Q = load(__package__, "search.sql")


class FoundIn(IntEnum):
    """Where it was found, the best first."""

    WHOLE_NAME = 1
    NAME = 2
    PATH = 3
    ELSEWHERE = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """An item that was found, and where."""

    item: Summary
    where: FoundIn


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A page of hits. There are `count` of them; unless `is_all`, there are more, which nobody looked at."""

    hits: tuple[Hit, ...]
    count: int
    is_all: bool
    next: int | None


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: int
    fresh: datetime
    item_id: UUID

    @property
    def rank(self) -> tuple[int, float, UUID]:
        return (self.place, -self.fresh.timestamp(), self.item_id)


async def search(
    tx: Transaction, scope: Scope, text: str, filters: Filters | None = None, *, skip: int = 0, limit: int = 20
) -> Found:
    """What answers to the text, the best first: by name, then by path, then the rest; the freshest first among equals."""
    if not 0 <= skip < DEEPEST:
        raise ValidationFailure(
            f"only the first {DEEPEST} hits can be looked through", hint="search for more words, or filter"
        )
    began = time.perf_counter()
    filters = filters or Filters()
    take = min(skip + max(1, limit), DEEPEST)
    sweep = _Sweep(tx, scope, await _sought(tx, parse(text), filters), filters, take)
    await sweep.run()
    page = sorted(sweep.candidates, key=lambda candidate: candidate.rank)[skip:take]
    items = {item.item_id: item for item in await summaries(tx, [candidate.item_id for candidate in page])}
    # one that is gone from under us between two statements is left out
    hits = tuple(Hit(items[each.item_id], FoundIn(each.place)) for each in page if each.item_id in items)
    told.SEARCH_SECONDS.record(time.perf_counter() - began, reach="all" if sweep.is_all else "sample")
    return Found(
        hits=hits,
        count=sweep.count,
        is_all=sweep.is_all,
        next=take if take < min(sweep.count, DEEPEST) else None,
    )


async def tidy(database: Database) -> int:
    """Sort the words that were written last into the index, so that a search need not read them one by one; the pages."""
    row = await database.row(Q.tidy)
    pages: int = row["pages"] if row else 0
    if pages:
        emit("search.tidied", pages=pages)
    return pages


async def _sought(tx: Transaction, asked: Asked, filters: Filters) -> Sought:
    known_by = [text for text in (filters.entity_type, filters.label, filters.owner) if text is not None]
    groups = (asked.phrases, asked.words, asked.without, known_by)
    rows = await tx.rows(Q.words, said=[said for group in groups for said in group])
    split = iter(tuple(row["words"]) for row in rows)
    phrases, words, without, filtering = ([next(split) for _ in group] for group in groups)
    return Sought(
        words=tuple(word for part in (*phrases, *words) for word in part),
        unfinished=asked.unfinished and any(words) and bool(words[-1]),
        phrases=tuple(phrases),
        without=tuple(without),
        filters=tuple(word for part in filtering for word in part),
        endpoint=filters.endpoint,
    )


class _Sweep:
    """One search on its way through the lots."""

    def __init__(self, tx: Transaction, scope: Scope, sought: Sought, filters: Filters, take: int) -> None:
        self._tx, self._sought, self._take = tx, sought, take
        self._lot = 0
        self._parameters: dict[str, Any] = {
            "project": scope.project_id,
            "most": MOST,
            "take": take,
            "whole": sought.whole,
            "patterns": sought.patterns,
            "quoted": sought.quoted,
            "barred": sought.barred,
            "phrases": bool(sought.quoted or sought.barred),
            "endpoint": filters.endpoint,
            "entity_type": filters.entity_type,
            "label": filters.label,
            "owner": filters.owner,
            "deleted": filters.deleted,
        }
        self.candidates: list[_Candidate] = []
        self.count = 0
        self.is_all = True

    async def run(self) -> None:
        """Anywhere, until there is enough; in the lots that are left, for what is better than what a sample shows."""
        for query in self._sought.queries:
            hits = 0
            while self._lot < LOTS and hits < max(ENOUGH, self._take):
                hits += await self._look(query)
            self.is_all &= self._lot == LOTS
            self.count += hits

    async def _look(self, query: str) -> int:
        rows = await self._tx.rows(Q.lot, sought=query, lot=self._lot, **self._parameters)
        self.candidates += [
            _Candidate(row["place"], row["fresh"], row["item_id"]) for row in rows if row["item_id"] is not None
        ]
        self._lot += 1
        self.is_all &= rows[0]["seen"] < MOST
        hits: int = rows[0]["hits"]
        return hits
