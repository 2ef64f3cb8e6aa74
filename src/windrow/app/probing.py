"""Media looked into with the ffmpeg that cuts clips: what `media` asks of a file, answered by `clips`."""

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windrow.clips import commands, failures, probe
from windrow.clips.executable import find
from windrow.clips.failures import FfmpegFailed
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.jobs import child
from windrow.media.enrichment.files import Probed
from windrow.objects import Objects
from windrow.settings import Settings

# opening takes moments; a source that takes longer is made to
_SECONDS = 60.0
# what ffmpeg answers that was given nothing to do: it has opened the source, and told what it is
_NOTHING_TO_DO = 1
# our ffmpeg crashes on the text converters of some systems, as `clips` has found
_NO_CONVERTERS = ("/usr/bin/env", "GCONV_PATH=/dev/null")
# what `env` answers when the program is not there, or is none: no fault of the source
_NOT_STARTED = (126, 127)
_CODEC = re.compile(r"^  Stream #0:\d+\S*: Video: (\w{1,40})\b(?!.*\(attached pic\))", re.ASCII | re.MULTILINE)
# of the medium itself: what its streams and chapters say of themselves stands deeper in, and the rest of a value further right
_TITLE = re.compile(r"^    title +: (.+)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FfmpegProber:
    """Opens sources as clips do, within the same limits, and lets ffmpeg say what they are."""

    sources: Sources
    executable: Path
    scratch: Path

    async def __call__(self, scope: Scope, source: str) -> Probed:
        """What the source is. One that has to be fetched is there only while it is looked into."""
        self.scratch.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="probe-", dir=self.scratch, ignore_cleanup_errors=True) as aside:
            async with self.sources.opened(scope, source, Path(aside)) as path:
                listing = await self._listing(path)
                size = path.stat().st_size
        found = probe.read(listing)
        codec, title = _CODEC.search(listing), _TITLE.search(listing)
        return Probed(
            duration=found.duration,
            width=found.width,
            height=found.height,
            codec=codec[1] if codec else None,
            frames_per_second=found.rate,
            size=size,
            title=title[1] if title else None,
        )

    async def _listing(self, path: Path) -> str:
        limits = self.sources.limits
        ended = await child.run(
            [*_NO_CONVERTERS, str(self.executable), *commands.probing(path, limits)],
            cwd=Path("/"),
            limits=child.Limits(seconds=_SECONDS, memory=limits.memory_bytes, file_size=limits.clip_bytes),
        )
        if ended.code in _NOT_STARTED:
            raise Fatal(
                f"ffmpeg cannot be run: {failures.shown(ended.stderr)}",
                code=Code.CONFIGURATION,
                hint="install ffmpeg, and name it in IMAGEIO_FFMPEG_EXE",
            )
        if ended.code != _NOTHING_TO_DO:
            raise failures.not_read(FfmpegFailed(ended.code, ended.stderr))
        return ended.stderr


def prober(settings: Settings, objects: Objects, http: HttpClient, scratch: Path) -> FfmpegProber:
    """Looks into what the operator allows each tenant to read."""

    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, settings.paths_allowed).path(path)

    limits = ClipLimits(source_bytes=settings.clip_source_bytes)
    return FfmpegProber(Sources(objects, http, allowed, limits), find(), scratch)
