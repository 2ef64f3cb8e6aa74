"""Some of everything for one tenant, made by what makes it in real life. All of it carries a word by which it is known."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from tests.integration.harvest.shop import ACME, OPERATOR, Shop, open_shop, persist, run_slice
from tests.integration.messages.post import Post

from windrow import catalog, kv, notify
from windrow.app.jobs import payload_of
from windrow.app.scribing import written_down
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.orders import Transition
from windrow.harvest import run as runs
from windrow.jobs.enqueue import enqueue
from windrow.media.announcing import Topics
from windrow.media.moving import Change, move
from windrow.media.snapshot import Author, Picture, Snapshot, SpeakerHint
from windrow.media.stage import Stage
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.notify import Channel, Notice
from windrow.orchestration import controls
from windrow.postgres import Database

MARK = "marigold"
# in a cursor, where no client may ever see it
TOKEN = f"{MARK}-3"
COUNT = 3


@dataclass(frozen=True, slots=True)
class Stock:
    """What can be named."""

    item_id: UUID
    job_id: str
    message_id: UUID
    entry_id: str
    run_id: str
    media_job_id: str = "medium"

    def path(self, template: str) -> str:
        """The address of something that is there, for any operation."""
        named = {
            "name": "shop",
            "run_id": self.run_id,
            "item_id": self.item_id,
            "job_id": self.job_id,
            "media_job_id": self.media_job_id,
            "message_id": self.message_id,
            "entry_id": self.entry_id,
            "topic": "topic",
            "path": "notes/1",
            "blob_id": uuid.UUID(int=1),
        }
        return template.replace("{path:path}", "{path}").format(**named)


async def stocked(database: Database) -> Stock:
    """Three of each kind."""
    item_id, entry_id = await _harvested(database)
    message_id = await _undelivered(database)
    async with database.tenant(ACME.tenant_id) as tx:
        for number in range(COUNT):
            wish = payload_of("clip", {"source": f"object:{MARK}-{number}.mp4", "start": "0", "end": "1"})
            job = await enqueue(tx, ACME, "clip", wish)
            await notify.tell(tx, Notice(channel=Channel.OPS, title=f"{MARK} {number}", project_id="main"))
            await kv.put(
                tx,
                Key(ACME, f"notes/{number}"),
                {"says": MARK},
                expected_version=0,
                request_id=f"note-{number}",
                semantics=kv.Semantics(kv.Purpose.ANNOTATION, "test"),
                writer=kv.Writer("meta-api", "kv"),
                actor=OPERATOR,
            )
            medium = await submit(tx, ACME, _talk(number), topics=Topics())
        await move(tx, Topics(), medium, Change(Stage.METADATA_READY, _known()))
    return Stock(item_id, job.job_id, message_id, entry_id, "run-0", medium.job.job_id)


async def _harvested(database: Database) -> tuple[UUID, str]:
    """Endpoints, runs with their steps, batches, items, and records that were refused."""
    shop = Shop()
    shop.puts(*(f"{MARK}-{number}" for number in range(60)))
    for number in range(COUNT):
        shop.things[f"broken-{number}"] = {"entity_type": "thing", "external_id": f"broken-{number}", "said": MARK}
    endpoint = await open_shop(database, schedule="@daily", page_size=50)
    for name in (f"{MARK}-shop", "closed-shop"):
        await open_shop(database, name)
    for number in range(COUNT):
        async with written_down(database):
            await run_slice(database, shop, endpoint, f"run-{number}")
            await persist(database, endpoint)
        async with database.tenant(ACME.tenant_id) as tx:
            await runs.end_run(tx, f"run-{number}", runs.Outcome.DONE)
            await controls.record(tx, _step(number))
    await catalog.index_tenant(database, ACME.tenant_id)
    async with database.tenant(ACME.tenant_id) as tx:
        page = await catalog.items(tx, ACME, limit=1)
        refused = await tx.connection.execute(b"SELECT id FROM quarantine ORDER BY id LIMIT 1")
        row = await refused.fetchone()
    assert row
    return page.items[0].item_id, row["id"]


def _step(number: int) -> Transition:
    return Transition(
        tenant_id="acme",
        project_id="main",
        endpoint_id="shop",
        workflow_id=f"sync/{number}",
        number=number,
        state="Completed",
        before="Running",
        run_id=f"run-{number}",
        reason=f"{MARK} {datetime.now(UTC):%Y}",
    )


def _talk(number: int) -> Submission:
    return Submission(media=media_of(f"object:{MARK}-{number}.mp4"), request_id=f"request-{number}")


def _known() -> Snapshot:
    return Snapshot(
        provider="file",
        title=f"A talk about {MARK}",
        fetched_at=datetime.now(UTC),
        duration_seconds=12.5,
        keywords=("meadow",),
        author=Author(name="Ada"),
        speaker_hints=(SpeakerHint(name="Ada", role="host", source="request"),),
        picture=Picture(width=640, height=360),
    )


async def _undelivered(database: Database) -> UUID:
    post = Post(database)
    await post.subscribe()
    post.sink.fail = lambda _: ValidationFailure(f"no {MARK}", code=Code.REFUSED)
    ids = await post.publish(*({"says": f"{MARK} {number}"} for number in range(COUNT)), key="k")
    await post.drain()
    return ids[-1]
