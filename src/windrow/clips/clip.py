"""The kind `clip`: from what is asked for to a clip in its place, step by step."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from windrow.clips import publishing
from windrow.clips.asked import Asked
from windrow.clips.cutter import Cutter, Made
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.jobs.kinds import Kind
from windrow.jobs.running import Artifact, Running
from windrow.objects import Objects
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import clips as telemetry

NAME = "clip"
# of the work that progress tells of; the rest is to check the clip and to store it
_CUT = 0.9


@dataclass(frozen=True, slots=True)
class Clips:
    """Cuts clips, and stores them as their jobs' results."""

    objects: Objects
    sources: Sources
    cutter: Cutter
    limits: ClipLimits

    def kind(self) -> Kind[Asked]:
        """As a worker registers it."""
        # what hangs in spite of every limit of its own
        longest = timedelta(seconds=self.limits.fetch_seconds + 2 * self.limits.cut_seconds)
        return Kind(NAME, Asked, self.run, timeout=longest, forget=self.forget)

    async def run(self, running: Running, asked: Asked) -> None:
        """One try. An artifact that an earlier one has named, and that is whole, only needs to be published."""
        store = self.objects.for_tenant(running.scope.tenant_id)
        earlier = running.earlier
        if earlier is not None and await publishing.holds(store, earlier):
            await self._publish(running, earlier, "reused")
            return
        clip = running.scratch / "clip.mp4"
        made = await self._make(running, asked, clip)
        key = publishing.attempt_key(running.job_id, running.epoch)
        stored = await publishing.put(store, key, clip)
        await running.progress(100)
        details = {"duration": round(made.duration, 6), "frames": made.frames}
        artifact = Artifact(key, stored.size, stored.sha256, details)
        await running.upload(artifact)
        await self._publish(running, artifact, "cut")

    async def forget(self, tenant_id: str, job_id: str) -> None:
        """Nobody asks for the clip of this job any more."""
        await publishing.forget(self.objects.for_tenant(tenant_id), job_id)

    async def _make(self, running: Running, asked: Asked, clip: Path) -> Made:
        async with AsyncExitStack() as kept:
            with span("clip.fetch", kind=asked.source.partition(":")[0]):
                opened = self.sources.opened(running.scope, asked.source, running.scratch)
                source = await kept.enter_async_context(opened)
            about = await self.cutter.examine(source, asked)
            await running.source_ready(duration=about.duration, width=about.width, height=about.height)
            running.checkpoint()

            async def watch(percent: float) -> None:
                await running.progress(round(percent * _CUT, 1))

            made = await self.cutter.cut(source, about, asked, clip, watch=watch)
        if made.complaint:
            emit("clip.concealed", job_id=running.job_id, complaint=made.complaint)
        return made

    async def _publish(self, running: Running, artifact: Artifact, outcome: str) -> None:
        store = self.objects.for_tenant(running.scope.tenant_id)
        await publishing.publish(store, running.job_id, artifact)
        await publishing.tidy(store, running.job_id, running.epoch, artifact.key)
        telemetry.CLIPS.add(1, outcome=outcome)
        telemetry.BYTES.add(artifact.size)
        emit(
            "clip.published",
            job_id=running.job_id,
            bytes=artifact.size,
            seconds=artifact.details.get("duration"),
            frames=artifact.details.get("frames"),
            reused=outcome == "reused",
        )
