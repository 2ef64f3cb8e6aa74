"""What the tests of the metadata worker are written with: a provider that answers as it is told, and eyes for rows and topics."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.enriching import Question
from windrow.media.handling import Found, Handler
from windrow.media.job import Media, MediaEvent, MediaJob, ProcessingJob, as_bytes
from windrow.media.limits import MediaLimits
from windrow.media.reading import events
from windrow.media.snapshot import Snapshot
from windrow.media.stage import Stage
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.messages import Message
from windrow.objects.memory import MemoryObjects
from windrow.postgres import Database

SCOPE = Scope("acme", "main")
TOPICS = Topics()
URL = "https://youtu.be/dQw4w9WgXcQ"
# without chance, so that delays are exact
EXACT = RetryPolicy(timedelta(seconds=10), timedelta(seconds=60), attempts=4)
LIMITS = MediaLimits(retry=EXACT)
QUEUED = {"media.events/JobStatusChanged": 1}
ENRICHED = {"media.events/JobStatusChanged": 2, "media.events/MetadataReady": 1, "media.work/Work": 1}
FAILED = {"media.events/JobStatusChanged": 2, "media.dlq/DeadJob": 1}


class Oracle:
    """The outside world: every answer has a title of its own, and what is scripted comes first."""

    def __init__(self) -> None:
        self.asked = 0
        self.script: list[Exception] = []
        self.always: Exception | None = None
        self.before: Callable[[], Any] | None = None

    async def snapshot(self, question: Question) -> Snapshot:
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0)  # others have their turn
        if self.before:
            await self.before()
        if self.script:
            raise self.script.pop(0)
        if self.always:
            raise self.always
        return Snapshot(
            provider=question.media.type,
            title=f"take {number}",
            fetched_at=datetime(2026, 11, 16, tzinfo=UTC),
            media_id="dQw4w9WgXcQ",
            duration_seconds=212.0,
            keywords=("one", "two"),
        )


class Studio:
    """One tenant's media jobs, and a handler of them."""

    def __init__(self, database: Database, limits: MediaLimits = LIMITS) -> None:
        self.database, self.limits = database, limits
        self.oracle, self.objects = Oracle(), MemoryObjects()
        self.store = self.objects.for_tenant(SCOPE.tenant_id)
        self.handler = self.another_handler(database)

    def another_handler(self, database: Database) -> Handler:
        return Handler(
            database,
            self.oracle,
            lambda scope: self.objects.for_tenant(scope.tenant_id),
            topics=TOPICS,
            limits=self.limits,
            jitter=lambda: 1.0,
        )

    async def submit(self, url: str = URL, *, job_id: str | None = None, **wish: Any) -> str:
        wished = Submission(media=media_of(url), request_id="r-1", correlation_id="cause-1", **wish)
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return (await submit(tx, SCOPE, wished, topics=TOPICS, job_id=job_id)).job.job_id

    async def drop(self, job_id: str, data: bytes | None = None) -> None:
        """Somebody else puts a job among the queued ones."""
        data = as_bytes(queued(job_id)) if data is None else data
        await self.store.put(f"jobs/Queued/{job_id}.json", data)

    async def job(self, job_id: str) -> MediaJob:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return await rows.get(tx, job_id)

    async def changes(self, job_id: str) -> list[MediaEvent]:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return await events(tx, job_id)

    async def stages(self, job_id: str) -> list[str]:
        return [change.to_stage for change in await self.changes(job_id)]

    async def messages(self, topic: str, key: str | None = None) -> list[Message]:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            cursor = await tx.connection.execute(
                "SELECT said.* FROM messages said JOIN topic_log USING (tenant_id, topic, message_id)"
                " WHERE topic = %s ORDER BY seq",
                [topic],
            )
            found = await cursor.fetchall()
        names = Message.__dataclass_fields__
        return [Message(**{name: row[name] for name in names}) for row in found if key in (None, row["key"])]

    async def said(self, key: str | None = None) -> Counter[str]:
        """How many messages of each kind there are, as `topic/kind`."""
        kinds = Counter[str]()
        for topic in (TOPICS.work, TOPICS.events, TOPICS.dead_letters):
            kinds.update([f"{topic}/{one.attributes['kind']}" for one in await self.messages(topic, key)])
        return kinds

    async def pass_time(self) -> None:
        """Waits are over, and claims have run out."""
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            await tx.connection.execute(
                "UPDATE media_jobs SET not_before = least(not_before, now() - interval '1 s'),"
                " claimed_until = CASE WHEN claimed_until IS NOT NULL THEN now() - interval '1 s' END"
            )

    async def now(self) -> datetime:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            cursor = await tx.connection.execute("SELECT clock_timestamp() AS now")
            row = await cursor.fetchone()
        assert row
        return row["now"]


def found(job_id: str, **more: Any) -> Found:
    return Found(scope=SCOPE, job_id=job_id, **more)


def queued(job_id: str, **more: Any) -> ProcessingJob:
    """A job as others write it."""
    now = datetime(2026, 11, 16, tzinfo=UTC)
    given = {"request_id": "r-1", "status": Stage.QUEUED, "media": Media(type="youtube", url=URL)} | more
    return ProcessingJob(job_id=job_id, created_at=now, updated_at=now, **given)
