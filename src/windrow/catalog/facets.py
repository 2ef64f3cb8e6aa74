"""How many items there are of each kind, counted as far as it matters to somebody who chooses one; beyond that, guessed."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row

# beyond these, `counts` knows; it takes as much longer as there are items
FURTHEST, PAIRS, ALTOGETHER = 1000, 200, 30_000
# a program is told more pairs than people look at, each counted less far
LISTED = 500
# so many are drawn to guess from
SAMPLE = 3000

Q = load(__package__, "facets.sql")

Pair = tuple[str, str]


class Sure(StrEnum):
    """How a number of items is meant."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class Facet:
    """How many items of one type an endpoint has. Unless `is_all` there are more; or so many, by a `guess`."""

    endpoint_id: str
    entity_type: str
    items: int
    is_all: bool
    guess: bool = False

    @property
    def sure(self) -> Sure:
        return Sure.EXACT if self.is_all else Sure.ABOUT if self.guess else Sure.AT_LEAST


@dataclass(frozen=True, slots=True)
class Tally:
    """How many items of one type an endpoint has, the tombstones (`deleted`) apart. Each number is `exact`; or there are
    `at_least` so many, which is as far as they were counted; or `about` so many, guessed from a sample."""

    endpoint_id: str
    entity_type: str
    items: int
    deleted: int
    items_are: Sure = Sure.EXACT
    deleted_are: Sure = Sure.EXACT


@dataclass(frozen=True, slots=True)
class Tallies:
    """Of every endpoint and type; unless `is_all`, some that have few items are left out."""

    items: tuple[Tally, ...]
    is_all: bool


async def facets(
    tx: Transaction, scope: Scope, *, deleted: bool = False, furthest: int = FURTHEST, pairs: int = PAIRS
) -> list[Facet]:
    """By endpoint and type, of those that are there or of those that are gone; counted up to a bound, guessed beyond."""
    rows = await _rows(tx, scope, None, furthest, pairs)
    (side,) = await _sides(tx, scope, rows, (deleted,), whole=len(rows) < pairs)
    return [facet for facet in side.values() if facet.items or not facet.is_all]


async def tallies(
    tx: Transaction, scope: Scope, *, endpoint: str | None = None, furthest: int = FURTHEST, pairs: int = LISTED
) -> Tallies:
    """The same of both, for all endpoints or for one."""
    rows = await _rows(tx, scope, endpoint, furthest, pairs)
    whole = len(rows) < pairs
    there, gone = await _sides(tx, scope, rows, (False, True), endpoint=endpoint, whole=whole)
    return Tallies(tuple(_tally(pair, there, gone) for pair in sorted(there.keys() | gone.keys())), whole)


async def _rows(tx: Transaction, scope: Scope, endpoint: str | None, furthest: int, pairs: int) -> list[Row]:
    bounds = {"pairs": pairs, "furthest": furthest, "altogether": ALTOGETHER}
    return await tx.rows(Q.facets, project=scope.project_id, endpoint=endpoint, first=endpoint or "", **bounds)


async def _sides(
    tx: Transaction,
    scope: Scope,
    rows: Sequence[Row],
    sides: Sequence[bool],
    *,
    endpoint: str | None = None,
    whole: bool,
) -> list[dict[Pair, Facet]]:
    """For those that are there (False) or gone (True), as was asked: what was counted, or a guess where that says more."""
    found = [{_pair(row): _counted(row, deleted=deleted) for row in rows} for deleted in sides]
    if whole and all(facet.is_all for side in found for facet in side.values()):
        return found
    for row in await tx.rows(Q.sample, project=scope.project_id, endpoint=endpoint, size=SAMPLE):
        for deleted, side in zip(sides, found, strict=True):
            guess = int((row["gone"] if deleted else row["items"]) * 2**128 / (row["last"].int + 1))
            facet = side.get(_pair(row))
            # one that is not among the pairs that were counted stands behind them
            if (facet is None and guess) or (facet and not facet.is_all and guess > facet.items):
                side[_pair(row)] = Facet(*_pair(row), guess, is_all=False, guess=True)
    return found


def _pair(row: Row) -> Pair:
    return row["endpoint_id"], row["entity_type"]


def _counted(row: Row, *, deleted: bool) -> Facet:
    bound = row["furthest"]
    items = row["gone"] if deleted else row["items"] - row["gone"]
    # tombstones that were not all counted may be among those that were: there are as many at least
    is_all = row["gone"] <= bound and items <= bound
    return Facet(*_pair(row), min(items, bound), is_all)


def _tally(pair: Pair, there: dict[Pair, Facet], gone: dict[Pair, Facet]) -> Tally:
    unknown = Facet(*pair, 0, is_all=False)
    items, deleted = there.get(pair, unknown), gone.get(pair, unknown)
    return Tally(*pair, items.items, deleted.items, items.sure, deleted.sure)
