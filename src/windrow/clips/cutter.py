"""From a source to a clip that is known to be what was asked for."""

from dataclasses import dataclass
from pathlib import Path

from windrow.clips import attest, decoded, probe
from windrow.clips.asked import Asked
from windrow.clips.decoded import Decoded
from windrow.clips.ffmpeg import Cut, Ffmpeg, Watch
from windrow.clips.probe import Probed
from windrow.telemetry import span


@dataclass(frozen=True, slots=True)
class Made:
    """A clip that has all of its frames: how many, how many seconds they last, and what ffmpeg disliked about the source."""

    frames: int
    duration: float
    complaint: str


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts with one ffmpeg, and believes nothing that it has not counted."""

    ffmpeg: Ffmpeg

    async def examine(self, source: Path, asked: Asked) -> Probed:
        """What the source is, if the clip can be cut from it at all."""
        found = await self.ffmpeg.probe(source)
        probe.check(asked, found, self.ffmpeg.limits)
        return found

    async def cut(self, source: Path, about: Probed, asked: Asked, into: Path, *, watch: Watch) -> Made:
        """The clip, decoded and counted; refused if it is not whole, or not all of what was asked for."""
        with span("clip.cut", seconds=asked.length):
            cut = await self.ffmpeg.cut(source, asked, into, watch=watch)
            found = await self._checked(cut, into)
        doubt = decoded.doubt(asked, about, found)
        if doubt:
            listed = await self.ffmpeg.list(source, asked)
            if listed.total().frames > found.frames:
                with span("clip.cut", seconds=asked.length):
                    cut = await self.ffmpeg.cut_patiently(source, asked, into, watch=watch)
                    found = await self._checked(cut, into)
                doubt = decoded.doubt(asked, about, found)
            if doubt and not decoded.resolves(asked, found, listed):
                raise decoded.lacking(asked, doubt)
        return Made(found.frames, found.ends, cut.complaint)

    async def _checked(self, cut: Cut, clip: Path) -> Decoded:
        """What the clip holds. Of one without a frame nothing can be decoded, and there is nothing to check."""
        if not cut.frames:
            return Decoded(0, 0.0, 0.0)
        with span("clip.check"):
            if cut.attested is None:
                found = await self.ffmpeg.decode(clip)
                decoded.check_whole(cut.frames, found)
            else:
                found, content = await self.ffmpeg.read_back(clip)
                attest.check(cut.frames, cut.attested, content)
            return found
