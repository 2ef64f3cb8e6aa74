"""What an address of this section asks for. Whatever is no such thing is not asked for."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from windrow.console.session import Visit
from windrow.contracts.errors import Code
from windrow.harvest.quarantine import Mark
from windrow.web.problem import Refusal

# where an entry stands, and what that means
STATES = {
    "open": "nobody has dealt with them",
    "retried": "they passed when they were tried again",
    "overtaken": "the source has said something valid about the same items since",
    "dropped": "somebody dismissed them",
}
_KEY = re.compile(r"[0-9a-f]{12}", re.ASCII)
_MARK = re.compile(r"(\S{10,40}) ([a-z0-9._-]{1,64}) (\w{1,64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """Of which endpoint, in which state, and after which entry."""

    endpoint: str | None
    state: str
    after: Mark | None

    @classmethod
    def of(cls, visit: Visit) -> "Asked":
        query = visit.request.query_params
        endpoint = query.get("endpoint", "").strip().replace("\0", "")[:64]
        state = query.get("state", "open")
        return cls(endpoint or None, state if state in STATES else "open", mark(query.get("after", "")))

    def query(self, **more: str) -> str:
        """The same question as the end of an address, from the beginning of the list."""
        state = "" if self.state == "open" else self.state
        known = {"endpoint": self.endpoint or "", "state": state} | more
        found = urlencode({name: value for name, value in known.items() if value})
        return f"?{found}" if found else ""


def mark(text: str) -> Mark | None:
    """Where the page before ended."""
    found = _MARK.fullmatch(text)
    try:
        at = datetime.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
    return Mark(at, found[2], found[3]) if found and at and at.tzinfo else None


def written(place: Mark) -> str:
    """The mark as an address holds it."""
    return f"{place.last_at.isoformat()} {place.endpoint_id} {place.id}"


def key_of(visit: Visit) -> str:
    """The group of the address."""
    key: str = visit.request.path_params["key"]
    if not _KEY.fullmatch(key):
        raise Refusal(
            404,
            "there is no such group of refused records",
            code=Code.NOT_FOUND,
            hint="the list of what is in quarantine shows those that are there",
        )
    return key
