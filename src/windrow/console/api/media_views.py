"""Media jobs as clients see them: in the names of this API, where objects and messages have camelCase."""

import re
import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from windrow.media.job import MediaJob
from windrow.media.reading import Happened
from windrow.media.stage import Stage
from windrow.telemetry.redaction import PROCESS

_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Seen(BaseModel):
    """Read from a value of the domain, name by name."""

    model_config = ConfigDict(from_attributes=True)


class MediumView(Seen):
    """The medium: `type` says who knows about it, `url` where it is."""

    type: str
    url: str


class Stretch(Seen):
    """A stretch of the medium, in seconds."""

    start: float
    end: float


class AuthorView(Seen):
    """Whose medium it is: of a video, its channel."""

    name: str
    channel_id: str | None
    url: str | None


class SpeakerView(Seen):
    """Somebody who probably speaks; `source` is what says so: `request` or `channel`."""

    name: str
    role: str
    source: str


class StatisticsView(Seen):
    """As they were when asked for; a provider may hide each of them."""

    views: int | None
    likes: int | None
    comments: int | None


class PictureView(Seen):
    """The moving pictures of a file."""

    width: int
    height: int
    codec: str | None
    frames_per_second: float | None


class MetadataView(Seen):
    """What is known of the medium. `live` is `none`, `live`, `upcoming` or `ended`."""

    provider: str
    title: str
    fetched_at: datetime
    media_id: str | None
    description: str
    duration_seconds: float | None
    author: AuthorView | None
    categories: list[str]
    published_at: datetime | None
    keywords: list[str]
    speaker_hints: list[SpeakerView]
    live: str
    language: str | None
    thumbnail_url: str | None
    statistics: StatisticsView | None
    picture: PictureView | None
    size_bytes: int | None


class MediaJobView(Seen):
    """A media job. `runtime_job_id` is the job that cuts its clip (`/jobs/{job_id}`), `next_try_at` when it is tried again."""

    job_id: str
    request_id: str
    stage: Stage
    media: MediumView
    title: str | None
    duration_seconds: float | None
    clip: Stretch | None
    metadata_version: int
    runtime_job_id: uuid.UUID | None
    attempts: int
    next_try_at: datetime | None
    error: dict[str, Any] | None
    correlation_id: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, found: MediaJob) -> "MediaJobView":
        return cls(**_told(found))


class OpenedMediaJob(MediaJobView):
    """A media job with all that is known of its medium."""

    metadata: MetadataView | None

    @classmethod
    def of(cls, found: MediaJob) -> "OpenedMediaJob":
        known = found.job.metadata_snapshot
        return cls(**_told(found), metadata=MetadataView.model_validate(known) if known else None)


class MediaEventView(BaseModel):
    """What befell it. `of` is `media` for a change of its stage, `job` for the job that cuts its clip."""

    at: datetime
    of: str
    event: str
    details: dict[str, Any]

    @classmethod
    def seen(cls, happened: Happened) -> "MediaEventView":
        return cls(
            at=happened.at, of=happened.of, event=happened.event, details=PROCESS.value(_snake(happened.details))
        )


class Timeline(BaseModel):
    """All that befell a media job, in order."""

    items: list[MediaEventView]


def _told(found: MediaJob) -> dict[str, Any]:
    about, known = found.job, found.job.metadata_snapshot
    return {
        "job_id": about.job_id,
        "request_id": about.request_id,
        "stage": found.stage,
        # an address may have been given with a token
        "media": {"type": about.media.type, "url": PROCESS.value(about.media.url)},
        "title": known.title if known else None,
        "duration_seconds": known.duration_seconds if known else None,
        "clip": {"start": about.clip.start, "end": about.clip.end} if about.clip else None,
        "metadata_version": about.metadata_version,
        "runtime_job_id": about.runtime_job_id,
        "attempts": found.attempts,
        "next_try_at": found.next_try_at,
        "error": PROCESS.value(about.error),
        "correlation_id": about.correlation_id,
        "created_at": about.created_at,
        "updated_at": about.updated_at,
    }


def _snake(details: dict[str, Any]) -> dict[str, Any]:
    """Objects and messages are written in camelCase; here names are as everywhere in this API."""
    return {_SEAM.sub("_", name).lower(): value for name, value in details.items()}
