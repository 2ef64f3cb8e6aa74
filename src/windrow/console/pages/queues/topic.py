"""`/queues/topics/{topic}`: what was said on a topic, the newest first, redacted; nothing is taken from anybody."""

import json
from typing import Any
from urllib.parse import quote, urlencode

from windrow import messages
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.messages import Peeked
from windrow.messages.content import LONGEST_KEY
from windrow.messages.glance import subscriptions_at_a_glance

PAGE = 20
# as much of a payload as a list can show
LONGEST = 600
# behind what is not routed yet, and has no position, comes what has one
_TOP = 2**63 - 1


class TopicPage:
    """The newest messages of one topic, and who receives them."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        topic: str = visit.request.path_params["topic"].replace("\0", "")
        asked = visit.request.query_params
        key, before = asked.get("key", "").replace("\0", "")[:LONGEST_KEY], _position(asked.get("before", ""))
        async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
            found = await messages.peek(tx, topic, key=key or None, before=before, limit=PAGE + 1)
            receivers = await subscriptions_at_a_glance(tx, [topic])
        shown = found[:PAGE]
        further = {"key": key, "before": str(shown[-1].position or _TOP)} if len(found) > PAGE else {}
        context: dict[str, Any] = {
            "topic": topic,
            "here": f"/queues/topics/{quote(topic, safe='')}",
            "key": key,
            "receivers": receivers,
            "messages": [{"it": one, "payload": _excerpt(one)} for one in shown],
            "more": urlencode({name: value for name, value in further.items() if value}),
            "first": before is None,
        }
        return View("queues/topic.html", topic, "queues", context)


def _excerpt(message: Peeked) -> str:
    text = json.dumps(message.payload, indent=2, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _position(text: str) -> int | None:
    """Where the page before ended; whatever is no position is the beginning."""
    return min(int(text), _TOP) if text.isascii() and text.isdecimal() and len(text) < 20 else None
