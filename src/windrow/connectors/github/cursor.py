"""How far an account has been read: which pass, which list of which repository, and what is known of each list.

All that vouches for something read stands in the cursor, and with it in the transaction of the page that brought it: an
ETag whose page was never published is never used.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical

# the harvest refuses cursors of more than 64 KiB
LARGEST = 60_000
_MOST_PASSES = 10**7
_MOST_REPOSITORIES = 10**5
_MOST_LISTS = 16
HOME = "repositories"
_HEX = re.compile(r'(W/)?"([0-9a-f]{64})"')


class Part(StrEnum):
    """A list of a repository, as the cursor names it; read in this order."""

    LABELS = "l"
    MILESTONES = "m"
    ISSUES = "i"
    PULLS = "p"
    RELEASES = "r"
    COMMITS = "c"
    FILES = "f"


class Mark(Struct, frozen=True, omit_defaults=True):
    """What is known of a list that was read: its first page's ETag, asked for in pages of `size`; what it was read `of`, a
    commit or the names of labels; and `seen`, the watermark, where that is older than the pass.
    """

    etag: str = msgspec.field(name="e", default="")
    size: int = msgspec.field(name="n", default=100)
    of: str = msgspec.field(name="o", default="")
    seen: int = msgspec.field(name="s", default=0)


class Known(Struct, frozen=True, omit_defaults=True):
    """A repository: its number, its present name, its default branch, the lists it does not have, and those that were read."""

    id: int
    name: str = msgspec.field(name="n")
    branch: str = msgspec.field(name="b", default="main")
    without: tuple[str, ...] = msgspec.field(name="w", default=())
    marks: dict[str, Mark] = msgspec.field(name="m", default_factory=dict)

    @property
    def payload(self) -> dict[str, Any]:
        """The repository as records name it."""
        return {"id": self.id, "full_name": self.name}

    def marked(self, name: str, mark: Mark | None) -> "Known":
        """The same, with another mark for a list; None forgets it."""
        others = {each: kept for each, kept in self.marks.items() if each != name}
        return msgspec.structs.replace(self, marks=others | ({name: mark} if mark else {}))


class Before(Struct, frozen=True, array_like=True):
    """The page before: by which it can be told whether something was deleted from under the next one."""

    link: str
    etag: str
    number: int


class Place(Struct, frozen=True, omit_defaults=True):
    """Where in a pass: in which list of which repository, on which leg of it, behind which link."""

    list: str
    repository: int = msgspec.field(name="r", default=-1)
    leg: str = ""
    link: str = ""
    # of the list's first page: its mark, once the list is read
    mark: Mark = Mark()
    before: Before | None = None
    done: int = 0
    restarts: int = 0


class Way(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. Without a place, the pass is over."""

    # of what is harvested: under another configuration, nothing of the rest means anything
    config: str
    # counts the passes, so that it only ever moves forward
    pass_: int = msgspec.field(name="pass")
    # by the source's clock, in seconds: when this pass began; the one before; and the last that listed everything
    began: int
    since: int = 0
    listed: int = 0
    whole: bool = False
    # something was passed over: what is not in the listing need not be gone
    missed: bool = False
    # something that is gone was seen: the next pass lists everything
    relist: bool = False
    # whose repositories these are, by number, and their list
    owner: int = 0
    home: str = ""
    mark: Mark | None = None
    repositories: tuple[Known, ...] = ()
    # known before, and not met yet in the list of repositories that is being read
    unmet: tuple[Known, ...] = ()
    place: Place | None = None

    @property
    def progress(self) -> int:
        """A number that never falls: passes, then repositories, then lists."""
        if self.place is None:
            return (self.pass_ + 1) * _MOST_REPOSITORIES * _MOST_LISTS
        return (self.pass_ * _MOST_REPOSITORIES + self.place.repository + 1) * _MOST_LISTS

    def at(self, place: Place | None) -> "Way":
        return msgspec.structs.replace(self, place=place)

    def known(self, index: int) -> Known:
        return self.repositories[index]

    def knowing(self, index: int, known: Known) -> "Way":
        """The same, knowing something else of a repository."""
        others = self.repositories
        return msgspec.structs.replace(self, repositories=(*others[:index], known, *others[index + 1 :]))

    def written(self) -> Any:
        """As JSON. Of very many repositories some ETags are forgotten, then some marks: that only costs requests."""
        text = canonical(self)
        return msgspec.json.decode(text if len(text) <= LARGEST else canonical(self._shortened()))

    def _shortened(self) -> "Way":
        everything = (*self.unmet, *self.repositories)
        naked = [msgspec.structs.replace(known, marks={}) for known in everything]
        room = LARGEST - len(canonical(self._holding(naked)))
        if room < 0:
            raise ValidationFailure(
                f"{len(everything)} repositories are too many for one endpoint",
                code=Code.TOO_LARGE,
                hint="make several endpoints, each with some of them: `repositories` and `exclude` take globs",
            )
        without_etags, room = _richer(naked, [_bare(known) for known in everything], room)
        return self._holding(_richer(without_etags, everything, room)[0])

    def _holding(self, everything: Sequence[Known]) -> "Way":
        upto = len(self.unmet)
        return msgspec.structs.replace(self, unmet=tuple(everything[:upto]), repositories=tuple(everything[upto:]))


