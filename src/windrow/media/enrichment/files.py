"""The provider of `file`: media that lie somewhere and are looked into, without asking anybody."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urlsplit

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.contracts.scope import Scope
from windrow.http.urls import shown
from windrow.media.enriching import Question
from windrow.media.enrichment.text import line
from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible
from windrow.media.snapshot import Picture, Snapshot

PROVIDER = "file"
_SCHEMES = ("file:/", "object:", "http://", "https://")
# the job named what it may not have; what else a person must mend is none of the job's fault
_NOT_FOR_THIS_JOB = frozenset({Code.FORBIDDEN, Code.UNAUTHORIZED, Code.ADDRESS_REFUSED})
_LONGEST_URL, _LONGEST_TITLE = 4096, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What was found inside of a medium. A `duration` that it does not tell is None."""

    duration: float | None
    width: int
    height: int
    codec: str | None
    frames_per_second: float | None
    size: int
    title: str | None


class Prober(Protocol):
    """Looks into a source: `file:/PATH`, `object:KEY` or a URL. Raises the errors of the family."""

    async def __call__(self, scope: Scope, source: str) -> Probed: ...


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Files:
    """Describes a medium by what it is itself."""

    probe: Prober
    now: Callable[[], datetime] = _now

    async def snapshot(self, question: Question) -> Snapshot:
        """The medium's length, picture and size; its title is its own, or the name of its file."""
        source = _checked(question.media.url)
        try:
            found = await self.probe(question.scope, source)
        except (RetryableTransient, ValidationFailure, Fatal) as error:
            raise self._meaning(error) from error
        return Snapshot(
            provider=PROVIDER,
            title=line(found.title or "", _LONGEST_TITLE) or named(source),
            duration_seconds=found.duration,
            picture=Picture(
                width=found.width,
                height=found.height,
                codec=found.codec,
                frames_per_second=found.frames_per_second,
            ),
            size_bytes=found.size,
            fetched_at=self.now(),
        )

    def _meaning(self, error: WindrowError) -> WindrowError:
        if isinstance(error, RetryableTransient):
            # how long a stranger's server wants us to wait is its own word: each try counts, so that there is an end
            return EnrichmentDelayed(error.message, code=error.code, hint=error.hint)
        if isinstance(error, ValidationFailure) or error.code in _NOT_FOR_THIS_JOB:
            return EnrichmentImpossible(error.message, code=error.code, hint=error.hint)
        return error


def named(source: str) -> str:
    """The name of a source's file as a title: without its directories and its ending."""
    kind, _, rest = source.partition(":")
    web = kind in ("http", "https")
    path = unquote(urlsplit(source).path) if web else rest
    name = line(PurePosixPath(path).stem, _LONGEST_TITLE)
    return name or (urlsplit(source).hostname if web else None) or "untitled"


def _checked(url: str) -> str:
    try:
        whole = url.startswith(_SCHEMES) and url.partition(":")[2].strip("/") != "" and bool(urlsplit(url))
    except ValueError:
        whole = False
    if not whole or not url.isprintable() or len(url) > _LONGEST_URL:
        raise EnrichmentImpossible(
            f"{shown(url)!r} is no medium that could be looked into",
            hint="give file:/PATH, object:KEY or an http(s) address of a video",
        )
    return url
