"""How many items there are of each kind, counted as far as it matters to somebody who chooses one; beyond that, guessed."""

from dataclasses import dataclass

from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row

# beyond these, `counts` knows; it takes as much longer as there are items
FURTHEST, PAIRS, ALTOGETHER = 1000, 200, 30_000
# so many are drawn to guess from
SAMPLE = 3000

Q = load(__package__, "facets.sql")


@dataclass(frozen=True, slots=True)
class Facet:
    """How many items of one type an endpoint has. Unless `is_all` there are more; or so many, by a `guess`."""

    endpoint_id: str
    entity_type: str
    items: int
    is_all: bool
    guess: bool = False


async def facets(
    tx: Transaction, scope: Scope, *, deleted: bool = False, furthest: int = FURTHEST, pairs: int = PAIRS
) -> list[Facet]:
    """By endpoint and type, of those that are there or of those that are gone; counted up to a bound, guessed beyond."""
    rows = await tx.rows(Q.facets, project=scope.project_id, pairs=pairs, furthest=furthest, altogether=ALTOGETHER)
    counted = {(row["endpoint_id"], row["entity_type"]): _counted(row, deleted=deleted) for row in rows}
    if len(rows) < pairs and all(facet.is_all for facet in counted.values()):
        return [facet for facet in counted.values() if facet.items]
    for pair, guess in (await _guesses(tx, scope, deleted=deleted)).items():
        facet = counted.get(pair)
        # one that is not among the pairs that were counted stands behind them
        if facet is None or (not facet.is_all and guess > facet.items):
            counted[pair] = Facet(*pair, guess, is_all=False, guess=True)
    return [facet for facet in counted.values() if facet.items or not facet.is_all]


def _counted(row: Row, *, deleted: bool) -> Facet:
    bound = row["furthest"]
    items = row["gone"] if deleted else row["items"] - row["gone"]
    # tombstones that were not all counted may be among those that were: there are as many at least
    is_all = row["gone"] <= bound and items <= bound
    return Facet(row["endpoint_id"], row["entity_type"], min(items, bound), is_all)


async def _guesses(tx: Transaction, scope: Scope, *, deleted: bool) -> dict[tuple[str, str], int]:
    """How many there are of each pair, if all are like a sample."""
    rows = await tx.rows(Q.sample, project=scope.project_id, deleted=deleted, size=SAMPLE)
    return {
        (row["endpoint_id"], row["entity_type"]): int(row["items"] * 2**128 / (row["last"].int + 1)) for row in rows
    }
