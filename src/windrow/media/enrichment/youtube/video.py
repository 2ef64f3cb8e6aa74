"""A video as YouTube describes it, and the snapshot that is made of it. Pure."""

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta

from windrow.media.enrichment.text import line, text
from windrow.media.enrichment.youtube import duration
from windrow.media.errors import EnrichmentImpossible
from windrow.media.snapshot import Author, Snapshot, Statistics

PROVIDER = "youtube"
PARTS = "snippet,contentDetails,status,statistics,liveStreamingDetails"
_GONE = frozenset({"deleted", "failed", "rejected"})
# far beyond what YouTube allows, and well within what a message carries
_LONGEST_TITLE, _LONGEST_DESCRIPTION, _LONGEST_TAG, _MOST_TAGS = 500, 20_000, 100, 500

Moment = Annotated[datetime, Meta(tz=True)]


class _Resource(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Of the API's resources, what is of use; unknown fields are no fault."""


class Thumbnail(_Resource, frozen=True, kw_only=True):
    url: str
    width: int = 0
    height: int = 0


class Snippet(_Resource, frozen=True, kw_only=True):
    title: Annotated[str, Meta(min_length=1)]
    published_at: Moment | None = None
    channel_id: str | None = None
    channel_title: str | None = None
    description: str = ""
    thumbnails: dict[str, Thumbnail] = {}
    tags: list[str] = []
    category_id: str | None = None
    live_broadcast_content: str = "none"
    default_language: str | None = None
    default_audio_language: str | None = None

    @property
    def published(self) -> datetime | None:
        return self.published_at.astimezone(UTC) if self.published_at else None


class ContentDetails(_Resource, frozen=True, kw_only=True):
    duration: str | None = None


class Status(_Resource, frozen=True, kw_only=True):
    upload_status: str | None = None


class Counts(_Resource, frozen=True, kw_only=True):
    """Each comes as a text of digits, or not at all where it is hidden."""

    view_count: Any = None
    like_count: Any = None
    comment_count: Any = None


class LiveStreamingDetails(_Resource, frozen=True, kw_only=True):
    actual_end_time: Moment | None = None


class Video(_Resource, frozen=True, kw_only=True):
    """One item of `videos.list`, with the parts that we ask for."""

    id: str
    snippet: Snippet
    content_details: ContentDetails = ContentDetails()
    status: Status = Status()
    statistics: Counts = Counts()
    live_streaming_details: LiveStreamingDetails | None = None

    @property
    def live(self) -> str:
        """`none`, `live`, `upcoming`, or `ended` for a broadcast that is over."""
        told = self.snippet.live_broadcast_content
        if told in ("live", "upcoming"):
            return told
        return "ended" if self.live_streaming_details and self.live_streaming_details.actual_end_time else "none"

    @property
    def seconds(self) -> float | None:
        """How long it is; None for what has no end yet. A premiere has one before it begins."""
        told = self.content_details.duration
        length = duration.seconds(told) if told is not None else None
        return length or None if self.live in ("live", "upcoming") else length


def video(item: Any) -> Video:
    """An item of the answer; raises ValueError with what is wrong about it."""
    read = msgspec.convert(item, Video)
    try:
        # what is wrong is found here, with the item, and not when the snapshot is made
        _ = read.seconds, read.snippet.published
    except OverflowError:
        raise ValueError("it was published at no moment that there is") from None
    return read


def snapshot(found: Video, category: str | None, now: datetime) -> Snapshot:
    """All that is kept of a video."""
    if found.status.upload_status in _GONE:
        raise EnrichmentImpossible(
            f"video {found.id} was {found.status.upload_status}", hint="submit a job for another video"
        )
    snippet = found.snippet
    return Snapshot(
        provider=PROVIDER,
        media_id=found.id,
        title=line(snippet.title, _LONGEST_TITLE) or found.id,
        description=text(snippet.description, _LONGEST_DESCRIPTION),
        duration_seconds=found.seconds,
        author=_author(snippet),
        categories=(category,) if category else (),
        published_at=snippet.published,
        keywords=_keywords(snippet.tags),
        live=found.live,
        language=line(snippet.default_audio_language or snippet.default_language or "", 40) or None,
        thumbnail_url=_largest(snippet.thumbnails),
        statistics=_statistics(found.statistics),
        fetched_at=now,
    )


def _author(snippet: Snippet) -> Author | None:
    name = line(snippet.channel_title or snippet.channel_id or "", _LONGEST_TITLE)
    if not name:
        return None
    channel = line(snippet.channel_id or "", _LONGEST_TITLE) or None
    return Author(
        name=name,
        channel_id=channel,
        url=f"https://www.youtube.com/channel/{quote(channel, safe='')}" if channel else None,
    )


def _keywords(tags: list[str]) -> tuple[str, ...]:
    cleaned = (line(tag, _LONGEST_TAG) for tag in tags[:_MOST_TAGS])
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def _largest(thumbnails: dict[str, Thumbnail]) -> str | None:
    safe = [one for one in thumbnails.values() if one.url.startswith("https://")]
    return text(max(safe, key=lambda one: one.width * one.height).url, 2048) if safe else None


def _statistics(counts: Counts) -> Statistics | None:
    told = Statistics(
        views=_count(counts.view_count), likes=_count(counts.like_count), comments=_count(counts.comment_count)
    )
    return None if told == Statistics() else told


def _count(value: Any) -> int | None:
    """A number that may come as a text; one that is none, or beyond 64 bits, is not known."""
    written = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 18 else None
