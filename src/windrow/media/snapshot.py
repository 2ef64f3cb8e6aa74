"""What is known of a medium once it is enriched: the `metadataSnapshot` of a job (EV-5)."""

from datetime import datetime

import msgspec

# the shape of what follows; raised when a field changes its meaning
VERSION = 1


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Written in camelCase, as in objects and messages; what is not known is left out."""


class Author(Shape, frozen=True, kw_only=True):
    """Whose medium it is: of a video, its channel."""

    name: str
    channel_id: str | None = None
    url: str | None = None


class SpeakerHint(Shape, frozen=True, kw_only=True):
    """Somebody who probably speaks; `source` is which entry of the registry says so: `request` or `channel`."""

    name: str
    role: str
    source: str


class Picture(Shape, frozen=True, kw_only=True):
    """The moving pictures of a file."""

    width: int
    height: int
    codec: str | None = None
    frames_per_second: float | None = None


class Statistics(Shape, frozen=True, kw_only=True):
    """As they were when asked for; a provider may hide each of them."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None


class Snapshot(Shape, frozen=True, kw_only=True):
    """`duration_seconds` is None for what has no end yet; `live` is `none`, `live`, `upcoming` or `ended`."""

    provider: str
    title: str
    fetched_at: datetime
    media_id: str | None = None
    description: str = ""
    duration_seconds: float | None = None
    author: Author | None = None
    categories: tuple[str, ...] = ()
    published_at: datetime | None = None
    keywords: tuple[str, ...] = ()
    speaker_hints: tuple[SpeakerHint, ...] = ()
    live: str = "none"
    language: str | None = None
    thumbnail_url: str | None = None
    statistics: Statistics | None = None
    picture: Picture | None = None
    size_bytes: int | None = None
