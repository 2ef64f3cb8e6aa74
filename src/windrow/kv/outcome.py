"""What a write is answered with. The caller matches; a reused request id is the one thing that is raised."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from windrow.contracts.errors import Code, Conflict
from windrow.contracts.keys import Key


@dataclass(frozen=True, slots=True)
class Stored:
    """Written: this is the version it made."""

    version: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """This request was answered before: the version it made then. Nothing was written now."""

    version: int


@dataclass(frozen=True, slots=True)
class Stale:
    """Somebody else was first: what is there now. Version 0 says that nothing is, which is how to expect it next time."""

    version: int
    value: Any

    def conflict(self, key: Key) -> Conflict:
        """For a caller that cannot go on from here."""
        return Conflict(
            f"{key} is at version {self.version}, not at the one expected" if self.version else f"{key} is not there",
            code=Code.CAS_MISMATCH,
            hint="read it again, and decide anew",
        )


Outcome: TypeAlias = Stored | Replayed | Stale
