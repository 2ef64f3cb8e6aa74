"""What the tests of notices are written with: a chat, a relay to it, and the time that passes."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.fakes.slack import Slack

from windrow import notify
from windrow.contracts.errors import Fatal, WindrowError
from windrow.contracts.retry import NEVER
from windrow.http import HttpClient, HttpPolicy
from windrow.messages import DeadLetter, Relay, Sink, dead_letters, peek, route
from windrow.notify import Channel, FailedRun, Hook, Log, Notice, failures
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.vault import Grants, Vault
from windrow.vault.environment import Environment

TENANT = "acme"
HOOK = "env:CHAT_HOOK"


class Desk:
    """Telling and delivering, as a test says it. The pager has a webhook; the other channels have none."""

    def __init__(self, database: Database, slack: Slack, client: HttpClient) -> None:
        self.database, self.slack = database, slack
        self.vault = Vault([Environment({"CHAT_HOOK": slack.url})], Grants.parse(["env:CHAT_HOOK"]))
        self.with_webhook = [Channel.PAGER]
        posting = Hook(client, HOOK, lambda reference: self.vault.resolve(reference, "operator"))
        self.sinks: dict[str, Sink] = {notify.LOG_SINK: Log(), "notify.pager": posting}
        self.relay = Relay(database, self.sinks, Wakeups(database.url), jitter=lambda: 1.0)

    async def tell(self, channel: Channel = Channel.PAGER, title: str = "trouble", **more: Any) -> UUID:
        async with self.database.tenant(more.pop("tenant", TENANT)) as tx:
            return await notify.tell(tx, Notice(channel=channel, title=title, **more))

    async def fail(self, run_id: str, *, tenant: str = TENANT, error: WindrowError | None = None, **more: Any) -> bool:
        """A run fails; whether it paged."""
        async with self.database.tenant(tenant) as tx:
            return await failures.note(tx, failed(run_id, error, **more))

    async def deliver(self) -> None:
        """Subscribe to what has begun, and pass on until nothing is due."""
        while await route(self.database):
            pass
        await notify.attach(self.database, self.with_webhook)
        while await self.relay.run_once():
            pass

    async def wait_for_retries(self) -> None:
        """Let the delays of failures pass, and claims run out."""
        async with self.database.tenant(TENANT) as tx:
            await tx.connection.execute("UPDATE strands SET due_at = now() - interval '1 second'")

    async def pass_time(self, by: timedelta, tenant: str = TENANT) -> None:
        """Everything that was noted is older by so much."""
        async with self.database.tenant(tenant) as tx:
            rows = await (await tx.connection.execute("DELETE FROM failed_runs RETURNING *")).fetchall()
            for row in rows:
                await tx.connection.execute(
                    "INSERT INTO failed_runs (tenant_id, run_id, project_id, endpoint_id, code, failed_at)"
                    " VALUES (%(tenant_id)s, %(run_id)s, %(project_id)s, %(endpoint_id)s, %(code)s, %(failed_at)s)",
                    row | {"failed_at": row["failed_at"] - by},
                )

    async def told(self, channel: Channel, tenant: str = TENANT) -> list[dict[str, Any]]:
        """The notices of a channel, the oldest first."""
        async with self.database.tenant(tenant) as tx:
            row = await (
                await tx.connection.execute(
                    "SELECT true FROM messages WHERE topic = %s LIMIT 1", [notify.topic_of(channel)]
                )
            ).fetchone()
            found = await peek(tx, notify.topic_of(channel), limit=100) if row else []
        return [one.payload for one in reversed(found)]

    async def letters(self) -> list[DeadLetter]:
        async with self.database.tenant(TENANT) as tx:
            return await dead_letters(tx)


def failed(
    run_id: str, error: WindrowError | None = None, endpoint_id: str = "wiki", well_at: datetime | None = None
) -> FailedRun:
    return FailedRun.of(
        error or Fatal("the token was revoked", hint="make a new one"),
        project_id="docs",
        endpoint_id=endpoint_id,
        run_id=run_id,
        well_at=well_at,
    )


def http(slack: Slack, *, allowed: bool = True) -> HttpClient:
    """A client that makes one request for each attempt, so that a test can count them."""
    return HttpClient(HttpPolicy(source="notify", allow=(slack.web.door,) if allowed else (), hiccups=NEVER))
