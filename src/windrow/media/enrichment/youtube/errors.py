"""What a refusal of YouTube means. Google's errors name their reason twice: in `errors[].reason`, and newer ones in `details[]`.

quota    nothing left for today              quotaExceeded, dailyLimitExceeded, any limit that is counted by the day
rate     too many at a time                  rateLimitExceeded, userRateLimitExceeded, 429
key      the key, or its project, may not    keyInvalid, accessNotConfigured, ipRefererBlocked, forbidden, 401, 403
absent   no such thing                       404
other    anything else
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import Response

_DAILY = frozenset({"quotaExceeded", "dailyLimitExceeded"})
_RATE = frozenset(
    {
        *("rateLimitExceeded", "userRateLimitExceeded", "concurrentLimitExceeded", "servingLimitExceeded"),
        *("RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"),
    }
)
_KEY = frozenset({"keyInvalid", "keyExpired", "API_KEY_INVALID", "API_KEY_EXPIRED"})
_HINTS = {
    "accessNotConfigured": "enable the YouTube Data API v3 for the key's project in the Google Cloud console",
    "SERVICE_DISABLED": "enable the YouTube Data API v3 for the key's project in the Google Cloud console",
    "ipRefererBlocked": "the key is restricted to other addresses: allow the worker's in the Google Cloud console",
    "API_KEY_IP_ADDRESS_BLOCKED": "the key is restricted to other addresses: allow the worker's in the Google Cloud console",
    "API_KEY_HTTP_REFERRER_BLOCKED": "the key is for web pages: make one for servers in the Google Cloud console",
    "API_KEY_SERVICE_BLOCKED": "the key is restricted to other APIs: allow it the YouTube Data API v3",
}
_RENEW = "check the YouTube key and its restrictions (docs/how-to/enrich-youtube.md)"
_WORD = re.compile(r"[A-Za-z_]{1,64}", re.ASCII)
_LONGEST = 200


class Kind(StrEnum):
    """As above."""

    QUOTA = "quota"
    RATE = "rate"
    KEY = "key"
    ABSENT = "absent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that says no, in one line without the key."""

    kind: Kind
    reason: str
    message: str

    def wrong_key(self) -> Fatal:
        """Nothing is enriched until a person has seen to the key."""
        return Fatal(self.message, code=Code.CONFIGURATION, hint=_HINTS.get(self.reason, _RENEW))


def refusal(response: Response) -> Refusal:
    """What an answer of 4xx means."""
    try:
        body = response.json()
    except ValidationFailure:
        body = None
    error = _table(_table(body).get("error"))
    reasons = [*_reasons(error.get("details")), *_reasons(error.get("errors"))]
    kind = _kind(response.status, frozenset(reasons), _by_the_day(error))
    # the most telling one: `forbidden` and `badRequest` stand beside those that we know
    known = _DAILY | _RATE | _KEY | _HINTS.keys()
    reason = next((one for one in reasons if one in known), reasons[-1] if reasons else "")
    named = f" {reason}" if reason else ""
    return Refusal(kind, reason, f"YouTube answered {response.status}{named}{_said(response, error)}")


def _kind(status: int, reasons: frozenset[str], by_the_day: bool) -> Kind:
    if reasons & _DAILY:
        return Kind.QUOTA
    if reasons & _RATE or status == 429:
        return Kind.QUOTA if by_the_day else Kind.RATE
    if reasons & (_KEY | _HINTS.keys()) or status in (401, 403):
        return Kind.KEY
    return Kind.ABSENT if status == 404 else Kind.OTHER


def _by_the_day(error: dict[str, Any]) -> bool:
    """Whether the limit that was met is one of a day: `1/d/{project}`."""
    metadata = [_table(_table(detail).get("metadata")) for detail in _list(error.get("details"))]
    return any(str(about.get("quota_unit", "")).startswith("1/d") for about in metadata)


def _reasons(entries: Any) -> Iterator[str]:
    for entry in _list(entries):
        reason = _table(entry).get("reason")
        if isinstance(reason, str) and _WORD.fullmatch(reason):
            yield reason


def _said(response: Response, error: dict[str, Any]) -> str:
    message = error.get("message")
    if not isinstance(message, str):
        return f": {response.excerpt}" if response.excerpt else ""
    # cut after it is made safe, so that no half of a secret stays
    words = "".join(char if char.isprintable() else " " for char in response.unsecret(message[:4096])).split()
    return f": {' '.join(words)[:_LONGEST]}"


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