def _richer(poor: Sequence[Known], rich: Sequence[Known], room: int) -> tuple[list[Known], int]:
    """As many of the richer ones as there is room for, and the room that is left."""
    kept: list[Known] = []
    for less, more in zip(poor, rich, strict=True):
        extra = len(canonical(more)) - len(canonical(less))
        kept.append(more if extra <= room else less)
        room -= extra if extra <= room else 0
    return kept, room


def _bare(known: Known) -> Known:
    """Vouched for by the watermark alone."""
    kept = {name: msgspec.structs.replace(mark, etag="", size=100) for name, mark in known.marks.items()}
    return msgspec.structs.replace(known, marks=kept)


def read(cursor: Any) -> Way:
    """The cursor as it was written; one that was made up by somebody is refused."""
    try:
        way = msgspec.convert(cursor, Way)
    except msgspec.ValidationError:
        raise _refused() from None
    place = way.place
    if not 0 < way.pass_ < _MOST_PASSES or (place is not None and not _is_a_place(place, way)):
        raise _refused()
    return way


def _is_a_place(place: Place, way: Way) -> bool:
    """Whether a pass can be there. A link to elsewhere would lead our credential there."""
    home = place.list == HOME
    somewhere = place.repository == -1 if home else 0 <= place.repository < len(way.repositories)
    inside = not place.link or (place.link.startswith("/") and not place.link.startswith("//"))
    return somewhere and inside and (home or place.list in set(Part))


def _refused() -> ValidationFailure:
    return ValidationFailure(
        "the cursor is not one of the github connector",
        code=Code.INVALID,
        hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
    )


def fingerprint(of: Any) -> str:
    """A short name for a configuration, or for a list of names."""
    return hashlib.sha256(canonical(of)).hexdigest()[:16]


def packed(etag: str | None) -> str:
    """An ETag as the cursor keeps it: a hash of 64 digits in 43 characters; none that is endless."""
    found = _HEX.fullmatch(etag or "")
    if found is None:
        return etag if etag and len(etag) <= 100 else ""
    return ("w" if found[1] else "s") + base64.urlsafe_b64encode(bytes.fromhex(found[2])).decode().rstrip("=")


def unpacked(kept: str) -> str | None:
    """The ETag as the source gave it."""
    if not kept or kept[0] not in "ws" or len(kept) != 44:
        return kept or None
    try:
        digits = base64.urlsafe_b64decode(kept[1:] + "=").hex()
    except (ValueError, binascii.Error):
        return None
    return f'{"W/" if kept[0] == "w" else ""}"{digits}"'
