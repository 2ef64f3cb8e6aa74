"""What an answer of GitHub means where its status alone does not tell: a limit or a refusal, a list or not yet one. Pure."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from windrow.http import HttpLimited, Response, retry_after
from windrow.http.retry_after import http_date
from windrow.http.urls import shown

# what the documentation asks for where the source does not say how long
UNSAID = 60.0
LONGEST = timedelta(hours=1)
# what is being computed is there within seconds; the harvest's own patience is longer in any case
COMPUTED = 5.0
_LIMIT = re.compile(r"rate.limit|abuse", re.IGNORECASE)


def limit(response: Response, now: datetime) -> HttpLimited | None:
    """The limit that an answer tells of, with how long to wait; None if it tells of none.

    A 403 may be either: it is a limit when it says when to come back, when nothing remains, or when its text says so. All
    else is a permission that is lacking, which waiting does not mend.
    """
    if response.status == 202:
        return _limited(response, COMPUTED, "is still computing it")
    if response.status not in (403, 429):
        return None
    there = source_time(response.headers, now)
    asked = retry_after(response.headers.get("retry-after"), there, LONGEST)
    if asked is not None:
        return _limited(response, asked, "asks to be left alone")
    if response.headers.get("x-ratelimit-remaining", "").strip() == "0":
        return _limited(response, _until_reset(response.headers, there), "has no requests left for us")
    if response.status == 429 or _LIMIT.search(response.text[:4096]):
        return _limited(response, UNSAID, "asks to slow down")
    return None


def source_time(headers: Mapping[str, str], now: datetime) -> datetime:
    """The source's own clock, where it told."""
    return http_date(headers.get("date")) or now


def _until_reset(headers: Mapping[str, str], there: datetime) -> float:
    text = headers.get("x-ratelimit-reset", "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        return UNSAID
    # a moment more: the clocks count whole seconds
    return min(max(int(text) - there.timestamp(), 0.0) + 1.0, LONGEST.total_seconds())


def _limited(response: Response, seconds: float, why: str) -> HttpLimited:
    error = HttpLimited(
        f"{shown(response.url)} answered {response.status}: GitHub {why}",
        retry_after=seconds,
        hint="nothing: it goes on by itself; a token, or an App, has a higher limit than none",
    )
    error.status, error.url, error.excerpt = response.status, shown(response.url), response.excerpt
    return error


def partial(response: Response) -> bool:
    """Whether organisations were left out of an answer, because their single sign-on does not know the token."""
    return response.headers.get("x-github-sso", "").startswith("partial-results")
