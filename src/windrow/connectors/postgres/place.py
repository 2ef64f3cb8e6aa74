"""The cursor of `postgres`: what is known of each database, and within a pass, how far it has come.

A pass from a cursor without `at` begins with a look at the fingerprints. A pass that reads every database is a listing: it
tells what is gone. One that reads only the databases that have changed is none.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.identity import canonical
from windrow.contracts.page import Cursor

_PASS = 1 << 40
Count = Annotated[int, Meta(ge=0, lt=_PASS)]

# what is read of a database, in this order
DATABASE, SCHEMAS, RELATIONS, END = range(4)


class At(Struct, frozen=True, forbid_unknown_fields=True):
    """Within a database: what is being read of it, and behind which of the server's numbers."""

    database: str
    step: Annotated[int, Meta(ge=DATABASE, le=END)] = DATABASE
    after: Annotated[int, Meta(ge=0, lt=1 << 32)] = 0


class Place(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Where a pass stands. `missed` says that something could not be read, `listed` when everything was, last."""

    number: Annotated[int, Meta(ge=1, lt=1 << 22)] = field(default=1, name="pass")
    # of what is harvested: under another configuration, fingerprints mean nothing
    config: str = ""
    prints: dict[str, str] = {}
    listed: datetime | None = None
    begun: datetime | None = None
    whole: bool = False
    missed: bool = False
    at: At | None = None
    seen: Count = 0

    @classmethod
    def of(cls, cursor: Cursor) -> Self:
        """From a cursor that we gave out; None is the beginning."""
        try:
            return msgspec.convert({} if cursor is None else cursor, cls)
        except msgspec.ValidationError as error:
            raise Fatal(
                f"the cursor is none of this connector's: {error}", code=Code.CORRUPTED, hint="reset the cursor"
            ) from None

    def cursor(self) -> Cursor:
        """As JSON."""
        said: dict[str, Any] = msgspec.to_builtins(self)
        return {"pass": self.number, **said}

    def is_due(self, now: datetime, hours: int) -> bool:
        """Whether it is time to list everything again. A clock that was set back makes it so."""
        return self.listed is None or not timedelta(0) <= now - self.listed < timedelta(hours=hours)

    def begin(self, now: datetime, config: str, *, whole: bool) -> Self:
        """A pass from here on. One that reads everything takes no word from the passes before."""
        moment = now.astimezone(UTC).replace(microsecond=0)
        return replace(self, config=config, begun=moment, whole=whole, prints={} if whole else self.prints)

    def knows(self, database: str, print_: str) -> bool:
        """Whether the database was read when it looked like this."""
        return self.prints.get(short(database)) == print_

    def entering(self, database: str, print_: str) -> Self:
        """Before a database is read. What it looks like is noted now: what changes while it is read comes again."""
        return replace(self, at=At(database), prints={**self.prints, short(database): print_})

    def behind(self, at: At, listed: int) -> Self:
        """After a page."""
        return replace(self, at=at, seen=self.seen + listed)

    def ended(self) -> Self:
        """After the last page of a pass: before the next one."""
        listed = self.begun if self.whole else self.listed
        return type(self)(number=self.number + 1, config=self.config, prints=self.prints, listed=listed)

    @property
    def running(self) -> bool:
        return self.begun is not None

    @property
    def progress(self) -> int:
        return self.number * _PASS + self.seen


def short(name: str) -> str:
    """A database's name as cursors hold it, which have a bound."""
    return hashlib.blake2b(name.encode(), digest_size=6).hexdigest()


def fingerprint(of: Any) -> str:
    """A short word for a configuration."""
    return hashlib.sha256(canonical(of)).hexdigest()[:16]
