"""How far an API has been read: which pass, which lists are open, and where in each of them one is."""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from windrow.connectors.rest.definition import Definition
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical

_MOST_PAGES = 10**9
_RELIST_HOURS = 24.0
Token = str | int


class Frame(Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One list that is being read.

    `next` asks for its next part: a number where it is counted, else a link or a cursor. Of that part `at` records are dealt with already, which are known as `seen`; their
    children wait in the `queue`. `mark` is what an earlier part is known by: one that comes again goes in circles.
    """

    stream: str
    size: int
    parent: dict[str, Any] | None = None
    grandparent: dict[str, Any] | None = None
    next: Token | None = None
    # parts and records of it that were read
    count: int = 0
    read: int = 0
    mark: str = ""
    # how often it was begun anew because what asked for the next part had run out
    restarts: int = 0
    at: int = 0
    seen: str = ""
    # what the record before `next` is known by, where a list is counted: it must still be in its place
    before: str = ""
    over: bool = False
    queue: list[tuple[str, dict[str, Any]]] = []

    def restart(self) -> None:
        """Go back to the beginning of the list."""
        self.next, self.at, self.seen, self.mark = None, 0, "", ""
        self.restarts += 1


class Journey(Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. Without a `stack` the pass is over, and the next one follows."""

    # the API and what is read of it: of another, nothing of the rest means anything
    known_as: str
    pass_: int = msgspec.field(name="pass", default=1)
    pages: int = 0
    # what this pass begins with: everything, or what changed since then (by the source's clock)
    since: datetime | None = None
    begun: datetime | None = None
    listed: datetime | None = None
    missed: bool = False
    # how many of the streams that stand alone were begun
    roots: int = 0
    stack: list[Frame] | None = None

    @property
    def progress(self) -> int:
        return self.pass_ * _MOST_PAGES + min(self.pages if self.stack is not None else _MOST_PAGES, _MOST_PAGES)

    def over(self) -> "Journey":
        """The same pass at its end; what changes from now on is what changed since it began."""
        listed = self.begun if self.since is None else self.listed
        return Journey(known_as=self.known_as, pass_=self.pass_, since=self.begun, listed=listed)

    def following(self, definition: Definition, now: datetime) -> "Journey":
        """The pass after this one."""
        incremental = any(stream.incremental for stream in definition.streams.values())
        hours = definition.relist_hours
        if hours is None and definition.deletes == "listed":
            hours = _RELIST_HOURS
        due = hours is not None and (self.listed is None or now >= self.listed + timedelta(hours=hours))
        since = self.since if incremental and not due else None
        return Journey(known_as=self.known_as, pass_=self.pass_ + 1, since=since, listed=self.listed, stack=[])

    def written(self) -> Any:
        """As JSON, as it is now."""
        return msgspec.json.decode(canonical(self))


def begin(cursor: Any, definition: Definition, known_as: str, now: datetime) -> Journey:
    """Where to go on from a cursor; from none, and from one of another API, from the beginning."""
    if cursor is None:
        return Journey(known_as=known_as, stack=[])
    journey = read(cursor)
    if journey.known_as != known_as:
        return Journey(known_as=known_as, pass_=journey.pass_ + 1, stack=[])
    named = {frame.stream for frame in journey.stack or ()} | {
        stream for frame in journey.stack or () for stream, _ in frame.queue
    }
    if not named <= definition.streams.keys():
        raise _refused()
    return journey if journey.stack is not None else journey.following(definition, now)


def read(cursor: Any) -> Journey:
    """The cursor as it was written; one that was made up by somebody is refused."""
    try:
        journey = msgspec.convert(cursor, Journey)
    except msgspec.ValidationError:
        journey = None
    if journey is None or not (0 < journey.pass_ < _MOST_PAGES and min(_counts(journey)) >= 0):
        raise _refused()
    return journey


def _counts(journey: Journey) -> Iterator[int]:
    yield from (journey.pages, journey.roots)
    for frame in journey.stack or ():
        yield from (frame.at, frame.count, frame.read, frame.size)


def _refused() -> ValidationFailure:
    return ValidationFailure(
        "the cursor is not one of the rest connector",
        code=Code.INVALID,
        hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
    )


def short_hash(value: Any) -> str:
    """What a value is known by."""
    try:
        written = canonical(value)
    except (TypeError, ValueError, OverflowError):
        # half of a surrogate pair, a number beyond 64 bits: JSON all the same
        written = json.dumps(value, sort_keys=True).encode("ascii")
    return hashlib.sha256(written).hexdigest()[:16]
