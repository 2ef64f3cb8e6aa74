"""How a job is, what befell it, and what to do about its errors, as people say it."""

from windrow.jobs.job import Job, Status

TONES = {
    Status.SCHEDULED: "warn",
    Status.QUEUED: "calm",
    Status.PROCESSING: "busy",
    Status.DONE: "good",
    Status.FAILED: "bad",
    Status.CANCELLED: "calm",
}
MEANINGS = {
    Status.SCHEDULED: "not due yet, or waits before it is tried again",
    Status.QUEUED: "waits for a worker",
    Status.PROCESSING: "a worker has it in hand",
    Status.DONE: "it has ended well",
    Status.FAILED: "given up: only a person can have it tried again",
    Status.CANCELLED: "somebody has ended it",
}
# an event, the tone of it, and what it means
EVENTS = {
    "created": ("calm", "asked for"),
    "processing": ("busy", "taken in hand"),
    "source:ready": ("busy", "its source is there"),
    "uploaded": ("busy", "what it made is stored"),
    "done": ("good", "done"),
    "failed": ("bad", "given up"),
    "cancel:requested": ("warn", "asked to stop"),
    "cancelled": ("calm", "cancelled"),
    "requeued:stale": ("warn", "its worker was not heard of any more; queued again"),
    "requeued:error": ("warn", "failed; to be tried again"),
    "requeued:handed_back": ("calm", "handed back by a worker that shut down"),
    "requeued:retry": ("calm", "queued again by a person"),
    "aborted:shutdown": ("warn", "cut off by a shutdown"),
}
ENDS = {
    "done": ("good", "done"),
    "failed": ("bad", "failed, and given up"),
    "cancelled": ("calm", "stopped, since somebody cancelled it"),
    "requeued:error": ("warn", "failed"),
    "requeued:stale": ("warn", "its worker was not heard of any more"),
    "requeued:handed_back": ("calm", "handed back at a shutdown: it does not count"),
    "aborted:shutdown": ("warn", "cut off by a shutdown"),
}
_NEXT = {
    "Fatal": "An operator has to mend this first; then have it tried again.",
    "ValidationFailure": "Trying again will not help: submit it anew with other values.",
    "Conflict": "Something else was changed meanwhile; have it tried again.",
    "RetryableTransient": "It may pass by itself: have it tried again.",
}


def next_step(job: Job) -> str | None:
    """What to do about its last error; None if there is none that matters."""
    if job.error is None or job.status in (Status.DONE, Status.CANCELLED):
        return None
    if job.status is not Status.FAILED:
        return "Nothing is to be done: it is tried again by itself."
    if job.max_attempts == 0:
        return "It ended long ago and is being removed: submit it anew."
    if job.error_code == "LEASE_LOST":
        return "Its workers died, or could not reach the database: look at their logs, then have it tried again."
    return _NEXT.get(job.error_class or "", "Look at the log of its worker, then have it tried again.")
