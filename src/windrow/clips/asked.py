"""What is asked for: a source, and the stretch of it that becomes the clip."""

import math
import re
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

# beyond this, seconds could not be told to the microsecond any more
_FURTHEST = 1_000_000.0
_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?([0-5]?\d):)?(\d{1,7}(?:\.\d{1,9})?)", re.ASCII)
_SCHEMES = ("object:", "file:/", "http://", "https://")


def seconds(given: Any) -> Any:
    """A time as a number of seconds, or as people write it: `83.5`, `1:23.5`, `1:02:03`."""
    if not isinstance(given, str):
        return given
    written = _CLOCK.fullmatch(given.strip())
    if written is None:
        raise ValueError("a time is written as 83.5, 1:23.5 or 1:02:03")
    hours, minutes, rest = (float(part or 0) for part in written.groups())
    if written[2] is not None and rest >= 60:
        raise ValueError("a minute has 60 seconds")
    return hours * 3600 + minutes * 60 + rest


def _named(source: str) -> str:
    if not source.startswith(_SCHEMES) or not source.split(":", 1)[1].strip("/"):
        raise ValueError("a source is object:KEY, file:/PATH, http://… or https://…")
    if not source.isprintable():
        raise ValueError("a source has no control characters")
    return source


Seconds = Annotated[float, BeforeValidator(seconds), Field(ge=0, le=_FURTHEST, allow_inf_nan=False)]
Source = Annotated[str, Field(max_length=4096), BeforeValidator(lambda given: _named(str(given)))]


class Asked(BaseModel):
    """The frames whose time t holds `start` ≤ t < `end`, counted in seconds from the beginning of the source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Source = Field(description="`object:KEY`, `file:/PATH`, `http://…` or `https://…`")
    start: Seconds = Field(description="where the clip begins")
    end: Seconds = Field(description="where it ends")

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        # ffmpeg is told microseconds: what is shorter is nothing
        if micro(self.end) <= micro(self.start):
            raise ValueError(f"the end ({self.end:g} s) is not after the start ({self.start:g} s)")
        return self

    @property
    def length(self) -> float:
        """In seconds, to the microsecond."""
        return (micro(self.end) - micro(self.start)) / 1_000_000


def micro(at: float) -> int:
    """Microseconds, which is what ffmpeg counts in."""
    return math.floor(at * 1_000_000 + 0.5)
