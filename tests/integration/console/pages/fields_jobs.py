"""Jobs in every state, and media jobs at every stage."""

import hashlib
import json
import tempfile
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from tests.integration.clips.films import ffmpeg
from tests.integration.console.pages.fields import connect, insert, now
from tests.integration.console.pages.visitors import Console

RUNNING, DONE, FAILED = (UUID(int=0x0198_0000_0000_7000_8000_0000_0000_0000 + number) for number in (1, 2, 3))
_FILM = {"source": "object:films/harvest.mp4", "start": 62.5, "end": 68}
_ENDED = ("done", "failed", "cancelled")


def job(connection: psycopg.Connection[Any], job_id: UUID, status: str, **more: Any) -> None:
    """A job as it stands so, with what the table asks of such a one."""
    at = now() - timedelta(minutes=30)
    values: dict[str, Any] = {
        "id": job_id,
        "project_id": "main",
        "kind": "clip",
        "payload": json.dumps(_FILM),
        "status": status,
        "created_at": at,
        "started_at": None if status == "queued" else at,
        "finished_at": at + timedelta(seconds=70) if status in _ENDED else None,
        "failure_code": "RETRIES_EXHAUSTED" if status == "failed" else None,
        "worker": "barn-1:4711" if status == "processing" else None,
        "lease": timedelta(seconds=30),
        "last_heartbeat_at": None if status == "queued" else now(),
    }
    insert(connection, "jobs", **(values | more))


def event(
    connection: psycopg.Connection[Any], job_id: UUID, name: str, ago: timedelta, attempt: int, **more: Any
) -> None:
    insert(
        connection,
        "job_events",
        job_id=job_id,
        event=name,
        at=now() - ago,
        attempt=attempt,
        **({"epoch": attempt, "worker": "barn-1:4711"} | more),
    )


def plough_jobs(connection: psycopg.Connection[Any]) -> None:
    """One that runs, one that made a clip, one that was given up, and some of another kind."""
    job(connection, RUNNING, "processing", progress=42.5, lease_epoch=1)
    job(connection, DONE, "done", progress=100, artifact=json.dumps(_artifact(DONE)))
    failed = {"error_class": "RetryableTransient", "error_code": "LEASE_LOST", "attempt_count": 3}
    job(connection, FAILED, "failed", error="barn-1:4711 has not been heard of for 00:00:30", **failed)
    for number in range(4):
        job(connection, UUID(int=DONE.int + 100 + number), "cancelled", kind="digest", payload="{}")
    _befell(connection)


def _artifact(job_id: UUID) -> dict[str, Any]:
    key = f"results/{job_id}/attempts/1/clip.mp4"
    return {"key": key, "size": 65_000, "sha256": "a" * 64, "details": {"duration": 5.5, "frames": 137}}


def _befell(connection: psycopg.Connection[Any]) -> None:
    minute = timedelta(minutes=1)
    for each in (RUNNING, DONE, FAILED):
        event(connection, each, "created", 31 * minute, 1, epoch=0, worker=None)
        event(connection, each, "processing", 30 * minute, 1)
        event(connection, each, "source:ready", 29 * minute, 1, details=json.dumps({"duration": 300.0, "width": 640}))
    event(connection, RUNNING, "progress", 28 * minute, 1, details=json.dumps({"percent": 42.5}))
    event(connection, DONE, "uploaded", 28 * minute, 1, details=json.dumps(_artifact(DONE)))
    event(connection, DONE, "done", 28 * minute, 1)
    lost = json.dumps({"code": "LEASE_LOST"})
    for attempt in (1, 2):
        event(connection, FAILED, "requeued:stale", (28 - 2 * attempt) * minute, attempt, details=lost)
        event(connection, FAILED, "processing", (27 - 2 * attempt) * minute, attempt + 1)
    event(connection, FAILED, "failed", 20 * minute, 3, details=lost)


SNAPSHOT = {
    "provider": "file",
    "title": "The harvest of a year",
    "fetchedAt": "2026-11-16T06:00:00Z",
    "description": "From the first cut to the last windrow.\n\nFilmed on one farm.",
    "durationSeconds": 300.0,
    "author": {"name": "Anna's farm", "url": "https://films.example/anna"},
    "keywords": ["hay", "windrow", "harvest"],
    "speakerHints": [{"name": "Anna", "role": "farmer", "source": "request"}],
    "language": "en",
    "publishedAt": "2026-08-01T12:00:00Z",
    "thumbnailUrl": "https://films.example/anna.jpg",
    "statistics": {"views": 12345},
    "picture": {"width": 640, "height": 360, "codec": "h264"},
    "sizeBytes": 65_000_000,
}


def medium(connection: psycopg.Connection[Any], job_id: str, *stages: dict[str, Any], **more: Any) -> None:
    """A media job that has gone from stage to stage; each is what the row learns on the way."""
    media = {"type": "file", "url": "object:films/harvest.mp4"}
    values = {
        "job_id": job_id,
        "project_id": "main",
        "request_id": "autumn",
        "media": json.dumps(media),
        "clip": json.dumps({"start": 62.5, "end": 68}),
    }
    insert(connection, "media_jobs", **(values | more))
    for stage in stages:
        learnt = ", ".join(f"{name} = %({name})s" for name in stage)
        connection.execute(
            f"UPDATE media_jobs SET {learnt} WHERE tenant_id = current_tenant() AND job_id = %(job_id)s",
            stage | {"job_id": job_id},
        )


def plough_media(connection: psycopg.Connection[Any]) -> None:
    """One at every stage."""
    known = {"stage": "MetadataReady", "snapshot": json.dumps(SNAPSHOT), "metadata_version": 1}
    medium(connection, "harvest", known, {"stage": "Processing", "runtime_job_id": DONE}, {"stage": "Completed"})
    medium(connection, "sowing", known, {"stage": "Processing", "runtime_job_id": RUNNING})
    medium(connection, "mowing", known)
    gone = {"tag": "MetadataEnrichmentError", "code": "NOT_FOUND", "message": "the video is private, or was removed"}
    medium(connection, "raking", {"stage": "Failed", "error": json.dumps(gone | {"hint": "ask whose it is"})})
    medium(connection, "baling", {"stage": "Cancelled"})
    slow = json.dumps({"code": "RATE_LIMITED", "message": "the provider asks for patience"})
    medium(connection, "waiting", error=slow, attempts=2, not_before=now() + timedelta(minutes=4))


@cache
def film() -> bytes:
    """Three seconds of moving pictures, as clips are: H.264 in an mp4 that begins with its index."""
    picture = (
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=320x180:rate=25:duration=3",
        "-c:v",
        "libx264",
        "-pix_fmt",
        "yuv420p",
    )
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "film.mp4"
        ffmpeg(*picture, "-preset", "ultrafast", "-movflags", "+faststart", path)
        return path.read_bytes()


async def store(site: Console, data: bytes | None = None, name: str = "clip.mp4") -> str:
    """What the job that is done has made, and its row names. Where it is to be had."""
    content, key = film() if data is None else data, f"results/{DONE}/attempts/1/{name}"
    await site.objects.for_tenant("acme").put(key, content)
    made = {"key": key, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with connect(site.database.url) as connection:
        connection.execute("UPDATE jobs SET artifact = artifact || %s::jsonb WHERE id = %s", (json.dumps(made), DONE))
    return f"/jobs/{DONE}/artifact"
