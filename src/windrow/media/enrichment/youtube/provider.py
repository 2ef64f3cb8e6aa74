"""The provider of `youtube`: from the address of a video to its snapshot."""

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import copy
from datetime import UTC, datetime

from windrow.contracts.errors import WindrowError
from windrow.http import HttpClient, HttpPolicy
from windrow.http.urls import shown
from windrow.media.enriching import Question
from windrow.media.enrichment.text import line
from windrow.media.enrichment.youtube.address import video_id
from windrow.media.enrichment.youtube.batching import Batches
from windrow.media.enrichment.youtube.client import BASE_URL, MOST, POLICY, ApiKey, Client, Found, ReadKey
from windrow.media.enrichment.youtube.quota import Quota
from windrow.media.enrichment.youtube.video import snapshot
from windrow.media.errors import EnrichmentImpossible, MetadataEnrichmentError
from windrow.media.snapshot import Snapshot
from windrow.telemetry import emit

# how long the first question of a batch waits for others
WINDOW = 0.02
_CATEGORY = re.compile(r"[0-9]{1,4}", re.ASCII)
_LONGEST_NAME = 100


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def opened(
    read_key: ReadKey,
    *,
    base_url: str = BASE_URL,
    policy: HttpPolicy = POLICY,
    window: float = WINDOW,
    now: Callable[[], datetime] = _now,
) -> AsyncIterator["Youtube"]:
    """The provider, with connections of its own for as long as it is needed."""
    async with HttpClient(policy, base_url=base_url, auth=ApiKey(read_key), now=now) as http:
        quota = Quota(now)
        provider = Youtube(Client(http, quota, now), quota, window=window, now=now)
        try:
            yield provider
        finally:
            await provider.aclose()


class Youtube:
    """Asks about many videos at a time, and about each category once."""

    def __init__(self, client: Client, quota: Quota, *, window: float, now: Callable[[], datetime]) -> None:
        self._quota, self._now = quota, now
        self._videos: Batches[Found] = Batches(client.videos, most=MOST, window=window)
        self._categories: Batches[str | None] = Batches(client.categories, most=MOST, window=window)
        self._names: dict[str, str | None] = {}

    async def snapshot(self, question: Question) -> Snapshot:
        """All about the video that the medium's URL names."""
        named = video_id(question.media.url)
        if named is None:
            raise EnrichmentImpossible(
                f"{shown(question.media.url)!r} is no address of a YouTube video",
                hint="give one such as https://www.youtube.com/watch?v=ID or https://youtu.be/ID",
            )
        began = time.monotonic()
        emit("metadata.worker.youtube_fetch_start", video_id=named)
        try:
            found = await self._found(named)
        except WindrowError as error:
            _say_failed(named, began, error)
            raise
        emit("metadata.worker.youtube_fetch_success", video_id=named, duration_ms=_since(began))
        return found

    async def aclose(self) -> None:
        """Give up what is under way."""
        await self._videos.aclose()
        await self._categories.aclose()

    async def _found(self, named: str) -> Snapshot:
        # whoever would be refused is told at once, and not after the window
        self._quota.check()
        found = await self._videos.ask(named)
        if isinstance(found, MetadataEnrichmentError):
            # others may have asked about the same video
            raise copy(found)
        return snapshot(found, await self._category(found.snippet.category_id), self._now())

    async def _category(self, category: str | None) -> str | None:
        if category is None or not _CATEGORY.fullmatch(category):
            return None
        if category not in self._names:
            name = await self._categories.ask(category)
            self._names[category] = line(name or "", _LONGEST_NAME) or None
        return self._names[category]


def _since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 3)


def _say_failed(named: str, began: float, error: WindrowError) -> None:
    until = getattr(error, "not_before", None)
    emit(
        "metadata.worker.youtube_fetch_failed",
        video_id=named,
        duration_ms=_since(began),
        error_class=error.error_class,
        code=str(error.code),
        reason=error.message,
        not_before=until.isoformat() if until else None,
    )
