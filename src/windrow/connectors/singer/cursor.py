"""How far a tap has been read: the last STATE that it can go on from, and how many records were given behind it.

A tap gives a STATE when it likes. So a cursor may stand between two of them: the tap is then run from the one before, and
the records behind it that were given already are passed over, if they are the same as then (`mark`). If they are not, they
are given once more: nothing is lost by that, since a thing that is given twice is the same thing.
"""

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical
from windrow.contracts.storable import Storable
from windrow.vault import Secret

# a cursor has room for 64 KiB
STATE = Storable("STATE of the tap", 48 * 1024, "split its streams over several endpoints")
# a shorter one would be found anywhere
_SHORTEST_SECRET = 8


class Listing(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A pass that shows all there is, so far: which streams there were, and whether anything was passed over."""

    # by short names of their own: there may be thousands
    seen: tuple[str, ...] = ()
    missed: bool = False

    def with_stream(self, stream: str) -> "Listing":
        return self if self.has(stream) else msgspec.structs.replace(self, seen=(*self.seen, _short(stream)))

    def has(self, stream: str) -> bool:
        return _short(stream) in self.seen


class Place(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. Unless a pass is `open`, the last one has ended and the next one begins with `state`."""

    # of what is harvested
    config: str = ""
    open: bool = False
    state: dict[str, Any] | None = None
    skip: int = 0
    mark: str = ""
    # all records of the pass, those that were given twice as well: it only ever rises
    given: int = 0
    again: int = 0
    listing: Listing | None = None
    # the hour, since 1970, in which the last listing began
    listed: int | None = None

    def written(self) -> Any:
        """As JSON."""
        return msgspec.json.decode(msgspec.json.encode(self))


def read(cursor: Any) -> Place:
    """The cursor as it was written; one that was made up by somebody is refused."""
    if cursor is None:
        return Place()
    try:
        place = msgspec.convert(cursor, Place)
    except msgspec.ValidationError:
        place = None
    if place is None or min(place.skip, place.given, place.again) < 0 or place.skip > place.given:
        raise ValidationFailure(
            "the cursor is not one of the singer connector",
            code=Code.INVALID,
            hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
        )
    return place


def _short(stream: str) -> str:
    return hashlib.sha256(stream.encode()).hexdigest()[:10]


def fingerprint(of: Any) -> str:
    """A short name for a configuration."""
    return hashlib.sha256(canonical(of)).hexdigest()[:16]


class Trail:
    """The records behind a STATE: how many, and a mark by which the same ones are known again."""

    def __init__(self) -> None:
        self.length = 0
        self._hash = hashlib.sha256()

    def take(self, record: Any) -> None:
        self.length += 1
        # each ends with a line end, which JSON does not hold
        self._hash.update(canonical(record) + b"\n")

    @property
    def mark(self) -> str:
        return self._hash.hexdigest()[:24] if self.length else ""


def goes_on(state: Any, depth: int = 6) -> bool:
    """Whether a tap can go on from a state. In what `progress_markers` are about, it would begin anew."""
    if not isinstance(state, dict | list) or depth == 0:
        return True
    if isinstance(state, list):
        return all(goes_on(inner, depth - 1) for inner in state)
    return not state.get("progress_markers") and all(goes_on(inner, depth - 1) for inner in state.values())


def checked(state: dict[str, Any] | None, secrets: list[Secret]) -> None:
    """Refuse a state that cannot be kept, or that would show the credential."""
    text = STATE.text(state)
    if any(len(each.reveal()) >= _SHORTEST_SECRET and each.reveal() in text for each in secrets):
        raise ValidationFailure(
            "the STATE of the tap holds the credential",
            code=Code.INVALID,
            hint="it would be shown with the cursor: such a tap cannot be used",
        )
