"""What is known of a medium, as a page shows it: every word of it is somebody else's."""

from collections.abc import Iterator
from typing import NamedTuple

from windrow.console.pages.words import duration, number, size, stamp
from windrow.media.snapshot import Snapshot
from windrow.telemetry import redact

MOST_KEYWORDS = 40


class Fact(NamedTuple):
    """A name and what is told; `leads` is an address of the web, for those who want to go there."""

    name: str
    told: str
    leads: str | None = None


def known_of(snapshot: Snapshot | None) -> list[Fact]:
    """All that is known; nothing of what is not."""
    return [fact for fact in _facts(snapshot) if fact.told] if snapshot else []


def leads(url: str | None) -> str | None:
    """Where a link may go: to the web, and nowhere with a secret in it."""
    if url is None or not url.lower().startswith(("http://", "https://")):
        return None
    return url if redact(url) == url else None


def _facts(known: Snapshot) -> Iterator[Fact]:
    if known.duration_seconds is not None:
        yield Fact("Length", length(known.duration_seconds))
    if known.author:
        yield Fact("Author", known.author.name, leads(known.author.url))
    yield Fact("Language", known.language or "")
    yield Fact("Speakers", ", ".join(f"{hint.name} ({hint.role})" for hint in known.speaker_hints))
    if known.published_at:
        yield Fact("Published", stamp(known.published_at))
    if known.live != "none":
        yield Fact("Broadcast", known.live)
    yield Fact("Categories", ", ".join(known.categories))
    yield Fact("Keywords", ", ".join(known.keywords[:MOST_KEYWORDS]))
    if known.picture:
        yield Fact("Picture", f"{known.picture.width} x {known.picture.height} {known.picture.codec or ''}".strip())
    if known.size_bytes is not None:
        yield Fact("Size", size(known.size_bytes))
    yield from _statistics(known)
    if known.thumbnail_url:
        # only named: a page of ours loads nothing from elsewhere
        yield Fact("Thumbnail", redact(known.thumbnail_url), leads(known.thumbnail_url))
    yield Fact("Told by", f"{known.provider}, {stamp(known.fetched_at)}")


def _statistics(known: Snapshot) -> Iterator[Fact]:
    if known.statistics:
        for name in ("views", "likes", "comments"):
            count = getattr(known.statistics, name)
            if count is not None:
                yield Fact(name.capitalize(), number(count))


def length(seconds: float) -> str:
    """As players show it where that says more than the largest units: `1:02:03`."""
    if seconds < 60:
        return duration(seconds) if seconds == int(seconds) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
