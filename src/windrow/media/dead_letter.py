"""What is in the dead letter topic: a job that was given up, or something that came and was none."""

from typing import Any

from windrow.contracts.errors import WindrowError
from windrow.media.errors import MetadataEnrichmentError
from windrow.media.job import ProcessingJob
from windrow.media.snapshot import Shape
from windrow.telemetry import redact

LONGEST_EXCERPT = 1024
_LONGEST_REASON = 2000


class DeadJob(Shape, frozen=True, kw_only=True):
    """A job that has failed for good, and why."""

    tag: str
    code: str
    reason: str
    job: ProcessingJob

    @classmethod
    def of(cls, job: ProcessingJob) -> "DeadJob":
        error = job.error or {}
        return cls(
            tag=str(error.get("tag", "unknown")),
            code=str(error.get("code", "unknown")),
            reason=str(error.get("message", "")),
            job=job,
        )


class Undecodable(Shape, frozen=True, kw_only=True):
    """Something that nobody can read: the beginning of it."""

    tag: str
    code: str
    reason: str
    excerpt: str
    message_id: str | None = None


def kept(error: WindrowError) -> dict[str, Any]:
    """An error as the row keeps it: redacted, bounded, storable."""
    told = {"tag": tag_of(error), "code": str(error.code), "message": storable(error.message, _LONGEST_REASON)}
    return told | ({"hint": storable(error.hint, _LONGEST_REASON)} if error.hint else {})


def tag_of(error: WindrowError) -> str:
    """What the error is called (EV-9). What has no tag of its own came from a provider."""
    return str(getattr(error, "tag", MetadataEnrichmentError.tag))


def storable(text: str, longest: int) -> str:
    """Without secrets and what Postgres cannot hold, cut to a length in bytes."""
    # blanked before it is cut: half of a secret is not recognised any more
    clean = redact(text).replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
    return clean[:longest].decode(errors="ignore")


def excerpt_of(data: bytes) -> str:
    """The beginning of something, for whoever looks into the dead letters."""
    return storable(data[: 4 * LONGEST_EXCERPT].decode(errors="replace"), LONGEST_EXCERPT)
