"""`/media`: every medium that somebody asked about, and where it stands."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from windrow.console.pages.desk import Desk
from windrow.console.pages.jobs.listed import shortened
from windrow.console.pages.media.words import MEANINGS, NAMES, TONES
from windrow.console.pages.rendering import View
from windrow.console.pages.tickets import new_ticket
from windrow.console.session import Visit
from windrow.media import glance
from windrow.media.glance import Glimpse
from windrow.media.job import is_job_id
from windrow.media.reading import Last
from windrow.media.stage import Stage
from windrow.telemetry import redact

PAGE = 50


class MediaJobs:
    """The list, the newest first."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        asked, scope = visit.request.query_params, visit.principal.scope
        stage = Stage(asked["stage"]) if asked.get("stage") in set(Stage) else None
        after = _place(asked.get("after", ""))
        async with self._database.tenant(scope.tenant_id) as tx:
            found = await glance.listed(tx, scope.project_id, stage=stage, after=after, limit=PAGE + 1)
            standing = await glance.standing(tx, scope.project_id)
        shown = found[:PAGE]
        more = {"stage": stage or "", "after": _after(shown[-1])} if len(found) > PAGE else None
        context: dict[str, Any] = {
            "rows": [(job, _about(job), redact(job.error) if job.error else None) for job in shown],
            "standing": standing,
            "most": glance.MOST,
            "stage": stage,
            "names": NAMES,
            "tones": TONES,
            "meanings": MEANINGS,
            "more": urlencode(more) if more else None,
            "first": after is None,
            "ticket": new_ticket(),
        }
        query = f"?{visit.request.url.query}" if visit.request.url.query else ""
        return View("media/list.html", "Media", "media", context, "media/list_live.html", f"/live/media{query}")


def _about(job: Glimpse) -> str:
    """What it is called once that is known, and where it is before."""
    return job.title or (shortened(job.url) if job.url else job.job_id)


def _after(job: Glimpse) -> str:
    return f"{job.created_at.isoformat()} {job.job_id}"


def _place(text: str) -> Last | None:
    """Where the page before ended; whatever is no such place is the beginning."""
    moment, _, job_id = text.partition(" ")
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return Last(at, job_id) if at.tzinfo and is_job_id(job_id) else None
