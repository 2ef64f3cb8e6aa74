"""Pages of items, in the order of their ids."""

from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from windrow.catalog.filters import Filters
from windrow.catalog.reading import Summary
from windrow.catalog.seldom import FEW, Few, seldom
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load

MOST = 500
# most filters fill a page from so many, or from some times as many; what does not is seldom, and the indexes are asked
AT_ONCE, TIMES = 1_000, 8
# where they do not know either: few enough that nobody is kept waiting
FURTHEST = 20_000

_FIRST, _LAST = UUID(int=0), UUID(int=2**128 - 1)

Q = load(__package__, "paging.sql")


@dataclass(frozen=True, slots=True)
class Page:
    """Items in the order of their ids, and after which to go on; None when there are no more. Of what is seldom a page may hold
    fewer than were asked for, or none, and there are more all the same."""

    items: tuple[Summary, ...]
    next: UUID | None


async def items(
    tx: Transaction,
    scope: Scope,
    filters: Filters | None = None,
    *,
    after: UUID | None = None,
    limit: int = 50,
    furthest: int = FURTHEST,
    few: int = FEW,
) -> Page:
    """A page of the items that are meant. It looks no further than so many items ahead."""
    filters = filters or Filters()
    place, size = after or _FIRST, max(1, min(limit, MOST))
    meant = asdict(filters) | {"project": scope.project_id, "limit": size + 1}
    page = await _ahead(tx, meant, place, min(AT_ONCE, furthest))
    if page.next is None or len(page.items) == size:
        return page
    meant["limit"] -= len(page.items)
    is_seldom = len(page.items) * TIMES < size
    known = await seldom(tx, scope, filters, after=page.next, few=few) if is_seldom else None
    if known is not None:
        rest = await _among(tx, meant, known)
    elif furthest > AT_ONCE:
        rest = await _ahead(tx, meant, page.next, furthest - AT_ONCE)
    else:
        return page
    return Page(page.items + rest.items, rest.next)


async def _ahead(tx: Transaction, meant: dict[str, Any], after: UUID, furthest: int) -> Page:
    """Of the next ones, whatever they are."""
    until: UUID | None = await tx.value(Q.furthest, after=after, furthest=furthest)
    return _page(await tx.into(Summary, Q.page, **meant, after=after, until=until or _LAST), meant, until)


async def _among(tx: Transaction, meant: dict[str, Any], known: Few) -> Page:
    """Of those that an index named."""
    found = await tx.into(Summary, Q.among, **meant, ids=list(known.ids)) if known.ids else []
    return _page(found, meant, None if known.is_all else known.ids[-1])


def _page(found: list[Summary], meant: dict[str, Any], rest: UUID | None) -> Page:
    size = meant["limit"] - 1
    return Page(tuple(found[:size]), found[size - 1].item_id if len(found) > size else rest)
