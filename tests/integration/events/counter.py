"""The metadata worker as it is served, over HTTP on loopback, with a real database and a real store; YouTube is a fake."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from tests.fakes.youtube import KEY, FakeYoutube, a_video

from windrow.app.events import Served, served
from windrow.app.media import MediaWork, media, topics_of
from windrow.app.outside import outside
from windrow.contracts.scope import Scope
from windrow.media import reading, rows
from windrow.media.job import ClipWish, MediaJob
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.objects import Objects, ObjectStore
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

OWN = Scope("local", "default")
STRUCTURED = {"content-type": "application/cloudevents+json"}
BATCHED = {"content-type": "application/cloudevents-batch+json"}
JSON = {"content-type": "application/json"}
BUCKET = "windrow"


def event(job_id: str, **changes: Any) -> dict[str, Any]:
    """An object among the queued ones was written; what is changed to an ellipsis is left out."""
    name = f"{OWN.tenant_id}/jobs/Queued/{job_id}.json"
    usual = {
        "specversion": "1.0",
        "id": f"event-of-{job_id}",
        "source": f"//storage.googleapis.com/projects/_/buckets/{BUCKET}",
        "type": "google.cloud.storage.object.v1.finalized",
        "subject": f"objects/{name}",
        "data": {"bucket": BUCKET, "name": name, "generation": "1"},
    }
    return {key: value for key, value in (usual | changes).items() if value is not ...}


def about(subject: str, **changes: Any) -> dict[str, Any]:
    """An event about any object."""
    return event("x", subject=subject, data=..., **changes)


def pushed(data: bytes = b"", *, attempt: int | None = None, subscription: str = "work", **attributes: str) -> bytes:
    """A message as a push subscription delivers it."""
    message = {"data": b64encode(data).decode(), "attributes": attributes, "messageId": "7"}
    around = {"subscription": f"projects/acme/subscriptions/{subscription}"}
    return json.dumps({"message": message, **around, **({"deliveryAttempt": attempt} if attempt else {})}).encode()


@dataclass
class Desk:
    """Where it answers, what is behind it, and eyes for what it did."""

    client: httpx2.AsyncClient
    served: Served
    work: MediaWork
    database: Database
    settings: Settings
    youtube: FakeYoutube
    objects: Objects

    @property
    def store(self) -> ObjectStore:
        return self.work.places.store(OWN)

    async def post(self, body: Any, headers: dict[str, str] | None = None) -> httpx2.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post("/", content=content, headers=STRUCTURED if headers is None else headers)

    async def announce(self, job_id: str) -> dict[str, Any]:
        """What an event about the job is answered."""
        answered = await self.post(event(job_id))
        assert answered.status_code == 200, answered.text
        return dict(answered.json())

    async def push(self, body: bytes) -> httpx2.Response:
        return await self.post(body, JSON)

    async def submit(self, url: str | None = None, *, clip: ClipWish | None = None) -> str:
        """A job about a video that YouTube shows, or about what lies at the URL."""
        if url is None:
            self.youtube.shows(a_video())
        wished = Submission(media=media_of(url or "https://youtu.be/oBM7DIeMsP0"), request_id="r-1", clip=clip)
        async with self.database.tenant(OWN.tenant_id) as tx:
            return (await submit(tx, OWN, wished, topics=topics_of(self.settings))).job.job_id

    async def job(self, job_id: str, tenant: str = OWN.tenant_id) -> MediaJob:
        async with self.database.tenant(tenant) as tx:
            return await rows.get(tx, job_id)

    async def stages(self, job_id: str) -> list[str]:
        async with self.database.tenant(OWN.tenant_id) as tx:
            return [change.to_stage for change in await reading.events(tx, job_id)]

    async def jobs(self) -> int:
        """How many there are, of every tenant."""
        async with self.database.system() as tx:
            cursor = await tx.connection.execute("SELECT count(*) AS jobs FROM media_jobs")
            row = await cursor.fetchone()
        assert row
        return int(row["jobs"])

    async def said(self, tenant: str = OWN.tenant_id) -> Counter[str]:
        """How many messages of each kind there are, as `topic/kind`."""
        async with self.database.tenant(tenant) as tx:
            cursor = await tx.connection.execute("SELECT topic, attributes ->> 'kind' AS kind FROM messages")
            return Counter(f"{row['topic']}/{row['kind']}" for row in await cursor.fetchall())

    async def mirrored(self) -> None:
        """Until the objects show where every job stands."""
        while await self.work.mirror.step():
            pass

    async def keys(self) -> list[str]:
        return [listed.key async for listed in self.store.list()]

    async def folders(self, job_id: str) -> list[str]:
        """Where the job's object lies."""
        return [key.rpartition("/")[0] for key in await self.keys() if key.endswith(f"/{job_id}.json")]

    async def pass_time(self) -> None:
        """Waits are over, and claims have run out."""
        async with self.database.system() as tx:
            await tx.connection.execute(
                "UPDATE media_jobs SET not_before = least(not_before, now() - interval '1 s'),"
                " claimed_until = least(claimed_until, now() - interval '1 s')"
            )


def a_job(job_id: str = "job-1", **changes: Any) -> bytes:
    """A job as others write it."""
    told = {
        "jobId": job_id,
        "requestId": "r-1",
        "status": "Queued",
        "media": {"type": "youtube", "url": "https://youtu.be/oBM7DIeMsP0"},
        "createdAt": "2026-11-16T10:00:00Z",
        "updatedAt": "2026-11-16T10:00:00Z",
    }
    return json.dumps(told | changes).encode()


@asynccontextmanager
async def desk(database: Database, directory: Path, youtube: FakeYoutube, **more: Any) -> AsyncIterator[Desk]:
    """Open from here to the end of the block, with these settings."""
    given = {
        "home": directory / "home",
        "youtube_url": youtube.url,
        "youtube_api_key_ref": "env:YOUTUBE",
        "addresses_allowed": (youtube.door, *more.pop("addresses_allowed", ())),
        "shutdown_timeout_sec": 5,
    }
    settings = Settings(**given | more)
    wakeups = Wakeups(database.url)
    async with (
        outside(settings, {"YOUTUBE": KEY}) as beyond,
        media(settings, database, beyond, wakeups) as work,
        served(settings, database, work) as front,
        httpx2.AsyncClient(base_url=front.url, trust_env=False, timeout=30) as client,
    ):
        yield Desk(client, front, work, database, settings, youtube, beyond.objects)
