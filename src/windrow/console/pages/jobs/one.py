"""`/jobs/{job_id}`: one job: how far it is, what befell it, why it ended so, and what it has made."""

import json
from typing import Any

from windrow.console.pages.desk import Desk, done
from windrow.console.pages.jobs.artifact import PLAYED, artifact_of, suffix_of
from windrow.console.pages.jobs.found import found
from windrow.console.pages.jobs.listed import shortened
from windrow.console.pages.jobs.words import ENDS, EVENTS, MEANINGS, TONES, next_step
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.jobs import glance
from windrow.jobs.job import Job, JobEvent, Status
from windrow.jobs.tries import tries
from windrow.postgres import audit
from windrow.telemetry import redact
from windrow.telemetry.redaction import PROCESS

CHANGES = 8
LONGEST_PAYLOAD = 20_000

DONE = {
    "submit": "Asked for. It begins as soon as a worker is free. Every writer may cancel it.",
    "cancel": "Cancelled. Every writer may have it tried again.",
    "stopping": "Its worker is asked to stop. It is cancelled as soon as that has happened.",
    "retry": "Queued again. It begins as soon as a worker is free. Every writer may cancel it.",
}


class JobPage:
    """One job."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        scope = visit.principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            job = await found(tx, visit)
            befell = await glance.befell(tx, job.job_id)
            trail = await audit.history(tx, subject=f"job/{job.job_id}", limit=CHANGES)
        artifact, about = artifact_of(job), about_of(job)
        context: dict[str, Any] = {
            "job": job,
            "about": about,
            "tone": TONES[job.status],
            "meaning": MEANINGS[job.status],
            "error": redact(job.error) if job.error and job.status is not Status.DONE else None,
            "next_step": next_step(job),
            "payload": _payload(job),
            "artifact": artifact,
            "played": PLAYED.get(suffix_of(artifact), "").partition("/")[0] if artifact else None,
            "events": [(event, *EVENTS.get(event.event, ("calm", event.event)), said(event)) for event in befell],
            "more_befell": len(befell) == glance.LATEST,
            "tries": tries(befell)[::-1],
            "ends": ENDS,
            "changes": trail,
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "may_cancel": not job.status.is_final and job.cancel_requested_at is None,
            "may_retry": job.status in (Status.FAILED, Status.CANCELLED) and job.max_attempts > 0,
        }
        live, stream = "jobs/one_live.html", f"/live/jobs/{job.job_id}"
        return View("jobs/one.html", f"{job.kind} {about or job.job_id}", "jobs", context, live, stream)


def said(event: JobEvent) -> str:
    """What an event tells beside its name, on one line."""
    told = PROCESS.value(event.details or {})
    # what it made is told above, with a name and a hash that are too long for a line
    shown = {"size": told.get("size")} if event.event == "uploaded" else told
    return " · ".join(f"{name.replace('_', ' ')} {_short(value)}" for name, value in shown.items())


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def about_of(job: Job) -> str | None:
    """What it works on, where its kind says so."""
    source = job.payload.get("source") if isinstance(job.payload, dict) else None
    return shortened(source) if isinstance(source, str) else None


def _payload(job: Job) -> str:
    """As the API shows it: an address in it may have been given with a password."""
    text = json.dumps(PROCESS.value(job.payload), indent=2, ensure_ascii=False)
    return text if len(text) <= LONGEST_PAYLOAD else f"{text[:LONGEST_PAYLOAD]}…"
