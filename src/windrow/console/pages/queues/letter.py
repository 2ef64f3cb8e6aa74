"""`/queues/dead-letters/{message_id}`: one message, what it said, and why each subscription could not take it."""

import json
from typing import Any
from uuid import UUID

from windrow import messages
from windrow.console.pages.desk import Desk
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.web.problem import Refusal

# a payload has up to a mebibyte, which nobody reads
LONGEST = 20_000


class LetterPage:
    """One message with its letters."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        message_id = named(visit)
        async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
            letters = await messages.show_dead_letter(tx, message_id)
        payload = json.dumps(letters[0].payload, indent=2, ensure_ascii=False)
        context: dict[str, Any] = {
            "letters": letters,
            "it": letters[0],
            "payload": payload[:LONGEST],
            "cut": len(payload) > LONGEST,
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "meant": visit.form.get("subscription"),
        }
        return View("queues/letter.html", "Dead letter", "queues", context)


def named(visit: Visit) -> UUID:
    """The message of the address."""
    text: str = visit.request.path_params["message_id"]
    try:
        return UUID(text)
    except ValueError:
        raise Refusal(
            404, f"{text[:80]!r} is no message", code=Code.NOT_FOUND, hint="the list shows those that are there"
        ) from None
