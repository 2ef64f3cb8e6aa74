"""How far the drives of an endpoint have been read: for each of them the link behind its last page.

A pass goes from drive to drive. It either follows what has changed, or is a listing of everything, which begins without
links. Where it ends, the links are those for the next time.
"""

import hashlib
import re
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical

_MOST_PAGES = 10**6
_MOST_PASSES = 10**7
_HOUR = 3600
_WORD = re.compile(r"[0-9a-f]{16}", re.ASCII)


class Spot(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A drive, the folder of it that is harvested, and the link to go on with; None: from the beginning."""

    drive: str
    folder: str | None = None
    link: str | None = None


class Way(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. `at` is the drive that is being read; without it the pass is over."""

    # of what is harvested: under another configuration, nothing of the rest means anything
    config: str
    # counts the passes, and the pages in a pass, so that it only ever moves forward
    pass_: int = msgspec.field(name="pass")
    pages: int = 0
    drives: tuple[Spot, ...]
    at: int | None = None
    # the hour, since 1970, in which the latest listing of everything began
    listed: int = 0
    # this pass lists everything
    listing: bool = False
    # … and follows another pass of the same run: it is not followed by yet another
    follows: bool = False
    # something was passed over
    flawed: bool = False
    # not all of the folders are known
    blind: bool = False
    # what was told of some items may not be true any more: everything is to be listed
    doubt: bool = False
    # how the folders of the time before this pass are filed
    since: str = ""

    @property
    def over(self) -> bool:
        return self.at is None

    @property
    def progress(self) -> int:
        """A number that rises with every page."""
        return (self.pass_ * 2 + self.over) * _MOST_PAGES + min(self.pages, _MOST_PAGES - 1)

    @property
    def place(self) -> str:
        """The links as one word: where in the history of the drives this is."""
        return fingerprint([[spot.drive, spot.link] for spot in self.drives])

    def again(self) -> "Way":
        """The next pass, over what has changed."""
        return Way(
            config=self.config, pass_=self.pass_ + 1, drives=self.drives, at=0, listed=self.listed, since=self.place
        )

    def anew(self, hour: int, *, follows: bool = False) -> "Way":
        """The next pass, over everything."""
        spots = tuple(replace(spot, link=None) for spot in self.drives)
        return Way(
            config=self.config, pass_=self.pass_ + 1, drives=spots, at=0, listed=hour, listing=True, follows=follows
        )

    def behind(self, link: str, *, ended: bool, doubt: bool = False) -> "Way":
        """The same pass behind a page; at the next drive, if that was the last one of this."""
        assert self.at is not None
        spots = list(self.drives)
        spots[self.at] = replace(spots[self.at], link=link)
        return replace(self, drives=tuple(spots), at=self.at + ended, pages=self.pages + 1, doubt=self.doubt or doubt)

    def past(self) -> "Way":
        """The same pass without what is left of this drive."""
        assert self.at is not None
        return replace(self, at=self.at + 1, pages=self.pages + 1, flawed=True)

    def ended(self) -> "Way":
        """The same pass, at its end."""
        doubt = self.doubt or self.blind
        return Way(
            config=self.config, pass_=self.pass_, pages=self.pages, drives=self.drives, listed=self.listed, doubt=doubt
        )

    def written(self) -> Any:
        """As JSON."""
        return msgspec.json.decode(msgspec.json.encode(self))


def first(config: str, spots: tuple[Spot, ...], hour: int, *, number: int = 1) -> Way:
    """A pass over everything, without anything before it."""
    return Way(config=config, pass_=number, drives=spots, at=0, listed=hour, listing=True)


def read(cursor: Any) -> Way:
    """The cursor as it was written; one that was made up by somebody is refused."""
    try:
        way = msgspec.convert(cursor, Way)
    except msgspec.ValidationError:
        raise _refused() from None
    inside = way.at is None or 0 <= way.at < len(way.drives)
    # they become names of files
    words = all(_WORD.fullmatch(word) for word in (way.config, way.since) if word)
    if not (0 < way.pass_ < _MOST_PASSES and way.pages >= 0 and inside and way.drives and words):
        raise _refused()
    return way


def hour_of(seconds: float) -> int:
    """The hour in which a moment is: a cursor does not tell it more exactly, so that two passes give the same one."""
    return int(seconds // _HOUR)


def fingerprint(of: Any) -> str:
    """A short name for something."""
    return hashlib.sha256(canonical(of)).hexdigest()[:16]


def _refused() -> ValidationFailure:
    return ValidationFailure(
        "the cursor is not one of the onedrive connector",
        code=Code.INVALID,
        hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
    )
