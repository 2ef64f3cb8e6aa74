"""What a job's events may look like: RR-12 and its side roads, as a state machine of a few lines."""

from collections.abc import Sequence

from windrow.jobs import JobEvent

_REQUEUED = {"requeued:stale": 1, "requeued:error": 1, "requeued:handed_back": 0}
_ENDS = {"done", "failed", "cancelled"}


def unlawful(events: Sequence[JobEvent]) -> str | None:
    """The first event that may not stand where it stands; None if all may."""
    state, attempt, epoch = "new", 1, 0
    ready = uploaded = False
    for event in events:
        name = event.event
        where = f"{name} after {state} (attempt {event.attempt}, epoch {event.epoch}; {attempt}, {epoch} were due)"
        if name == "processing":
            epoch += 1
            ready = uploaded = False
        if name == "requeued:retry":
            attempt += 1
        if (event.attempt, event.epoch) != (attempt, epoch):
            return where
        match state, name:
            case "new", "created":
                state = "waiting"
            case "waiting", "processing":
                state = "processing"
            case "waiting", "cancelled":
                state = "cancelled"
            case "processing", "source:ready" if not ready and not uploaded:
                ready = True
            case "processing", "progress" if not uploaded:
                pass
            case "processing", "uploaded":
                uploaded = True
            case "processing", "cancel:requested" | "aborted:shutdown":
                pass
            case "processing", _ if name in _REQUEUED:
                state, attempt = "waiting", attempt + _REQUEUED[name]
            case "processing", _ if name in _ENDS:
                state = name
            case (("failed" | "cancelled"), "requeued:retry"):
                state = "waiting"
            case _:
                return where
    return None
