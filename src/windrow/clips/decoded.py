"""A clip, decoded to its last frame, and whether it is what was asked for.

ffmpeg ends well on a start beyond the end, and on a source that breaks off where a frame ends. So its word that the cut
succeeded is not enough: the frames of the clip are counted, and their times looked at. Most films have their frames
evenly, so it is known how many are due. Where that does not come out, the source is asked once more, by listing its own
frames without decoding them: a film whose frames come as they like is cut, one that breaks off is refused.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from windrow.clips.asked import Asked, micro
from windrow.clips.probe import Probed
from windrow.contracts.errors import Code, Fatal, ValidationFailure

_BASE = re.compile(r"#tb 0: (\d{1,10})/(\d{1,10})", re.ASCII)
_FRAME = re.compile(r"0, +-?\d+, +(-?\d+), +(\d+), ", re.ASCII)
# the rate of a video is told to the hundredth: 23.98 is 23.976
_ROUNDED = 0.0005


@dataclass(frozen=True, slots=True)
class Decoded:
    """How many frames there are, when the first is shown, and until when the last."""

    frames: int
    begins: float
    ends: float


class Tally:
    """Counts the frames of stream 0 in ffmpeg's `framecrc` listing, line by line; those within a stretch, if one is given."""

    def __init__(self, within: Asked | None = None) -> None:
        self._within = within
        self._base = Fraction(0)
        self._from, self._until = 0, 0
        self._frames, self._first, self._end = 0, 0, 0
        self.reaches = False

    def take(self, line: str) -> None:
        """The next line."""
        if frame := _FRAME.match(line):
            self._count(int(frame[1]), int(frame[2]))
        elif (base := _BASE.fullmatch(line)) and int(base[1]) and int(base[2]):
            self._measure(Fraction(int(base[1]), int(base[2])))

    def total(self) -> Decoded:
        """What was counted."""
        return Decoded(self._frames, float(self._first * self._base), float(self._end * self._base))

    def _measure(self, base: Fraction) -> None:
        self._base = base
        if self._within:
            # as ffmpeg rounds them when it cuts
            self._from, self._until = (
                round(Fraction(micro(at), 1_000_000) / base) for at in (self._within.start, self._within.end)
            )

    def _count(self, shown: int, lasting: int) -> None:
        if self._within:
            # something is shown at the end of the stretch: nothing has broken off before
            self.reaches = self.reaches or shown + lasting >= self._until
            if not self._from <= shown < self._until:
                return
        self._first = min(self._first, shown) if self._frames else shown
        self._end = max(self._end, shown + lasting) if self._frames else shown + lasting
        self._frames += 1


def check_whole(written: int, found: Decoded) -> None:
    """Refuse a clip of which not every frame that was written can be read."""
    if found.frames != written:
        raise Fatal(
            f"the clip is damaged: {written} frames were written, and {found.frames} can be read",
            code=Code.CORRUPTED,
            hint="check the disk of the worker, then retry the job",
        )


def doubt(asked: Asked, source: Probed, found: Decoded) -> str | None:
    """What seems to be missing, if the source has its frames as it says."""
    slack = 1.5 * source.step
    if not found.frames:
        return "there is no frame"
    if found.begins > slack:
        return f"the first frame there is at {asked.start + found.begins:.3f} s"
    if found.ends < asked.length - slack:
        return f"the video ends at {asked.start + found.ends:.3f} s"
    if source.steady and source.rate is not None:
        due = asked.length * source.rate
        if abs(found.frames - due) > 1 + due * _ROUNDED:
            return f"{found.frames} frames were found where {due:.0f} are due"
    return None


def resolves(asked: Asked, found: Decoded, source: Tally) -> bool:
    """Whether the source's own listing has these frames and no others, and goes on to the end of the stretch."""
    listed = source.total()
    if not found.frames:
        return False
    same_beginning = abs(listed.begins - asked.start - found.begins) < 0.001
    return source.reaches and listed.frames == found.frames and same_beginning


def lacking(asked: Asked, what: str) -> ValidationFailure:
    """The refusal of a source that does not have what was asked for."""
    return ValidationFailure(
        f"the source does not have all of {asked.start:g} s to {asked.end:g} s: {what}",
        code=Code.OUT_OF_RANGE,
        hint="choose start and end within the source; one that breaks off early may not have been uploaded whole",
    )
