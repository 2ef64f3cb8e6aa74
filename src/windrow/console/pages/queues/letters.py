"""`/queues/dead-letters`: what could not be delivered: grouped by what it died of, and one by one, the latest first."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from windrow import messages
from windrow.console.pages.desk import Desk, done
from windrow.console.pages.queues.sending import DONE, MOST_AT_ONCE
from windrow.console.pages.queues.sieve import LONGEST, address, sieve_of
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.messages import DeadLetter, LastLetter
from windrow.messages.glance import MOST, letter_groups

PAGE = 50
GROUPS = 30


class DeadLetters:
    """The list, of one subscription or topic if asked for."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked = visit.request.query_params
        sieve = sieve_of(visit)
        after = _place(asked.get("after", ""))
        seen = datetime.now(UTC)
        async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
            groups = await letter_groups(tx, **sieve)
            found = await messages.dead_letters(tx, **sieve, after=after, limit=PAGE + 1)
        shown = found[:PAGE]
        total = sum(group.letters for group in groups)
        context: dict[str, Any] = {
            "groups": groups[:GROUPS],
            "largest": max((group.letters for group in groups), default=0) or 1,
            "letters": shown,
            "total": total,
            "most": MOST,
            "at_once": min(total, MOST_AT_ONCE),
            "sieve": sieve,
            "query": address(sieve).partition("?")[2],
            "seen": seen.isoformat(),
            "more": address(sieve, after=_written(shown[-1])) if len(found) > PAGE else None,
            "first": after is None,
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
        }
        return View("queues/letters.html", "Dead letters", "queues", context)


def _written(letter: DeadLetter) -> str:
    return f"{letter.died_at.isoformat()} {letter.subscription} {letter.message_id}"


def _place(text: str) -> LastLetter | None:
    """Where the page before ended; whatever is no such place is the beginning."""
    moment, _, rest = text.replace("\0", "").partition(" ")
    subscription, _, message_id = rest.partition(" ")
    try:
        place = LastLetter(datetime.fromisoformat(moment), subscription[:LONGEST], UUID(message_id))
    except ValueError:
        return None
    return place if place.died_at.tzinfo else None
