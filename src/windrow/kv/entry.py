"""What an entry is: a value in an envelope that says what it is for, who wrote it, and until when it holds."""

import re
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key

_WRITER = re.compile(r"[a-z0-9-]{1,64}:[A-Za-z0-9._-]{1,128}", re.ASCII)
_LONGEST_TEXT = 200
_MOST_HINTS = 16
_LONGEST_TTL = 10 * 366 * 24 * 3600


class Purpose(StrEnum):
    """What an entry is for."""

    CHECKPOINT = "checkpoint"
    CURSOR = "cursor"
    FEATURE_FLAG = "feature_flag"
    LOCK = "lock"
    ANNOTATION = "annotation"
    LATCH = "latch"


@dataclass(frozen=True, slots=True)
class Semantics:
    """What an entry means to those who read it; `ttl_seconds` is how long after each write it holds."""

    purpose: Purpose
    producer: str
    consumer_hints: tuple[str, ...] = ()
    ttl_seconds: int | None = None

    def __post_init__(self) -> None:
        checked_text("producer", self.producer)
        for hint in self.consumer_hints:
            checked_text("consumer hint", hint)
        if len(self.consumer_hints) > _MOST_HINTS:
            raise _refusal(f"there are more than {_MOST_HINTS} consumer hints", "keep the few that matter")
        ttl = self.ttl_seconds
        if ttl is not None and not (isinstance(ttl, int) and 0 < ttl <= _LONGEST_TTL):
            raise _refusal(f"a time to live of {ttl} s", "whole seconds, at most ten years; None for ever")


@dataclass(frozen=True, slots=True)
class Writer:
    """The agent that writes, and the directive that it follows."""

    agent: str
    directive: str

    def __post_init__(self) -> None:
        if not _WRITER.fullmatch(str(self)):
            raise _refusal(f"writer {str(self)[:80]!r} is not <agent>:<directive>", "for example harvester:github")

    def __str__(self) -> str:
        return f"{self.agent}:{self.directive}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """An entry as it is read; the times are the database's."""

    key: Key
    value: Any
    version: int
    last_writer: str
    semantics: Semantics
    request_id: str
    spec_ref: str | None
    updated_at: datetime
    expires_at: datetime | None

    def document(self) -> dict[str, Any]:
        """The envelope as plain JSON."""
        fields = {name: getattr(self, name) for name in ("value", "version", "last_writer", "request_id", "spec_ref")}
        times = {name: getattr(self, name) for name in ("updated_at", "expires_at")}
        semantics = asdict(self.semantics) | {"consumer_hints": list(self.semantics.consumer_hints)}
        return {
            "key": str(self.key),
            **fields,
            "semantics": semantics,
            **{name: at.isoformat() if at else None for name, at in times.items()},
        }


def checked_text(kind: str, text: str) -> str:
    """A short text that people will read: 1 to 200 printable characters."""
    if not 0 < len(text) <= _LONGEST_TEXT or not text.isprintable():
        raise _refusal(f"{kind} {text[:80]!r}", f"1 to {_LONGEST_TEXT} printable characters")
    return text


def _refusal(what: str, rule: str) -> ValidationFailure:
    return ValidationFailure(f"{what} is refused: {rule}", code=Code.INVALID_VALUE)
