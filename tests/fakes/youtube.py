"""The YouTube Data API v3 on loopback: `videos.list` and `videoCategories.list`, and its refusals in Google's two spellings.

After the reference of the API: what is missing or private is left out of a list, only the parts that were asked for are given,
counts are texts, hidden things are absent, 50 ids are the most, every request costs a unit of the day's quota.
"""

import asyncio
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Asked, Vendor

KEY = "AIzaSyCanary-of-the-youtube-key-0123456"
_MOST = 50
_PARTS = frozenset(
    {
        *("contentDetails", "fileDetails", "id", "liveStreamingDetails", "localizations", "player"),
        *("processingDetails", "recordingDetails", "snippet", "statistics", "status", "suggestions", "topicDetails"),
    }
)
_SERVICE = {"service": "youtube.googleapis.com", "consumer": "projects/123456789"}
_CONSOLE = "https://console.developers.google.com/apis/api/youtube.googleapis.com/overview?project=123456789"
_QUOTA = 'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.'


def answered(status: int, body: Any, headers: dict[str, str] | None = None) -> Response:
    content = body if isinstance(body, bytes) else json.dumps(body, indent=2).encode()
    return Response(content, status, headers, media_type="application/json; charset=UTF-8")


def refusal(
    status: int,
    reason: str,
    message: str,
    *,
    domain: str = "global",
    google: str | None = None,
    info: str | None = None,
    metadata: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Google's error: `reason` in the older spelling, `info` in the newer one, which comes with a `google` status."""
    error: dict[str, Any] = {"code": status, "message": message}
    error["errors"] = [{"message": message, "domain": domain, "reason": reason}]
    if google:
        error["status"] = google
    if info:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        about = {
            "@type": kind,
            "reason": info,
            "domain": "googleapis.com",
            "metadata": {**_SERVICE, **(metadata or {})},
        }
        error["details"] = [about]
    return answered(status, {"error": error}, headers)


def quota_exceeded() -> Response:
    return refusal(403, "quotaExceeded", _QUOTA, domain="youtube.quota")


def daily_limit_exceeded() -> Response:
    message = "Daily Limit Exceeded. The quota will be reset at midnight Pacific Time (PT)."
    return refusal(403, "dailyLimitExceeded", message, domain="usageLimits")


def per_day_exceeded() -> Response:
    """The newer form of a daily limit: by its reason a limit on the rate, by its unit one of a day."""
    return _over("Queries per day", {"quota_limit": "defaultPerDayPerProject", "quota_unit": "1/d/{project}"}, {})


def rate_limited(retry_after: str | None = None) -> Response:
    metadata = {"quota_limit": "defaultPerMinutePerProject", "quota_unit": "1/min/{project}"}
    return _over("Queries per minute", metadata, {"retry-after": retry_after} if retry_after else {})


def _over(limit: str, metadata: dict[str, str], headers: dict[str, str]) -> Response:
    message = f"Quota exceeded for quota metric 'Queries' and limit '{limit}' of service 'youtube.googleapis.com'."
    return refusal(
        *(429, "rateLimitExceeded", message),
        google="RESOURCE_EXHAUSTED",
        info="RATE_LIMIT_EXCEEDED",
        metadata=metadata,
        headers=headers,
    )


def user_rate_limited() -> Response:
    return refusal(403, "userRateLimitExceeded", "User Rate Limit Exceeded", domain="usageLimits")


def key_invalid() -> Response:
    message = "API key not valid. Please pass a valid API key."
    return refusal(400, "badRequest", message, google="INVALID_ARGUMENT", info="API_KEY_INVALID")


def key_invalid_of_old() -> Response:
    return refusal(400, "keyInvalid", "Bad Request", domain="usageLimits")


def access_not_configured() -> Response:
    message = f"YouTube Data API v3 has not been used in project 123456789 before or it is disabled. Enable it by visiting {_CONSOLE} then retry."
    return refusal(
        403, "accessNotConfigured", message, domain="usageLimits", google="PERMISSION_DENIED", info="SERVICE_DISABLED"
    )


def address_blocked() -> Response:
    message = "There is a per-IP or per-Referer restriction configured on your API key and the request does not match these restrictions."
    return refusal(403, "ipRefererBlocked", message, domain="usageLimits")


def service_blocked() -> Response:
    message = "Requests to this API youtube method youtube.api.v3.V3DataVideoService.List are blocked."
    return refusal(403, "forbidden", message, google="PERMISSION_DENIED", info="API_KEY_SERVICE_BLOCKED")


def forbidden() -> Response:
    return refusal(403, "forbidden", "The request is missing a valid API key.", google="PERMISSION_DENIED")


def unauthorized() -> Response:
    return refusal(401, "authError", "Invalid Credentials", google="UNAUTHENTICATED")


def backend_error(status: int = 503) -> Response:
    return refusal(status, "backendError", "Backend Error", google="UNAVAILABLE")


@dataclass
class FakeYoutube(Vendor):
    """`youtube.shows(video)`; `refuses(…)` answers so, one after the other, before it gets well again."""

    key: str = field(default=KEY, init=False)
    units: int = field(default=10_000, init=False)
    videos: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    categories: dict[str, str] = field(default_factory=lambda: dict(CATEGORIES), init=False)
    # held back while it is not set
    open: threading.Event = field(default_factory=threading.Event, init=False)
    asked: threading.Event = field(default_factory=threading.Event, init=False)
    _troubles: list[Response] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.open.set()

    def begins_anew(self) -> None:
        """As it was at first: it takes a tenth of a second to close one and start another."""
        with self.lock:
            self.units, self.before = 10_000, None
            self.requests.clear()
            self.videos.clear()
            self._troubles.clear()
        self.asked.clear()
        self.open.set()

    @property
    def url(self) -> str:
        return f"{self.base_url}/youtube/v3/"

    def shows(self, *videos: dict[str, Any]) -> None:
        with self.lock:
            self.videos |= {video["id"]: video for video in videos}

    def refuses(self, *troubles: Response) -> None:
        with self.lock:
            self._troubles = list(troubles)

    def lists(self, method: str = "videos") -> list[Asked]:
        with self.lock:
            return [one for one in self.requests if one.path == f"/youtube/v3/{method}"]

    def routes(self) -> Sequence[BaseRoute]:
        return (
            Route("/youtube/v3/videos", self._videos),
            Route("/youtube/v3/videoCategories", self._categories),
        )

    def close(self) -> None:
        self.open.set()
        super().close()

    async def _videos(self, request: Request) -> Response:
        if trouble := await self._trouble(request):
            return trouble
        parts, ids = _words(request, "part"), _words(request, "id")
        if not parts or not ids:
            missing = "part" if not parts else "id, chart, myRating"
            return refusal(400, "missingRequiredParameter", f"No filter selected. Expected one of: {missing}")
        if unknown := set(parts) - _PARTS:
            return refusal(400, "unknownPart", f"'{unknown.pop()}'", domain="youtube.part")
        if len(ids) > _MOST or "maxResults" in request.query_params:
            return refusal(400, "invalidFilters", "The request specifies an invalid filter parameter.")
        with self.lock:
            found = [self.videos[one] for one in dict.fromkeys(ids) if one in self.videos]
        public = [video for video in found if video.get("status", {}).get("privacyStatus") != "private"]
        items = [
            {name: part for name, part in video.items() if name in {"kind", "etag", "id", *parts}} for video in public
        ]
        return answered(200, _list("youtube#videoListResponse", items))

    async def _categories(self, request: Request) -> Response:
        if trouble := await self._trouble(request):
            return trouble
        ids = _words(request, "id")
        if _words(request, "part") != ["snippet"] or not ids:
            return refusal(400, "missingRequiredParameter", "No filter selected. Expected one of: id, regionCode")
        with self.lock:
            names = {one: self.categories.get(one) for one in ids}
        if None in names.values():
            message = "The video category identified by the id parameter cannot be found."
            return refusal(404, "videoCategoryNotFound", message, domain="youtube.videoCategory")
        return answered(200, _list("youtube#videoCategoryListResponse", [_category(*one) for one in names.items()]))

    async def _trouble(self, request: Request) -> Response | None:
        """What stands before any answer: scripted troubles, the key, the quota."""
        self.asked.set()
        await asyncio.to_thread(self.open.wait)
        with self.lock:
            if self._troubles:
                return self._troubles.pop(0)
            key = request.headers.get("x-goog-api-key") or request.query_params.get("key")
            if key != self.key:
                return key_invalid() if key else forbidden()
            self.units -= 1
            return quota_exceeded() if self.units < 0 else None


def _words(request: Request, name: str) -> list[str]:
    given = parse_qs(request.url.query).get(name, [])
    return [word for text in given for word in text.split(",") if word]


def _list(kind: str, items: list[Any]) -> dict[str, Any]:
    about = {"totalResults": len(items), "resultsPerPage": len(items)}
    return {"kind": kind, "etag": "YIUPVpqNjppyCWOZfL-19bLb7uk", "items": items, "pageInfo": about}


def _category(id_: str, name: str | None) -> dict[str, Any]:
    snippet = {"title": name, "assignable": True, "channelId": "UCBR8-60-B28hp2BmDPdntcQ"}
    return {"kind": "youtube#videoCategory", "etag": "grPOPYEUUZN3ltuDUGEWlrTR90U", "id": id_, "snippet": snippet}


CATEGORIES = {"22": "People & Blogs", "25": "News & Politics", "27": "Education", "28": "Science & Technology"}


def a_video(video_id: str = "oBM7DIeMsP0", **parts: Any) -> dict[str, Any]:
    """A whole resource, as the API gives it; each part that is given stands for the usual one, None for its absence."""
    usual: dict[str, Any] = {
        "snippet": a_snippet(video_id),
        "contentDetails": {
            "duration": "PT53M53S",
            "dimension": "2d",
            "definition": "hd",
            "caption": "true",
            "licensedContent": True,
            "contentRating": {},
            "projection": "rectangular",
        },
        "status": {
            "uploadStatus": "processed",
            "privacyStatus": "public",
            "license": "youtube",
            "embeddable": True,
            "publicStatsViewable": True,
            "madeForKids": False,
        },
        "statistics": {"viewCount": "1234567", "likeCount": "9876", "favoriteCount": "0", "commentCount": "321"},
        "topicDetails": {"topicCategories": ["https://en.wikipedia.org/wiki/Knowledge"]},
    }
    told = {name: part for name, part in (usual | parts).items() if part is not None}
    return {"kind": "youtube#video", "etag": "mOoAdxYENheAWbQfM6rFdltOGAM", "id": video_id, **told}


def a_snippet(video_id: str = "oBM7DIeMsP0", **fields: Any) -> dict[str, Any]:
    title = "A conversation about compilers: in full"
    usual: dict[str, Any] = {
        "publishedAt": "2025-09-24T17:06:07Z",
        "channelId": "UCb--64Gl51jIEVE-GLDAVTg",
        "title": title,
        "description": "Two people talk.\nMore at https://example.org/talks",
        "thumbnails": {
            "default": {"url": f"https://i.ytimg.com/vi/{video_id}/default.jpg", "width": 120, "height": 90},
            "maxres": {"url": f"https://i.ytimg.com/vi/{video_id}/maxresdefault.jpg", "width": 1280, "height": 720},
            "high": {"url": f"https://i.ytimg.com/vi/{video_id}/hqdefault.jpg", "width": 480, "height": 360},
        },
        "channelTitle": "Compilers Weekly",
        "tags": ["compilers", "languages", "compilers"],
        "categoryId": "28",
        "liveBroadcastContent": "none",
        "defaultLanguage": "en",
        "localized": {"title": title, "description": "Two people talk."},
        "defaultAudioLanguage": "en-GB",
    }
    return {name: value for name, value in (usual | fields).items() if value is not None}
