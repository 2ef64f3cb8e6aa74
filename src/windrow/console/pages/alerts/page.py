"""`/alerts`: what is still so first, then what people were told, the latest first; and how each channel fares."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from windrow import notify
from windrow.console.pages.alerts.channels import channels
from windrow.console.pages.charts import Chart, columns
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.pages.words import plural
from windrow.console.session import Visit
from windrow.messages.glance import subscriptions_at_a_glance
from windrow.notify import Channel, LastTold, Severity, Told
from windrow.notify.arrival import Arrival, arrivals
from windrow.notify.failures import OR_41, failed_lately
from windrow.notify.runbook import page_for
from windrow.notify.standing import DAYS, HOURS_EACH, last_words, lately
from windrow.postgres import load
from windrow.postgres.pool import Row
from windrow.web.principal import Role

Q = load(__package__, "alerts.sql")

PAGE = 30
MOST_TROUBLED = 100
# whom a notice about no endpoint is about
_TENANT = "tenant"
TONES = {Severity.CRITICAL: "bad", Severity.WARNING: "warn", Severity.INFO: "calm"}
ENDS = {"arrived": "good", "waiting": "busy", "failing": "warn", "lost": "bad"}


class Alerts:
    """Notices."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = visit.request.query_params, visit.principal.scope
        channel = Channel(asked["channel"]) if asked.get("channel") in tuple(Channel) else None
        after = _place(asked.get("after", ""))
        # what concerns the tenant as a whole names other projects too
        whole = visit.may(Role.ADMIN)
        async with self._database.tenant(scope.tenant_id) as tx:
            troubled = await tx.rows(Q.troubled, project=scope.project_id, limit=MOST_TROUBLED)
            subjects = [
                *(f"{scope.project_id}/{row['endpoint_id']}" for row in troubled),
                *([_TENANT] if whole else []),
            ]
            words = await last_words(tx, subjects)
            failed = await failed_lately(tx) if whole else None
            found = await notify.told(tx, scope.project_id, whole=whole, channel=channel, after=after, limit=PAGE + 1)
            still = still_so(words, troubled, failed or 0, channel) if after is None else []
            ends = await arrivals(tx, list({each.notice_id: each for each in [*still, *found[:PAGE]]}.values()))
            sinks = await subscriptions_at_a_glance(tx, [notify.topic_of(each) for each in Channel])
            week = await lately(tx, scope.project_id)
        known = {each.notice_id for each in still}
        shown = found[:PAGE]
        context: dict[str, Any] = {
            "still": _drawn(still, ends),
            "told": _drawn([each for each in shown if each.notice_id not in known], ends),
            "channels": channels(sinks),
            "channel": channel,
            "failed": failed,
            "tolerated": OR_41.runs,
            "hours": round(OR_41.window.total_seconds() / 3600),
            "week": _week(week, datetime.now(UTC)),
            "tones": TONES,
            "ends": ENDS,
            "may_open": whole,
            "more": _further(channel, shown[-1]) if len(found) > PAGE else None,
            "first": after is None,
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View("alerts/page.html", "Alerts", "alerts", context, "alerts/live.html", f"/live/alerts{query}")


def still_so(words: Sequence[Told], troubled: Sequence[Row], failed: int, channel: Channel | None = None) -> list[Told]:
    """Of the last words about each subject, those that nothing has answered since: the endpoint has not done well, its
    refused records are still there, the failures are still too many."""
    known = {row["endpoint_id"]: row for row in troubled}
    return [
        each
        for each in words
        if channel in (None, each.notice.channel) and _holds(each, known.get(each.notice.endpoint_id or ""), failed)
    ]


def _holds(each: Told, endpoint: Row | None, failed: int) -> bool:
    if each.notice.channel is Channel.PAGER:
        return failed > OR_41.runs
    if endpoint is None or each.notice.severity is Severity.INFO:
        return False
    if each.notice.code is None:
        return bool(endpoint["quarantined"])
    return endpoint["well_at"] is None or bool(endpoint["well_at"] < each.told_at)


def _drawn(told: Sequence[Told], ends: Mapping[UUID, Sequence[Arrival]]) -> list[dict[str, Any]]:
    return [
        {"at": each.told_at, "notice": each.notice, "ends": ends[each.notice_id], "runbook": page_for(each.notice)}
        for each in told
    ]


def _week(counts: Mapping[datetime, Mapping[Severity, int]], now: datetime) -> Chart:
    step = timedelta(hours=HOURS_EACH)
    this = datetime(2000, 1, 1, tzinfo=UTC)
    this += (now - this) // step * step
    steps = [counts.get(this - step * back, {}) for back in range(DAYS * 24 // HOURS_EACH - 1, -1, -1)]
    series = [{str(severity): found[severity] for severity in TONES if severity in found} for found in steps]
    total = {str(severity): sum(int(step.get(severity, 0)) for step in steps) for severity in TONES}
    said = ", ".join(f"{count} {severity}" for severity, count in total.items() if count)
    words = f"Notices in the last week: {said or plural(0, 'notice')}."
    return columns(series, words, width=480, height=72)


def _further(channel: Channel | None, last: Told) -> str:
    filters = {"channel": str(channel)} if channel else {}
    return urlencode({**filters, "after": f"{last.told_at.isoformat()} {last.notice_id}"})


def _place(text: str) -> LastTold | None:
    """Where the page before ended; whatever is no such place is the beginning."""
    moment, _, notice_id = text.partition(" ")
    try:
        place = LastTold(datetime.fromisoformat(moment), UUID(notice_id))
    except ValueError:
        return None
    return place if place.told_at.tzinfo else None
