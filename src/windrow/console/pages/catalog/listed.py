"""`/catalog`: what is in it. With words, what answers to them; without, what changed last."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow import catalog
from windrow.catalog import Facet, Found, FoundIn, Fresh, Hit, Kind, Latest
from windrow.console.pages.catalog.choices import choices, total
from windrow.console.pages.catalog.question import Question
from windrow.console.pages.charts import Chart, columns
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.pages.words import number
from windrow.console.session import Visit
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction, load
from windrow.postgres.pool import Row

Q = load(__package__, "catalog.sql")

PAGE = 50
DAYS = 30
FATES = ("created", "updated", "deleted")
TONES = {Kind.CREATED: "good", Kind.CHANGED: "busy", Kind.RESTORED: "busy", Kind.DELETED: "warn"}
WHERE = {
    FoundIn.WHOLE_NAME: "it is the name",
    FoundIn.NAME: "in the name",
    FoundIn.PATH: "in name and path",
    FoundIn.ELSEWHERE: "in id, labels or owners",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page shows: items by when they changed, or by how well they answer; and how many there are of each kind."""

    facets: Sequence[Facet]
    found: Found | None = None
    latest: Latest | None = None
    days: Sequence[Row] | None = None

    @property
    def rows(self) -> Sequence[Fresh | Hit]:
        return self.found.hits if self.found else self.latest.items if self.latest else ()

    @property
    def next(self) -> object | None:
        return self.found.next if self.found else self.latest.next if self.latest else None


class Catalog:
    """The list: searched, filtered, a page at a time."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        question, scope = Question.of(visit.request.query_params), visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            answer = await _answer(tx, scope, question)
        context: dict[str, Any] = {
            "asked": question,
            "sought": question.words,
            "rows": answer.rows,
            "found": answer.found,
            "latest": answer.latest,
            "days": _days(answer.days) if answer.days else None,
            "choices": choices(question, answer.facets),
            "count": total(answer.facets),
            "more": question.href(after=str(answer.next)) if answer.next is not None else None,
            "tones": TONES,
            "where": WHERE,
            "fates": FATES,
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View(
            "catalog/list.html", "Catalog", "catalog", context, "catalog/list_live.html", f"/live/catalog{query}"
        )


async def _answer(tx: Transaction, scope: Scope, question: Question) -> Answer:
    if question.words.strip():
        return await _searched(tx, scope, question)
    facets = await catalog.facets(tx, scope, deleted=question.gone)
    if question.chosen and question.skipped:
        return Answer(facets, await _filtered(tx, scope, question))
    latest = await catalog.latest(tx, scope, question.filters, after=question.mark, limit=PAGE)
    if question.chosen and question.is_first and latest.next and len(latest.items) < PAGE:
        # few of them changed lately: then whichever there are, found by what they are filtered by
        found = await _filtered(tx, scope, question)
        if len(found.hits) > len(latest.items):
            return Answer(facets, found)
    drawn = not question.gone and not (question.chosen.keys() - {"endpoint"})
    days = await tx.rows(Q.days, project=scope.project_id, endpoint=question.endpoint) if drawn else None
    return Answer(facets, latest=latest, days=days)


async def _searched(tx: Transaction, scope: Scope, question: Question) -> Answer:
    narrow, wide = question.filters, Question(label=question.label, owner=question.owner, gone=question.gone).filters
    found = await catalog.search(
        tx, scope, question.words, narrow, skip=question.skipped, limit=PAGE, with_facets=narrow == wide
    )
    if narrow == wide:
        return Answer(found.facets, found)
    # a facet that is chosen does not take the others away: they are counted without it
    others = await catalog.search(tx, scope, question.words, wide, limit=1, with_facets=True)
    return Answer(others.facets, found)


async def _filtered(tx: Transaction, scope: Scope, question: Question) -> Found:
    return await catalog.search(tx, scope, "", question.filters, skip=question.skipped, limit=PAGE)


def _days(rows: Sequence[Row]) -> Chart:
    by_day = {row["day"].date(): row for row in rows}
    today = datetime.now(UTC).date()
    steps = [by_day.get(today - timedelta(days=back)) for back in range(DAYS - 1, -1, -1)]
    series: list[dict[str, float]] = [{fate: step[fate] or 0 for fate in FATES} if step else {} for step in steps]
    totals = {fate: sum(row[fate] or 0 for row in rows) for fate in FATES}
    said = ", ".join(f"{number(count)} {fate}" for fate, count in totals.items() if count) or "none"
    return columns(series, f"Changes of the last {DAYS} days: {said}.", width=480, height=56)
