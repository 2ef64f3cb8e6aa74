"""One tenant's media jobs, their store, and mirrors of them: what the tests of mirror and sweep stand on."""

import json

from tests.integration.media.watched_store import WatchedObjects

from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.job import MediaJob, from_bytes
from windrow.media.mirror import Mirror
from windrow.media.moving import Change, move, requeue
from windrow.media.places import Place, Places
from windrow.media.stage import FOLDERS, Stage
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeup

SCOPE = Scope("acme", "default")
TOPICS = Topics()


class Desk:
    """Jobs are moved by hand here; nothing runs but what a test lets run."""

    def __init__(self, database: Database) -> None:
        self.database, self.objects = database, WatchedObjects()
        self.places = Places(self.objects, Place("windrow"), "default")

    def mirror(self) -> Mirror:
        return Mirror(self.database, self.places, Wakeup())

    async def submit(self) -> str:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            wish = Submission(media=media_of("https://youtu.be/dQw4w9WgXcQ"), request_id="r-1")
            return (await submit(tx, SCOPE, wish, topics=TOPICS)).job.job_id

    async def job(self, job_id: str) -> MediaJob:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            return await rows.get(tx, job_id)

    async def go(self, job_id: str, to: Stage) -> None:
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            seen = await rows.get(tx, job_id)
            went = requeue(tx, TOPICS, seen) if to is Stage.QUEUED else move(tx, TOPICS, seen, Change(to))
            assert await went

    async def settle(self) -> None:
        """Until nothing is left to mirror, however long the claims of mirrors that broke off would last."""
        for _ in range(20):
            async with self.database.system() as tx:
                await tx.connection.execute("UPDATE media_jobs SET mirroring_until = NULL")
            if not await self.mirror().step():
                return
        raise AssertionError("there is always something left to mirror")

    async def folders(self, job_id: str) -> list[str]:
        store = self.objects.unwatched(SCOPE.tenant_id)
        return [folder for folder in FOLDERS if await store.head(f"{folder}/{job_id}.json")]

    async def shown(self, folder: str, job_id: str) -> Stage:
        return from_bytes(await self.objects.unwatched(SCOPE.tenant_id).get(f"{folder}/{job_id}.json")).status

    async def told(self, job_id: str) -> list[str]:
        store = self.objects.unwatched(SCOPE.tenant_id)
        keys = [listed.key async for listed in store.list(f"events/{job_id}")]
        return [json.loads(await store.get(key))["to"] for key in keys]
