"""What is to be done with an enriched medium: the clip that was wished for, as a job of the runtime."""

from windrow.app.jobs import payload_of
from windrow.clips.clip import NAME
from windrow.contracts.errors import Code, ValidationFailure
from windrow.jobs import Terms
from windrow.media.conducting import Ordered
from windrow.media.job import ClipWish, MediaJob

# what is known of a video elsewhere is all that we have of it
CUT = frozenset({"file", "web"})


def clip_of(job: MediaJob, *, attempts: int) -> Ordered | None:
    """The order for its clip; None where none was wished for, or where there is nothing that could be cut."""
    asked, snapshot = job.job, job.job.metadata_snapshot
    if asked.clip is None or asked.media.type not in CUT:
        return None
    start, end = clamped(asked.clip, snapshot.duration_seconds if snapshot else None)
    return Ordered(
        NAME, payload_of(NAME, {"source": asked.media.url, "start": start, "end": end}), Terms(max_attempts=attempts)
    )


def clamped(wish: ClipWish, duration: float | None) -> tuple[float, float]:
    """The stretch within the medium; one that lies wholly beyond its end is refused."""
    end = wish.end if duration is None else min(wish.end, duration)
    if end <= wish.start:
        raise ValidationFailure(
            f"the clip would start at {wish.start:g} s, and the medium is {end:g} s long",
            code=Code.OUT_OF_RANGE,
            hint="choose a start within the medium",
        )
    return wish.start, end
