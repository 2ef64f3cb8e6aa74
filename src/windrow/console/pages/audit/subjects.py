"""From the subject of a line in the trail to the page that shows it."""

import re
from urllib.parse import quote

from windrow.postgres.audit import Entry

# how a subject begins, and the address of what comes after it; the last part names the thing, what is before it the project
_PAGES = {
    "endpoints": "/endpoints/{}",
    "endpoint": "/endpoints/{}",
    "quarantine": "/quarantine?endpoint={}",
    "job": "/jobs/{}",
    "media": "/media/{}",
    "dead_letters": "/queues/dead-letters",
    "subscription": "/queues",
}
_LANE = re.compile(r"lane/([a-z0-9][a-z0-9._-]{0,63})/", re.ASCII)
_KV = re.compile(r"tenant/[^/]+/project/([^/]+)/(.+)")


def page_of(entry: Entry, project: str) -> str | None:
    """Where the thing can be looked at from this project; None where no page shows it."""
    if entry.project_id not in (None, project):
        return None
    if lane := _LANE.match(entry.subject):
        return f"/endpoints/{lane[1]}"
    if kept := _KV.fullmatch(entry.subject):
        return f"/kv/{quote(kept[2])}" if kept[1] == project else None
    kind, _, name = entry.subject.partition("/")
    page, named = _PAGES.get(kind), name.rpartition("/")[2]
    return page.format(quote(named, safe="")) if page and named else None
