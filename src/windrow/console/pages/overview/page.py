"""`/`: is everything flowing, what is stuck, and where to look."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow.console.pages.charts import Chart, columns, shares
from windrow.console.pages.conditions import CONDITIONS, OUTCOMES
from windrow.console.pages.desk import Desk
from windrow.console.pages.overview.engines import Engine
from windrow.console.pages.overview.matters import LETTERS, MOST, counted, matters
from windrow.console.pages.rendering import View
from windrow.console.pages.words import number
from windrow.console.session import Visit
from windrow.postgres import load
from windrow.postgres.pool import Row
from windrow.web.principal import Role

Q = load(__package__, "overview.sql")

Feel = Callable[[], Awaitable[Engine]]


class Overview:
    """The first page. `engines` are felt beside the database, which is felt by asking it."""

    def __init__(self, desk: Desk, engines: Sequence[Feel]) -> None:
        self._database, self._engines = desk.database, engines

    async def look(self, visit: Visit) -> View:
        scope = visit.principal.scope
        begun = datetime.now(UTC)
        async with self._database.tenant(scope.tenant_id) as tx:
            standings = await tx.rows(Q.standings, project=scope.project_id)
            pace = await tx.rows(Q.pace, project=scope.project_id)
            hours = await tx.rows(Q.hours, project=scope.project_id)
            queues = await tx.row(Q.queues, project=scope.project_id, most=MOST + 1)
        assert queues, "a row of counts"
        engines = [Engine("PostgreSQL", True, "answers"), *[await feel() for feel in self._engines]]
        conditions = _conditions(standings)
        # who may not read what could not be delivered sees how much it is
        letters = LETTERS if visit.may(Role.ADMIN) else "/queues"
        troubles = [row for row in standings if row["about"] == "trouble"]
        context = {
            "conditions": conditions,
            "known": CONDITIONS,
            "endpoints": sum(conditions.values()),
            "spread": _spread(conditions),
            "troubles": troubles,
            "stumbling": sum(int(row["value"]) for row in standings if row["about"] == "stumbling"),
            "matters": matters(conditions, queues, letters),
            "letters": letters,
            "counted": counted,
            "lags": [row for row in standings if row["about"] == "lag"],
            "pace": _pace(pace, begun),
            "hours": _hours(hours, begun),
            "queues": queues,
            "engines": engines,
            "well": all(engine.well is not False for engine in engines),
        }
        return View("overview/page.html", "Overview", "overview", context, "overview/live.html", "/live/overview")


def _conditions(standings: Sequence[Row]) -> dict[str, int]:
    """In the order of the words' list, those that there are."""
    found = {row["name"]: int(row["value"]) for row in standings if row["about"] == "condition"}
    return {word: found[word] for word in CONDITIONS if word in found}


def _spread(conditions: Mapping[str, int]) -> Chart:
    said = ", ".join(f"{count} {word}" for word, count in conditions.items())
    return shares(conditions, f"Endpoints by how they are: {said or 'none'}.")


@dataclass(frozen=True, slots=True)
class Pace:
    """What came in during the last hour, drawn, and how fast it does now."""

    chart: Chart
    now: float
    total: int


def _pace(rows: Sequence[Row], now: datetime) -> Pace:
    by_minute = {row["minute"]: row for row in rows}
    this = now.replace(second=0, microsecond=0)
    steps = [by_minute.get(this - timedelta(minutes=back)) for back in range(59, -1, -1)]
    series = [{"changed": row["changed"], "unchanged": row["unchanged"]} if row else {} for row in steps]
    total = sum(row["changed"] + row["unchanged"] for row in rows)
    # the minute that is under way is not over
    lately = sum(sum(step.values()) for step in series[-6:-1]) / 5
    most = max((sum(step.values()) for step in series), default=0)
    said = f"Items per minute in the last hour: {number(lately)} lately, {number(most)} at the most, {number(total)} in all."
    return Pace(columns(series, said, width=480, height=72), lately, total)


@dataclass(frozen=True, slots=True)
class Hours:
    """The runs of a day, drawn and counted."""

    chart: Chart
    counts: dict[str, int]


def _hours(rows: Sequence[Row], now: datetime) -> Hours:
    this = now.replace(minute=0, second=0, microsecond=0)
    by_hour: dict[datetime, dict[str, int]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        by_hour.setdefault(row["hour"], {})[row["outcome"]] = row["runs"]
        counts[row["outcome"]] = counts.get(row["outcome"], 0) + row["runs"]
    series = [_ordered(by_hour.get(this - timedelta(hours=back), {})) for back in range(23, -1, -1)]
    said = ", ".join(f"{count} {outcome}" for outcome, count in _ordered(counts).items()) or "none"
    return Hours(columns(series, f"Runs in the last 24 hours: {said}.", width=480, height=72), _ordered(counts))


def _ordered(counts: Mapping[str, int]) -> dict[str, Any]:
    return {outcome: counts[outcome] for outcome in OUTCOMES if outcome in counts}
