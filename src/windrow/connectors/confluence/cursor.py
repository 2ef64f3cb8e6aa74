"""How far a site has been read: which pass, which of its lists, and the link by which that list goes on.

A pass either lists everything or asks for what changed since the watermark: the source's own clock when the pass before
began. A finished cursor holds the two times alone.
"""

import hashlib
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from windrow.connectors.confluence.config import ConfluenceConfig
from windrow.connectors.confluence.links import LONGEST
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical


class Kind(StrEnum):
    """What a pass is about."""

    LISTING = "listing"
    CHANGES = "changes"


Moment = Annotated[datetime, Meta(tz=True)]
Count = Annotated[int, Meta(ge=0, le=10**9)]


class Way(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. Without `kind`: the pass before is over."""

    # of what is read: under another configuration nothing of the rest means anything
    config: str
    # the watermark, and when the last listing began; both by the source's clock
    since: Moment | None = None
    listed: Moment | None = None
    # of the pass under way, from its first answer on
    kind: Kind | None = None
    began: Moment | None = None
    list: str = ""
    # the source's link to the rest of the list; where it counts instead, how many are done, and the last of them
    next: Annotated[str, Meta(max_length=LONGEST)] | None = None
    done: Count = 0
    after: Annotated[str, Meta(max_length=256)] | None = None
    # records a request, where fewer than usual have to do
    limit: Annotated[int, Meta(ge=1, le=500)] | None = None
    # the list gives ids alone, and each is described by itself
    light: bool = False
    # how often the list was taken up anew; and whether something of the pass was passed over
    again: Count = 0
    partial: bool = False

    @property
    def whole(self) -> bool:
        return self.kind is Kind.LISTING and not self.partial

    def to_list(self, name: str) -> "Way":
        """At the beginning of another list of the pass."""
        return msgspec.structs.replace(self, list=name, next=None, done=0, after=None, limit=None, light=False, again=0)

    def over(self) -> "Way":
        """Behind the pass."""
        assert self.began, "a pass has begun before it is over"
        listed = self.began if self.kind is Kind.LISTING else self.listed
        return Way(config=self.config, since=self.began, listed=listed)

    def written(self) -> Any:
        """As JSON."""
        return msgspec.to_builtins(self)


def read(cursor: Any) -> Way:
    """The cursor as it was written; one that was made up by somebody is refused."""
    try:
        return msgspec.convert(cursor, Way)
    except msgspec.ValidationError:
        raise ValidationFailure(
            "the cursor is not one of the confluence connector",
            code=Code.INVALID,
            hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
        ) from None


def fingerprint(config: ConfluenceConfig) -> str:
    """A short name for what is read."""
    of = [config.base_url, config.edition, sorted(config.spaces), sorted(config.entities)]
    return hashlib.sha256(canonical(of)).hexdigest()[:16]


def begin(before: Way | None, config: ConfluenceConfig, now: datetime) -> Way:
    """The pass that is due: changes, or everything where nothing was listed yet, or long ago, or under another configuration."""
    named = fingerprint(config)
    if before is None or before.config != named or before.since is None or before.listed is None:
        return Way(config=named, kind=Kind.LISTING)
    hours = (now.astimezone(UTC) - before.listed).total_seconds() / 3600
    kind = Kind.LISTING if hours >= config.relist_hours else Kind.CHANGES
    return Way(config=named, since=before.since, listed=before.listed, kind=kind)
