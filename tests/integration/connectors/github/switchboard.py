"""GitHub, our HTTP application, and who looks up what was heard: all that a webhook passes."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from tests.fakes.github import GitHub
from tests.fakes.github.deliveries import SECRET
from tests.integration.console.house import House, house

from windrow import endpoints
from windrow.app.listening import Listener
from windrow.app.operators import backends
from windrow.app.sources import Sources
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest import tidings
from windrow.harvest.slice import Order
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import Sync
from windrow.outbox.lane import Lane
from windrow.postgres import Database, Query
from windrow.postgres.wakeups import Wakeup, Wakeups
from windrow.settings import Settings
from windrow.vault import Grants, Vault

SCOPE = Scope("acme", "main")
PATH = "/v1/webhooks/acme/main/code"
ITEMS = Query(
    "items", "what the catalog holds", b"SELECT * FROM windrow.items WHERE NOT deleted AND endpoint_id = 'code'"
)
RUNS = Query("runs", "of the lane", b"SELECT count(*) FROM windrow.harvest_runs WHERE lane = 'events'")


@dataclass
class Switchboard:
    """An endpoint `code` of the fake, harvested once if asked."""

    hub: GitHub
    house: House
    database: Database
    listener: Listener

    async def send(self, delivery: tuple[dict[str, str], bytes], path: str = PATH) -> httpx2.Response:
        headers, body = delivery
        return await self.house.client.post(path, content=body, headers=headers)

    async def harvest(self) -> None:
        """Another run of the schedule's."""
        async with self.database.tenant("acme") as tx:
            endpoint = await endpoints.get(tx, SCOPE, "code")
        run_id = f"run-{uuid.uuid4().hex[:6]}"
        sync = Sync(
            database=self.database,
            subscriber=self.listener.subscriber,
            connector=lambda: self.listener.sources.open(endpoint, run_id, lambda: False),
            wait=lambda _: asyncio.sleep(0),
        )
        await sync.run(Order(endpoint=endpoint, lane=Lane(SCOPE, "code"), run_id=run_id))

    async def held(self) -> dict[str, dict[str, Any]]:
        async with self.database.tenant("acme") as tx:
            return {row["external_id"]: row for row in await tx.rows(ITEMS)}

    async def waiting(self) -> int:
        return len(await tidings.waiting(self.database))


@asynccontextmanager
async def switchboard(
    hub: GitHub, database: Database, place: Path, environment: dict[str, str], **config: Any
) -> AsyncIterator[Switchboard]:
    """All of it, with the secrets in the environment that is given."""
    settings = Settings(
        home=place,
        addresses_allowed=(hub.door,),
        credentials_allowed=("env:WINDROW_SECRET_*",),
    )
    made = Endpoint(
        scope=SCOPE,
        endpoint_id="code",
        connector="github",
        config={**hub.config, "webhook_secret_ref": "env:WINDROW_SECRET_HOOK", **config},
        credential_ref="env:WINDROW_SECRET_TOKEN",
    )
    async with database.tenant("acme") as tx:
        await endpoints.add(tx, made, Actor("test", "operator"))
    environment.setdefault("WINDROW_SECRET_HOOK", SECRET)
    environment.setdefault("WINDROW_SECRET_TOKEN", hub.credential or "")
    grants = Grants.parse(settings.credentials_allowed)
    async with (
        Vault(backends(settings, environment), grants) as vault,
        house(database, place / "house", resolve=vault.resolve) as opened,
    ):
        listener = Listener(
            database,
            Sources(settings, database, vault),
            Subscriber(database, Wakeups(database.url)),
            Wakeup(),
            asyncio.get_running_loop().time,
        )
        yield Switchboard(hub, opened, database, listener)
