"""`/media/{job_id}`: one medium: what is known of it, where its job stands and why, and the clip that was cut."""

from collections.abc import Sequence
from typing import Any

from windrow.console.pages.desk import Desk, done
from windrow.console.pages.jobs.listed import shortened
from windrow.console.pages.jobs.words import TONES as JOB_TONES
from windrow.console.pages.media.found import found
from windrow.console.pages.media.known import known_of, leads
from windrow.console.pages.media.words import MEANINGS, NAMES, TONES
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.jobs import glance
from windrow.jobs.glance import Glimpse
from windrow.jobs.job import Status
from windrow.media import reading
from windrow.media.job import MediaEvent, MediaJob
from windrow.media.stage import WAYS, Stage
from windrow.postgres import audit
from windrow.telemetry import redact
from windrow.telemetry.redaction import PROCESS

CHANGES = 8
MOST_JOBS = 20

DONE = {
    "submit": "Asked for. It is looked up as soon as a worker of media is free. Every writer may cancel it.",
    "cancel": "Cancelled. Every writer may have it begun anew.",
    "stopping": "Its worker is asked to stop. It is cancelled as soon as that has happened.",
    "retry": "Queued again, from the beginning. Every writer may cancel it.",
}
_NEXT = {
    Stage.FAILED: "Mend the cause, then have it begun anew.",
    Stage.QUEUED: "Nothing is to be done: it is tried again by itself.",
}


class MediaJobPage:
    """One media job."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        scope = visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            job = await found(tx, visit)
            job_id = job.job.job_id
            changes = await reading.events(tx, job_id)
            runtime = await glance.some(tx, scope.project_id, _led_to(changes))
            trail = await audit.history(tx, subject=f"media/{job_id}", limit=CHANGES)
        title = _title(job)
        context: dict[str, Any] = {
            "it": job,
            "job": job.job,
            "title": title,
            "names": NAMES,
            "tones": TONES,
            "meanings": MEANINGS,
            "url": redact(job.job.media.url),
            "leads": leads(job.job.media.url),
            "error": PROCESS.value(job.job.error),
            "next_step": _NEXT.get(job.stage),
            "known": known_of(job.job.metadata_snapshot),
            "description": job.job.metadata_snapshot.description if job.job.metadata_snapshot else "",
            "stages": [(change, Stage(change.to_stage), _why(change)) for change in changes],
            "runtime": runtime,
            "job_tones": JOB_TONES,
            "clip": _clip(job, runtime),
            "changes": trail,
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "may_cancel": Stage.CANCELLED in WAYS[job.stage],
            "may_retry": Stage.QUEUED in WAYS[job.stage],
        }
        return View("media/one.html", title, "media", context, "media/one_live.html", f"/live/media/{job_id}")


def _title(job: MediaJob) -> str:
    snapshot = job.job.metadata_snapshot
    return snapshot.title if snapshot else shortened(job.job.media.url)


def _led_to(changes: Sequence[MediaEvent]) -> list[str]:
    """The jobs of the runtime that have worked on it, of very many the latest."""
    named = dict.fromkeys(each.details["runtimeJobId"] for each in changes if each.details.get("runtimeJobId"))
    return list(named)[-MOST_JOBS:]


def _clip(job: MediaJob, runtime: Sequence[Glimpse]) -> Glimpse | None:
    """The job that has made its clip."""
    made = (each for each in runtime if each.job_id == job.job.runtime_job_id)
    return next((each for each in made if each.status is Status.DONE and each.has_artifact), None)


def _why(change: MediaEvent) -> str | None:
    error = change.details.get("error") or {}
    return redact(f"{error.get('code')}: {error.get('message')}") if error else None
