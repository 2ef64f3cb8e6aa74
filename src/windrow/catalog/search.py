"""Full-text search: what a tenant's items are called, where they are, whose they are."""

import time
from dataclasses import dataclass
from enum import IntEnum

from windrow.catalog.asked import Asked, parse
from windrow.catalog.facets import Facet
from windrow.catalog.filters import Filters
from windrow.catalog.reading import Summary, summaries
from windrow.catalog.sought import Sought
from windrow.catalog.sweep import Sweep
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load
from windrow.telemetry.catalogue import catalog as told

DEEPEST = 500
ENOUGH = 60
MOST_WORDS = 24

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
    """A page of hits. There are `count` of them; unless `is_all`, there are more, which nobody looked at.

    `behind` items of the tenant were written so lately that they are not found by their present words yet. `facets`, where
    they were asked for, say of which endpoints and types those are that were looked at.
    """

    hits: tuple[Hit, ...]
    count: int
    is_all: bool
    behind: int
    next: int | None
    facets: tuple[Facet, ...] = ()


async def search(
    tx: Transaction,
    scope: Scope,
    text: str,
    filters: Filters | None = None,
    *,
    skip: int = 0,
    limit: int = 20,
    with_facets: bool = False,
) -> Found:
    """What answers to the text, the best first: by name, then by path, then the rest; the freshest first among equals."""
    if not 0 <= skip < DEEPEST:
        raise ValidationFailure(
            f"only the first {DEEPEST} hits can be looked through", hint="search for more words, or filter"
        )
    began = time.perf_counter()
    filters = filters or Filters()
    size = max(1, min(limit, DEEPEST))
    take = min(skip + size, DEEPEST)
    sought, behind = await _sought(tx, parse(text), filters)
    sweep = Sweep(tx, scope.project_id, sought, filters, take, with_facets=with_facets)
    # by the size of the page, not by its place: all pages of a search are of one sample
    await sweep.run(max(ENOUGH, size))
    page = sorted(sweep.candidates, key=lambda candidate: candidate.rank)[skip:take]
    items = {item.item_id: item for item in await summaries(tx, [candidate.item_id for candidate in page])}
    told.SEARCH_SECONDS.record(time.perf_counter() - began, reach="all" if sweep.is_all else "sample")
    return Found(
        hits=tuple(Hit(items[each.item_id], FoundIn(each.place)) for each in page if each.item_id in items),
        count=sweep.count,
        is_all=sweep.is_all,
        behind=behind,
        next=take if take < min(sweep.count, DEEPEST) else None,
        facets=tuple(Facet(*pair, items, sweep.is_all) for pair, items in sorted(sweep.facets.items())),
    )


async def _sought(tx: Transaction, asked: Asked, filters: Filters) -> tuple[Sought, int]:
    kinds = [filters.entity_type] if filters.entity_type is not None else []
    groups = (asked.phrases, asked.words, asked.without, kinds)
    row = await tx.row(Q.words, said=[said for group in groups for said in group])
    assert row
    split = iter(tuple(words) for words in row["words"])
    phrases, words, without, of_kind = ([next(split) for _ in group] for group in groups)
    needed = tuple(word for part in (*phrases, *words) for word in part)
    sought = Sought(
        words=needed[:MOST_WORDS],
        unfinished=asked.unfinished and bool(words[-1]) and len(needed) <= MOST_WORDS,
        phrases=tuple(phrases),
        without=tuple(without),
        entity_type=tuple(word for part in of_kind for word in part),
        label=filters.label,
        owner=filters.owner,
        endpoint=filters.endpoint,
    )
    return sought, row["behind"]
