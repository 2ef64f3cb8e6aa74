"""`/catalog/{item_id}`: one item, what its source says, how that was learnt, how it changed, what it has to do with others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from windrow import catalog
from windrow.blobs import State
from windrow.catalog import Kind, Revision
from windrow.console.pages.catalog.graph import drawn, more
from windrow.console.pages.catalog.listed import TONES
from windrow.console.pages.catalog.question import Question
from windrow.console.pages.catalog.said import Said, lines, outward, said
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.web.problem import Refusal

STEPS = 10
# of one step; a source may have rewritten everything
FIELDS, LONGEST = 24, 1000


@dataclass(frozen=True, slots=True)
class Step:
    """A revision, with what it made different as text."""

    revision: Revision
    fields: tuple[tuple[str, Said, Said], ...]
    more: int


class ItemPage:
    """One item."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._blobs = desk.database, desk.blobs

    async def look(self, visit: Visit) -> View:
        scope, item_id = visit.principal.scope, _item_id(visit)
        before = _before(visit.request.query_params.get("before", ""))
        async with self._database.tenant(scope.tenant_id) as tx:
            held = await catalog.item(tx, scope, item_id)
            steps = await catalog.history(tx, item_id, before=before, limit=STEPS)
            ties = await catalog.ties(tx, item_id)
            unlisted = await catalog.missing_since(tx, held) if held.item.deleted else None
        files = await self._blobs.of_item(scope, item_id)
        it = held.item
        context: dict[str, Any] = {
            "held": held,
            "it": it,
            "url": outward(it.url),
            "attributes": lines(it.attributes),
            "unlisted": unlisted,
            "ties": ties,
            "graph": drawn(it.display_name, ties),
            "more_of": more,
            "steps": _steps(steps),
            "tones": TONES,
            "older": steps[-1].revision if steps and steps[-1].kind is not Kind.CREATED else None,
            "before": before,
            "files": files,
            "linked": State.LINKED,
            "asked": Question(),
        }
        return View("catalog/one.html", it.display_name, "catalog", context)


def _steps(revisions: Sequence[Revision]) -> list[Step]:
    return [_step(revision) for revision in revisions]


def _step(revision: Revision) -> Step:
    # that it is gone, or there again, is said already
    told = [one for one in revision.differences if one.field != "deleted"]
    fields = [(one.field, said(one.before, longest=LONGEST), said(one.after, longest=LONGEST)) for one in told[:FIELDS]]
    return Step(revision, tuple(fields), len(told) - len(fields))


def _before(text: str) -> int | None:
    """From which revision on the history goes back; whatever is no number is the present."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _item_id(visit: Visit) -> UUID:
    named: str = visit.request.path_params["item_id"]
    try:
        return UUID(named)
    except ValueError:
        raise Refusal(
            404, f"there is no item {named[:80]!r}", code=Code.NOT_FOUND, hint="search the catalog for its words"
        ) from None
