"""How long an answer may be kept: what it says of itself, within our own bounds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s{0,8}=\s{0,8}\"?([0-9]{1,12})\b", re.ASCII | re.IGNORECASE)
_NOT_KEPT = re.compile(r"\bno-(?:store|cache)\b", re.ASCII | re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Freshness:
    """Seconds. Fresh for at least `shortest`, lest we ask all the time, and at most `longest`, lest we never notice that a
    key was withdrawn; `unsaid` where the answer does not say."""

    shortest: float = 300
    longest: float = 86_400
    unsaid: float = 3_600

    def of(self, headers: Mapping[str, str]) -> float:
        """How long an answer with these headers is fresh, from now on."""
        control = headers.get("cache-control", "")
        if _NOT_KEPT.search(control):
            return self.shortest
        allowed = _MAX_AGE.search(control)
        if allowed is None:
            return self.unsaid
        # a cache on the way may have kept it for a while already
        age = headers.get("age", "").strip()
        left = float(allowed[1]) - (float(age) if _SECONDS.fullmatch(age) else 0.0)
        return min(max(left, self.shortest), self.longest)
