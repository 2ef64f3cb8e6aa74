"""How far a repository has been read: which snapshot was the last, which is the next, and how far the way between them.

A pass is the difference of two snapshots, or all of one where there is none before. Both are pinned by SHA, so the same
cursor always has the same pages behind it, however the repository moves in the meantime.
"""

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from windrow.connectors.git.config import Entity
from windrow.connectors.git.snapshot import Snapshot
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical

_PHASES = list(Entity)
_MOST_IN_PHASE = 10**9
_MOST_PASSES = 10**7


class Way(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The cursor. `now` alone: all of that snapshot was read. With `phase`: so many of its changes were (`done`)."""

    # of what is harvested: under another configuration, nothing of the rest means anything
    config: str
    # counts the passes, so that it only ever moves forward
    pass_: int = msgspec.field(name="pass")
    now: Snapshot
    before: Snapshot | None = None
    phase: Entity | None = None
    done: int = 0

    @property
    def finished(self) -> bool:
        return self.phase is None

    @property
    def progress(self) -> int:
        """A number that rises with every page."""
        place = len(_PHASES) if self.phase is None else _PHASES.index(self.phase)
        return (self.pass_ * (len(_PHASES) + 1) + place) * _MOST_IN_PHASE + min(self.done, _MOST_IN_PHASE - 1)

    @property
    def named(self) -> str:
        """The snapshot that this pass reads, as one word."""
        return hashlib.sha256(canonical([self.pass_, self.now])).hexdigest()[:16]

    def at(self, phase: Entity, done: int) -> "Way":
        """The same pass, so far."""
        return msgspec.structs.replace(self, phase=phase, done=done)

    def over(self) -> "Way":
        """The same pass, at its end."""
        return Way(config=self.config, pass_=self.pass_, now=self.now)

    def written(self) -> Any:
        """As JSON."""
        return msgspec.to_builtins(self)


def read(cursor: Any) -> Way:
    """The cursor as it was written; one that was made up by somebody is refused."""
    try:
        way = msgspec.convert(cursor, Way)
    except msgspec.ValidationError:
        raise _refused() from None
    if not (0 < way.pass_ < _MOST_PASSES and way.done >= 0):
        raise _refused()
    return way


def _refused() -> ValidationFailure:
    return ValidationFailure(
        "the cursor is not one of the git connector",
        code=Code.INVALID,
        hint="`windrow cursor reset` begins anew; nothing is lost by it but time",
    )


def fingerprint(of: Any) -> str:
    """A short name for a configuration."""
    return hashlib.sha256(canonical(of)).hexdigest()[:16]
