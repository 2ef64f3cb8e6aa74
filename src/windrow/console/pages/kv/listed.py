"""`/kv`: keys by what they begin with, folder by folder."""

import json
from typing import Any
from urllib.parse import urlencode

from windrow.console.pages.desk import Desk, done
from windrow.console.pages.kv.acts import DONE, OFFERED
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.keys import LONGEST
from windrow.kv import HIDDEN, browsing
from windrow.kv.browsing import MOST_COUNTED, Listed
from windrow.telemetry.redaction import PROCESS

PAGE = 50
SEEK = ("/kv", "Search keys by their beginning")
_LONGEST_VALUE = 80


class Entries:
    """The list."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = visit.request.query_params, visit.principal.scope
        prefix, after = _clean(asked.get("q", "")), _clean(asked.get("after", ""))
        async with self._database.tenant(scope.tenant_id) as tx:
            folders = await browsing.folders(tx, scope, prefix)
            found = await browsing.listed(tx, scope, prefix, after=after, limit=PAGE + 1)
        shown = found[:PAGE]
        context: dict[str, Any] = {
            "sought": prefix,
            "trail": trail(prefix),
            "folders": folders,
            "most": MOST_COUNTED,
            "entries": [{"it": one, "value": shown_value(one), "hidden": one.purpose in HIDDEN} for one in shown],
            "more": urlencode({"q": prefix, "after": shown[-1].path}) if len(found) > PAGE else None,
            "first": not after,
            "offered": OFFERED,
            "done": done(visit, DONE),
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View("kv/list.html", "Key values", "kv", context, "kv/list_live.html", f"/live/kv{query}", SEEK)


def trail(prefix: str) -> list[tuple[str, str]]:
    """The folders above a prefix or path, each with its own."""
    parts = prefix.split("/")[:-1]
    return [("/".join(parts[: count + 1]) + "/", part) for count, part in enumerate(parts)]


def shown_value(entry: Listed) -> str | None:
    """A short value in one line, redacted whole before it is cut; None where there is none to show."""
    if entry.small is None:
        return None
    text = json.dumps(PROCESS.value(entry.small), ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _clean(text: str) -> str:
    """As a key may begin: whatever else is asked for is found nowhere."""
    return text.strip().lower().replace("\0", "")[:LONGEST]
