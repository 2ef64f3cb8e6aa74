"""The jobs of this installation: which kinds there are, and a worker that runs them, wired from the settings."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from windrow.app.background import Background
from windrow.clips.asked import Asked
from windrow.clips.clip import NAME, Clips
from windrow.clips.cutter import Cutter
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import HttpClient, HttpPolicy
from windrow.jobs import retention
from windrow.jobs.kinds import Kinds
from windrow.jobs.pressure import PressureLimits
from windrow.jobs.worker import Worker, WorkerLimits
from windrow.objects import Objects
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings
from windrow.telemetry import bound

PAYLOADS: dict[str, type[BaseModel]] = {NAME: Asked}
_SELDOM = timedelta(minutes=15)


def payload_of(kind: str, given: dict[str, Any]) -> BaseModel:
    """What is asked of a kind, checked before it is queued."""
    if kind not in PAYLOADS:
        raise ValidationFailure(
            f"there are no jobs of the kind {kind[:80]!r}",
            code=Code.NOT_FOUND,
            hint=f"there are: {', '.join(sorted(PAYLOADS))}",
        )
    try:
        return PAYLOADS[kind].model_validate(given)
    except ValidationError as error:
        wrong = "; ".join(_fault(fault["loc"], fault["msg"]) for fault in error.errors())
        raise ValidationFailure(
            f"the {kind} is refused: {wrong}", code=Code.INVALID, hint=f"`windrow jobs submit --help`, for {kind}"
        ) from None


def employ(
    background: Background,
    settings: Settings,
    database: Database,
    wakeups: Wakeups,
    objects: Objects,
    *,
    concurrency: int | None = None,
) -> None:
    """Start a worker for every kind, and the sweep of jobs that ended long ago; before the wake-ups begin to listen."""
    http = HttpClient(HttpPolicy(source="clip", allow=settings.addresses_allowed))
    kinds = Kinds(clips(settings, objects, http).kind())
    limits = worker_limits(settings, concurrency)
    worker = Worker(database, wakeups, kinds, scratch=scratch_root(settings), limits=limits)

    async def work() -> None:
        with bound(agent="job-worker", directive="jobs"):
            # its connections are needed until the last job has ended
            async with http:
                await worker.run()

    keep = timedelta(days=settings.job_retention_days)
    background.start("jobs", work)
    background.every(_SELDOM, "jobs.prune", lambda: retention.prune(database, kinds, keep=keep))


def clips(settings: Settings, objects: Objects, http: HttpClient) -> Clips:
    """The cutter of clips, within what the operator allows."""

    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, settings.paths_allowed).path(path)

    limits = ClipLimits(source_bytes=settings.clip_source_bytes)
    return Clips(objects, Sources(objects, http, allowed, limits), Cutter(Ffmpeg(find(), limits)), limits)


def worker_limits(settings: Settings, concurrency: int | None = None) -> WorkerLimits:
    """The limits of one worker; a number on the command line comes before the settings'."""
    lease = settings.lease_timeout_sec or 3 * settings.heartbeat_interval_sec
    try:
        return WorkerLimits(
            concurrency=concurrency or settings.max_concurrency or os.cpu_count() or 1,
            heartbeat=timedelta(seconds=settings.heartbeat_interval_sec),
            lease=timedelta(seconds=lease),
            shutdown=timedelta(seconds=settings.shutdown_timeout_sec),
            pressure=PressureLimits(
                high_watermark=settings.high_watermark,
                load_threshold=settings.load_threshold,
                pause=timedelta(seconds=settings.pause_interval_sec),
            ),
            keep_scratch=settings.keep_scratch_on_success,
        )
    except ValueError as error:
        raise Fatal(
            f"settings are wrong: {error}",
            code=Code.CONFIGURATION,
            hint="LEASE_TIMEOUT_SEC is at least twice HEARTBEAT_INTERVAL_SEC",
        ) from None


def scratch_root(settings: Settings) -> Path:
    """Where jobs keep what they work on."""
    return (settings.scratch or settings.home / "scratch").absolute()


def _fault(location: tuple[int | str, ...], message: str) -> str:
    said = message.removeprefix("Value error, ")
    return f"{'.'.join(map(str, location))}: {said}" if location else said
