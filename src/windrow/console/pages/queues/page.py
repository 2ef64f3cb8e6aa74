"""`/queues`: which lanes are stopped on a batch and why, what waits for whom, and since when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow import messages
from windrow.console.pages.charts import Chart, columns, shares
from windrow.console.pages.desk import Desk, done
from windrow.console.pages.queues.lanes import DONE as LANES_DONE
from windrow.console.pages.rendering import View
from windrow.console.pages.words import plural
from windrow.console.session import Visit
from windrow.messages import Topic
from windrow.messages.glance import (
    MOST,
    SubscriptionGlance,
    dead_by_hour,
    subscriptions_at_a_glance,
)
from windrow.outbox.glance import MOST_BATCHES, OutboxGlance, glance
from windrow.web.principal import Role


class Queues:
    """All queues on one page."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        scope = visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            outbox = await glance(tx, scope.project_id)
            topics = await messages.topics(tx, counted=MOST)
            subscriptions = await subscriptions_at_a_glance(tx)
            died = await dead_by_hour(tx)
        lines = _lines(topics, subscriptions)
        context: dict[str, Any] = {
            "outbox": outbox,
            "stopped": [lane for lane in outbox.lanes if lane.stopped_at],
            "spread": _spread(outbox),
            "most_batches": MOST_BATCHES,
            "longest": max((lane.pending for lane in outbox.lanes), default=0) or 1,
            "topics": len(topics),
            "lines": lines,
            "most": MOST,
            "pending": sum(one.pending for one in subscriptions),
            "more": any(one.more for one in subscriptions),
            "unrouted": sum(one.unrouted for one in topics),
            "failing": sum(one.failing for one in subscriptions),
            "oldest": min((one.oldest_at for one in subscriptions if one.oldest_at), default=None),
            "dead": sum(one.dead_letters for one in subscriptions),
            "many_dead": any(one.dead_letters >= MOST for one in subscriptions),
            "died": _died(died, datetime.now(UTC)),
            "may_open": visit.may(Role.ADMIN),
            "done": done(visit, LANES_DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "meant": (visit.request.path_params.get("name"), visit.form.get("lane")) if visit.form else None,
        }
        return View("queues/page.html", "Queues", "queues", context, "queues/live.html", "/live/queues")


def _spread(outbox: OutboxGlance) -> Chart:
    counts = {"halted": outbox.stopped, "waiting": outbox.waiting, "well": outbox.quiet}
    said = f"{outbox.stopped} stopped, {outbox.waiting} with batches waiting, {outbox.quiet} with none"
    return shares(counts, f"Lanes: {said}.")


def _lines(topics: Sequence[Topic], subscriptions: Sequence[SubscriptionGlance]) -> list[dict[str, Any]]:
    """A line for each subscription, those in trouble first, and one for each topic that nobody wants; how long its bar is,
    of a hundred."""
    longest = max((one.pending for one in subscriptions), default=0) or 1
    known = {topic.name: topic for topic in topics}
    in_order = sorted(subscriptions, key=lambda one: (not one.failing, not one.dead_letters, -one.pending))
    wanted = [
        {"topic": known[one.topic], "it": one, "bar": 100 * one.pending / longest}
        for one in in_order
        if one.topic in known
    ]
    unwanted = known.keys() - {one.topic for one in subscriptions}
    return wanted + [{"topic": known[name], "it": None, "bar": 0} for name in sorted(unwanted)]


def _died(by_hour: Mapping[datetime, int], now: datetime) -> Chart:
    this = now.replace(minute=0, second=0, microsecond=0)
    series = [{"failed": by_hour.get(this - timedelta(hours=back), 0)} for back in range(23, -1, -1)]
    said = f"Dead letters in the last 24 hours: {plural(sum(by_hour.values()), 'letter')}."
    return columns(series, said, width=480, height=72)
