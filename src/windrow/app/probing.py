"""Media looked into with the ffmpeg that cuts clips: what `media` asks of a file, answered by `clips`."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.media.enrichment.files import Probed
from windrow.objects import Objects
from windrow.settings import Settings


@dataclass(frozen=True, slots=True)
class FfmpegProber:
    """Opens sources as clips do, within the same limits, and lets ffmpeg say what they are."""

    sources: Sources
    ffmpeg: Ffmpeg
    scratch: Path

    async def __call__(self, scope: Scope, source: str) -> Probed:
        """What the source is. One that has to be fetched is there only while it is looked into."""
        self.scratch.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="probe-", dir=self.scratch, ignore_cleanup_errors=True) as aside:
            async with self.sources.opened(scope, source, Path(aside)) as path:
                found = await self.ffmpeg.probe(path)
                size = path.stat().st_size
        return Probed(
            duration=found.duration,
            width=found.width,
            height=found.height,
            codec=found.codec,
            frames_per_second=found.rate,
            size=size,
            title=found.title,
        )


def prober(settings: Settings, objects: Objects, http: HttpClient, scratch: Path) -> FfmpegProber:
    """Looks into what the operator allows each tenant to read."""

    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, settings.paths_allowed).path(path)

    limits = ClipLimits(source_bytes=settings.clip_source_bytes)
    return FfmpegProber(Sources(objects, http, allowed, limits), Ffmpeg(find(), limits), scratch)
