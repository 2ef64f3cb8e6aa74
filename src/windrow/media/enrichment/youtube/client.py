"""The YouTube Data API v3: `videos.list` and `videoCategories.list`, and answers that say what they mean.

The key goes into a header: an address is written into logs, at our end and at others'.
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from windrow.contracts.errors import Code, Fatal, RateLimited, WindrowError
from windrow.http import HttpClient, HttpForbidden, HttpPolicy, Limits, Response, Timeouts, retry_after
from windrow.http.headers import Headers
from windrow.http.policy import MIB
from windrow.media.enrichment.youtube.errors import Kind, Refusal, refusal
from windrow.media.enrichment.youtube.quota import Quota
from windrow.media.enrichment.youtube.video import PARTS, Video, video
from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible, MetadataEnrichmentError
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import youtube as telemetry
from windrow.vault import Secret

BASE_URL = "https://youtube.googleapis.com/youtube/v3/"
# as many ids as the API takes at a time
MOST = 50
# an event waits for the answer, so it is heard early that none will come
POLICY = HttpPolicy(
    source="youtube",
    timeouts=Timeouts(connect=5, idle=10, total=15, queue=15),
    limits=Limits(wire_bytes=4 * MIB, body_bytes=16 * MIB),
)
# answers to us, but for 401, after which the key is read anew
_ANSWERS = frozenset(range(400, 500)) - {401, 408}
_LONGEST_WAIT = timedelta(hours=1)

ReadKey = Callable[[], Awaitable[Secret]]
Found = Video | MetadataEnrichmentError


class ApiKey:
    """The key, read for each request: one that was rotated is picked up."""

    def __init__(self, read: ReadKey) -> None:
        self._read = read

    async def __call__(self, *, refused: bool = False) -> Headers:  # noqa: ARG002 - nothing is kept that could be stale
        return {"x-goog-api-key": await self._read()}


class Client:
    """Asks YouTube, unless it is known that it would refuse."""

    def __init__(self, http: HttpClient, quota: Quota, now: Callable[[], datetime]) -> None:
        self._http, self._quota, self._now = http, quota, now

    async def videos(self, ids: tuple[str, ...]) -> dict[str, Found]:
        """Each of up to 50 videos, or why there is none. One that cannot be read does not spoil the others."""
        items = await self._items("videos", {"part": PARTS, "id": ",".join(ids)}, len(ids))
        by_id = {item["id"]: item for item in reversed(items) if isinstance(item, dict) and item.get("id") in ids}
        strangers = sum(not isinstance(item, dict) or item.get("id") not in ids for item in items)
        if strangers:
            _malformed("videos", f"{strangers} of {len(items)} items were not asked for")
        return {one: _read(by_id[one]) if one in by_id else _missing(one, strangers) for one in ids}

    async def categories(self, ids: tuple[str, ...]) -> dict[str, str | None]:
        """The name of each category; None for one that YouTube does not know."""
        try:
            items = await self._items("videoCategories", {"part": "snippet", "id": ",".join(ids)}, len(ids))
        except EnrichmentDelayed as error:
            if error.code is not Code.NOT_FOUND:
                raise
            if len(ids) == 1:
                return {ids[0]: None}
            # it does not say which one
            return {one: (await self.categories((one,)))[one] for one in ids}
        names = {item["id"]: _title(item) for item in items if isinstance(item, dict) and item.get("id") in ids}
        return {one: names.get(one) for one in ids}

    async def _items(self, method: str, params: dict[str, str], ids: int) -> list[Any]:
        self._quota.check()
        with _observed(method, ids), self._judging():
            self._quota.spend()
            response = await self._http.get(method, params=params, accept=("application/json",), accept_status=_ANSWERS)
            if response.status != 200:
                raise self._refused(response)
            items = _listed(method, response)
        self._quota.answered()
        return items

    def _refused(self, response: Response) -> WindrowError:
        told = refusal(response)
        match told.kind:
            case Kind.QUOTA:
                return self._quota.exhausted(told.message)
            case Kind.RATE:
                asked = retry_after(response.headers.get("retry-after"), self._now(), _LONGEST_WAIT)
                return self._quota.limited(told.message, asked)
            case Kind.KEY:
                return _wrong_key(told)
            case Kind.ABSENT:
                # a missing video is left out of a list, so this is about a category, or a wrong address
                return EnrichmentDelayed(told.message, code=Code.NOT_FOUND)
        return EnrichmentDelayed(told.message, code=Code.REFUSED)

    @contextmanager
    def _judging(self) -> Iterator[None]:
        """What the HTTP client raises becomes a delay, but for what only a person can mend."""
        try:
            yield
        except HttpForbidden as error:
            raise _wrong_key(Refusal(Kind.KEY, "", error.message)) from error
        except RateLimited as error:
            raise self._quota.limited(error.message, error.retry_after) from error
        except (MetadataEnrichmentError, Fatal):
            raise
        except WindrowError as error:
            raise EnrichmentDelayed(error.message, code=error.code, hint=error.hint) from error


def _listed(method: str, response: Response) -> list[Any]:
    """The items of an answer, if it is the list that was asked for: an empty one must not be taken from just anything."""
    body = response.json()
    kind = {"videos": "youtube#videoListResponse", "videoCategories": "youtube#videoCategoryListResponse"}[method]
    items = body.get("items") if isinstance(body, dict) and body.get("kind") == kind else None
    if not isinstance(items, list):
        raise _malformed(method, f"the answer is no {kind}: {response.excerpt!r}")
    return items


def _read(item: dict[str, Any]) -> Found:
    try:
        return video(item)
    except ValueError as error:
        return _malformed("videos", f"video {item['id']}: {error}")


def _missing(video_id: str, strangers: int) -> MetadataEnrichmentError:
    if strangers:
        # what else is wrong about such an answer, nobody knows
        return EnrichmentDelayed(f"YouTube's answer leaves out video {video_id}", code=Code.INVALID_VALUE)
    return EnrichmentImpossible(
        f"video {video_id} is missing or private", code=Code.NOT_FOUND, hint="check that it can be watched by anybody"
    )


def _title(item: dict[str, Any]) -> str | None:
    snippet = item.get("snippet")
    title = snippet.get("title") if isinstance(snippet, dict) else None
    return title if isinstance(title, str) else None


def _malformed(method: str, reason: str) -> EnrichmentDelayed:
    emit("youtube.answer_malformed", method=method, reason=reason)
    return EnrichmentDelayed(
        f"YouTube's answer cannot be read: {reason}", code=Code.INVALID_VALUE, hint="it is asked again later"
    )


def _wrong_key(told: Refusal) -> Fatal:
    error = told.wrong_key()
    emit("youtube.key_refused", reason=error.message, hint=error.hint)
    return error


@contextmanager
def _observed(method: str, ids: int) -> Iterator[None]:
    began = time.monotonic()
    outcome = "cancelled"
    with span("youtube.request", method=method, ids=ids):
        try:
            yield
            outcome = "ok"
        except WindrowError as error:
            outcome = str(error.code)
            raise
        finally:
            telemetry.REQUESTS.add(1, method=method, outcome=outcome)
            telemetry.SECONDS.record(time.monotonic() - began, method=method)
