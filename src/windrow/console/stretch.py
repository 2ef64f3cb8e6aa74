"""Which part of a file is asked for (RFC 9110, 14): a player asks for the part that it is about to show."""

import re
from dataclasses import dataclass

from starlette.datastructures import Headers

_RANGE = re.compile(r"bytes=(?P<first>\d{0,18})-(?P<last>\d{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The bytes from `start` on, before `end`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


class Unsatisfiable(Exception):
    """What is asked for lies beyond the end."""


def asked_for(headers: Headers, size: int, etag: str) -> Stretch | None:
    """The part, or None for all of it: so is answered what cannot be read, and several parts at once.

    Who has the beginning of another version (`If-Range`) gets all of this one.
    """
    asked = _RANGE.fullmatch(headers.get("range", "").strip())
    if asked is None or asked[0] == "bytes=-" or headers.get("if-range", etag) != etag:
        return None
    first, last = asked["first"], asked["last"]
    if not first:
        stretch = Stretch(max(0, size - int(last)), size)
    elif last and int(last) < int(first):
        return None
    else:
        stretch = Stretch(int(first), min(int(last) + 1, size) if last else size)
    if stretch.length <= 0:
        raise Unsatisfiable
    return stretch
