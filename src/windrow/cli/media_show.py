"""`windrow media show`: everything about a media job, where it lies and what befell it."""

from dataclasses import asdict
from typing import Annotated, Any

import msgspec
import typer

from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Tenant, command
from windrow.media import reading, rows
from windrow.media.job import MediaJob
from windrow.media.places import Places
from windrow.media.reading import Happened
from windrow.media.stage import Stage
from windrow.settings import read

_LONGEST = 48


@command
async def one(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The media job's id.")],
    follow: Annotated[bool, typer.Option("--follow", help="Only what befalls it, as it happens, to its end.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Everything about a media job: its metadata, its clip, its objects, and its whole timeline.

    With --follow, the exit code says how it ended: 0 as it should, 1 failed or cancelled.
    """
    from windrow.app.outside import objects
    from windrow.app.places import whose
    from windrow.cli.media_follow import follow as following

    settings = read()
    async with opened(settings) as app:
        if follow:
            await following(app.database, tenant or settings.tenant, job_id, json=json)
            return
        async with app.database.tenant(tenant or settings.tenant) as tx:
            found = await rows.get(tx, job_id)
            befell = await reading.timeline(tx, job_id)
        lying = await _objects(found, whose(settings, objects(settings)).places)
    told = document(found) | {"objects": lying, "timeline": befell}
    if json:
        show.document(told)
        return
    show.pairs(summary(found))
    show.table([{"objects": key} for key in lying], ("objects",), empty="")
    lines = [asdict(each) | {"details": details(each)} for each in without_repeats(befell)]
    show.table(lines, ("at", "of", "event", "details"), empty="")


def document(job: MediaJob) -> dict[str, Any]:
    """A job for machines: as it is in its object, and whose it is."""
    told: dict[str, Any] = msgspec.to_builtins(job.job)
    more = {"attempts": job.attempts, "notBefore": job.next_try_at, "clipKey": clip_key(job)}
    return told | {name: value for name, value in more.items() if value is not None}


def summary(job: MediaJob) -> dict[str, Any]:
    """A job for people."""
    about, known = job.job, job.job.metadata_snapshot
    told = {
        "job": about.job_id,
        "stage": job.stage,
        "request": about.request_id,
        "media": f"{about.media.type} {about.media.url}",
        "title": known.title if known else None,
        "duration": f"{known.duration_seconds:g} s" if known and known.duration_seconds is not None else None,
        "author": known.author.name if known and known.author else None,
        "published": known.published_at if known else None,
        "keywords": ", ".join(known.keywords) if known else None,
        "speakers": ", ".join(f"{hint.name} ({hint.role})" for hint in known.speaker_hints) if known else None,
        "picture": f"{known.picture.width} x {known.picture.height}" if known and known.picture else None,
        "clip wished": f"{about.clip.start:g} s to {about.clip.end:g} s" if about.clip else None,
        "clip": clip_key(job),
        "download": f"windrow jobs download {about.runtime_job_id} FILE" if clip_key(job) else None,
        "attempts": job.attempts or None,
        "next try": job.next_try_at,
        "error": " ".join(str(part) for part in about.error.values()) if about.error else None,
        "created": about.created_at,
        "updated": about.updated_at,
    }
    return {name: value for name, value in told.items() if value not in (None, "")}


def clip_key(job: MediaJob) -> str | None:
    """Where the clip lies, once there is one."""
    made = job.stage is Stage.COMPLETED and job.job.runtime_job_id
    return f"results/{job.job.runtime_job_id}/clip.mp4" if made else None


def line(happened: Happened) -> str:
    """What befell a job as a line of text."""
    return f"{happened.at.astimezone():%H:%M:%S} {happened.of:<6} {happened.event:<16} {details(happened)}".rstrip()


def details(happened: Happened) -> str:
    """What it says beside its name; of what is long, the beginning."""
    said = {name: value for name, value in happened.details.items() if value and name != "jobId"}
    return " ".join(f"{name}={_short(show.cell(value))}" for name, value in said.items())


def without_repeats(befell: list[Happened]) -> list[Happened]:
    """Of progress that follows progress, the last."""
    follows = [*befell[1:], None]
    return [each for each, then in zip(befell, follows, strict=True) if then is None or each.event != then.event]


async def _objects(job: MediaJob, places: Places) -> list[str]:
    """The job's own object and those of its changes, as `bucket/name`."""
    store, job_id = places.store(job.scope), job.job.job_id
    keys = [f"{job.stage.folder}/{job_id}.json"] if await store.head(f"{job.stage.folder}/{job_id}.json") else []
    keys += [listed.key async for listed in store.list(f"events/{job_id}")]
    return ["/".join(places.name(job.scope, key)) for key in keys]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
