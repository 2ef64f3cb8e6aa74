"""What a source is, read from what ffmpeg says when it opens one. There is no ffprobe beside our ffmpeg.

The lines are those of its stream listing. A file's own metadata stand deeper in, so they cannot pass for one.
"""

import re
from dataclasses import dataclass

from windrow.clips.asked import Asked
from windrow.clips.limits import ClipLimits
from windrow.contracts.errors import Code, ValidationFailure

_DURATION = re.compile(r"^  Duration: (\d{2,}):(\d\d):(\d\d\.\d+)", re.ASCII | re.MULTILINE)
_STREAM = re.compile(r"^  Stream #0:\d+\S*: (Video|Audio): (.*)$", re.ASCII | re.MULTILINE)
_SIZE = re.compile(r", (\d{1,6})x(\d{1,6})\b", re.ASCII)
_RATE = re.compile(r", (\d{1,7}(?:\.\d+)?)(k?) (fps|tbr)\b", re.ASCII)
_CODEC = re.compile(r"\w{1,40}\b", re.ASCII)
# of the medium itself: what its streams and chapters say of themselves stands deeper in, and the rest of a value further right
_TITLE = re.compile(r"^    title +: (.+)$", re.IGNORECASE | re.MULTILINE)
_PICTURE = "(attached pic)"  # the cover of a record is no film


@dataclass(frozen=True, slots=True)
class Probed:
    """A video: its size, how many frames a second it has, how long it is as far as it says, and whether it sounds.

    `steady` says that its frames come evenly: then it is known how many there are in any stretch. Its codec and its title
    are what ffmpeg calls them.
    """

    width: int
    height: int
    rate: float | None
    steady: bool
    duration: float | None
    audio: bool
    codec: str | None = None
    title: str | None = None

    @property
    def step(self) -> float:
        """How far apart two frames are, in seconds, when all is well."""
        if self.rate is None:
            return 1.0
        return 1 / self.rate if self.steady else max(1 / self.rate, 1.0)


def read(listing: str) -> Probed:
    """The first video of the listing and whether anything sounds; refused if nothing moves."""
    streams = _STREAM.findall(listing)
    video = next((said for kind, said in streams if kind == "Video" and _PICTURE not in said), None)
    size = _SIZE.search(video) if video else None
    if video is None or size is None:
        raise ValidationFailure(
            "there is no video in the source", code=Code.NO_VIDEO, hint="name a source that has a video stream"
        )
    rates = {name: float(number) * (1000 if thousand else 1) for number, thousand, name in _RATE.findall(video)}
    rate = rates.get("fps") or None
    return Probed(
        width=int(size[1]),
        height=int(size[2]),
        rate=rate,
        steady=rate is not None and rates.get("tbr") == rate,
        duration=_duration(listing),
        audio=any(kind == "Audio" for kind, _ in streams),
        codec=codec[0] if (codec := _CODEC.match(video)) else None,
        title=title[1] if (title := _TITLE.search(listing)) else None,
    )


def check(asked: Asked, found: Probed, limits: ClipLimits) -> None:
    """Refuse what cannot be cut from this source, before any work goes into it."""
    if found.width * found.height > limits.pixels:
        raise ValidationFailure(
            f"a picture of {found.width} x {found.height} is too large",
            code=Code.INPUT_TOO_LARGE,
            hint="make a smaller version of the source first",
        )
    if asked.length > limits.clip_seconds:
        raise ValidationFailure(
            f"a clip of {asked.length:g} s is too long; {limits.clip_seconds:g} s is the most",
            code=Code.TOO_LARGE,
            hint="cut several shorter clips",
        )
    if found.duration is not None and asked.start >= found.duration:
        raise beyond(f"the clip would start at {asked.start:g} s", found.duration)
    if found.duration is not None and asked.end > found.duration + 1.5 * found.step:
        raise beyond(f"the clip would end at {asked.end:g} s", found.duration)


def beyond(what: str, duration: float) -> ValidationFailure:
    """The refusal of a stretch that the source does not have."""
    return ValidationFailure(
        f"{what}, and the source is {duration:g} s long",
        code=Code.OUT_OF_RANGE,
        hint="choose start and end within the source",
    )


def _duration(listing: str) -> float | None:
    said = _DURATION.search(listing)
    return int(said[1]) * 3600 + int(said[2]) * 60 + float(said[3]) if said else None
