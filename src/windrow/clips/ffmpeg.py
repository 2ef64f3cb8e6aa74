"""ffmpeg, run for what we need of it: what a source is, a clip of it, and the frames of a clip."""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from windrow.clips import attest, commands, failures, probe
from windrow.clips.asked import Asked
from windrow.clips.attest import Attested, Content, Packets
from windrow.clips.cutting import Cutting
from windrow.clips.decoded import Decoded, Tally
from windrow.clips.failures import FfmpegFailed
from windrow.clips.limits import ClipLimits
from windrow.clips.probe import Probed
from windrow.contracts.errors import Code, RetryableTransient
from windrow.jobs import child
from windrow.objects.threads import in_thread
from windrow.telemetry.catalogue import clips as telemetry

# what ffmpeg answers that was given nothing to do: it has opened the source, and told what it is
_NOTHING_TO_DO = 1
# opening takes moments; a source that takes longer is made to
_PROBE_SECONDS = 60.0

# our ffmpeg has its C library built in, and that one crashes on the converters of text that it finds on a system: every
# MPEG transport stream names its programme, and has its name converted
_NO_CONVERTERS = ("/usr/bin/env", "GCONV_PATH=/dev/null")
# what `env` answers when the program is not there, or is none: no fault of the source
_NOT_STARTED = (126, 127)

Watch = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip that was written: its frames, and the first of the complaints about its source, if there were any.

    `attested` is what was made, if it was decoded while it was made; else the file is still to be decoded.
    """

    frames: int
    complaint: str
    attested: Attested | None = None


@dataclass(frozen=True, slots=True)
class Ffmpeg:
    """One ffmpeg, within limits."""

    executable: Path
    limits: ClipLimits

    async def probe(self, source: Path) -> Probed:
        """What a source is, if it is a video at all."""
        ended = await self._run(commands.probing(source, self.limits), _PROBE_SECONDS)
        if ended.code != _NOTHING_TO_DO:
            raise failures.not_read(FfmpegFailed(ended.code, ended.stderr))
        return probe.read(ended.stderr)

    async def cut(self, source: Path, asked: Asked, into: Path, *, watch: Watch) -> Cut:
        """Write the clip; `watch` is told the percentage, a few times a second."""
        line = commands.cutting_attested(source, asked, into, self.limits)
        cutting, ended = await self._write(line, asked, into, watch)
        if ended.code and not failures.is_final(FfmpegFailed(ended.code, ended.stderr)):
            # Not every fault of a source keeps it from being cut; where it has no frame, nothing can be decoded; and an
            # ffmpeg before version 7 cannot decode what it makes. Which it is shows without.
            return await self._cut(commands.cutting(source, asked, into, self.limits), asked, into, watch)
        return replace(self._done(cutting, ended, into), attested=await in_thread(attest.read, into))

    async def cut_patiently(self, source: Path, asked: Asked, into: Path, *, watch: Watch) -> Cut:
        """The same without a leap to the start, which in some sources leads too far."""
        return await self._cut(commands.cutting_patiently(source, asked, into, self.limits), asked, into, watch)

    async def _cut(self, line: Sequence[str], asked: Asked, into: Path, watch: Watch) -> Cut:
        return self._done(*await self._write(line, asked, into, watch), into)

    async def _write(
        self, line: Sequence[str], asked: Asked, into: Path, watch: Watch
    ) -> tuple[Cutting, child.Finished]:
        cutting = Cutting(asked.length)

        async def heard(said: str) -> None:
            if cutting.take(said):
                await watch(cutting.percent)

        with _timed("cut"):
            return cutting, await self._run(line, self.limits.cut_seconds, heard, into.parent)

    def _done(self, cutting: Cutting, ended: child.Finished, into: Path) -> Cut:
        if ended.code:
            raise failures.not_cut(FfmpegFailed(ended.code, ended.stderr), _size(into), self.limits)
        return Cut(cutting.frames, failures.shown(ended.stderr))

    async def decode(self, clip: Path) -> Decoded:
        """Every frame of a clip, decoded and counted."""
        tally = Tally()
        with _timed("check"):
            ended = await self._listed(commands.decoding(clip, self.limits), tally)
        if ended.code:
            raise failures.not_decoded(FfmpegFailed(ended.code, ended.stderr))
        return tally.total()

    async def read_back(self, clip: Path) -> tuple[Decoded, Content]:
        """The frames of a clip, and what they are made of; only its sound is decoded."""
        tally, packets = Tally(), Packets()
        with _timed("check"):
            ended = await self._listed(commands.reading_back(clip, self.limits), tally, packets)
        if ended.code:
            raise failures.not_decoded(FfmpegFailed(ended.code, ended.stderr))
        return tally.total(), packets.total()

    async def list(self, source: Path, asked: Asked) -> Tally:
        """The frames that a source itself says it has in the stretch, not decoded."""
        tally = Tally(within=asked)
        with _timed("list"):
            ended = await self._listed(commands.listing(source, self.limits), tally)
        if ended.code:
            raise failures.not_read(FfmpegFailed(ended.code, ended.stderr))
        return tally

    async def _listed(self, line: Sequence[str], *readers: Tally | Packets) -> child.Finished:
        async def heard(said: str) -> None:
            for reader in readers:
                reader.take(said)

        return await self._run(line, self.limits.cut_seconds, heard)

    async def _run(
        self, arguments: Sequence[str], seconds: float, heard: child.Heard | None = None, cwd: Path = Path("/")
    ) -> child.Finished:
        limits = child.Limits(seconds=seconds, memory=self.limits.memory_bytes, file_size=self.limits.clip_bytes)
        line = [*_NO_CONVERTERS, str(self.executable), *arguments]
        try:
            ended = await child.run(line, cwd=cwd, limits=limits, heard=heard)
        except RetryableTransient as error:
            raise failures.took_too_long(seconds) if error.code is Code.TIMEOUT else error from None
        if ended.code in _NOT_STARTED:
            raise failures.not_started(ended.stderr)
        return ended


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def _timed(step: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    telemetry.SECONDS.record(time.perf_counter() - began, step=step)
