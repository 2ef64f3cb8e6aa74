"""A source in the test's own memory: the things on its shelf, page by page, as any connector would give them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from windrow import endpoints
from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.permits import Permits
from windrow.connectors.spec import Capabilities, ConnectorSpec, Deletes, PageSizes
from windrow.contracts.page import Cursor, Page
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.slice import Order, SliceReport, harvest
from windrow.harvest.subscriber import Subscriber, SubscriberLimits
from windrow.http import HttpClient
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import emit

ACME = Scope("acme", "main")
OPERATOR = Actor("ada", "test")


class ShopConfig(BaseModel):
    """Which shelf."""

    shelf: str = "all"


class Shop:
    """The outside world: things by name, each with what is said about it. `asked` is called before each answer."""

    def __init__(self, things: dict[str, dict[str, Any]] | None = None) -> None:
        self.things = things or {}
        self.asked: Callable[[Cursor], None] = lambda _: None
        self.spec: dict[str, Any] = {}

    def puts(self, *names: str, **said: Any) -> None:
        for name in names:
            self.things[name] = {"entity_type": "thing", "external_id": name, "display_name": name.title(), **said}

    def connector(self, run_id: str = "run") -> "ShopConnector":
        return ShopConnector(ShopConfig(), context_of(run_id), self)


class ShopConnector(Connector[ShopConfig]):
    """Lists the shelf by name; the cursor is the last name of a page, and None when the listing is through."""

    spec = ConnectorSpec(
        name="shop",
        version="1.0",
        title="A shop in memory",
        source_system="shop",
        config=ShopConfig,
        capabilities=Capabilities(deletes=Deletes.LISTED),
        page_sizes=PageSizes(),
    )

    def __init__(self, config: ShopConfig, context: Context, shop: Shop) -> None:
        super().__init__(config, context)
        self.shop = shop

    async def prepare(self) -> list[Finding]:
        return [Finding("shelf", True, f"{len(self.shop.things)} things")]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        while True:
            self.shop.asked(cursor)
            await asyncio.sleep(0)
            after = cursor["after"] if cursor else ""
            names = sorted(name for name in self.shop.things if name > after)
            taken = names[:page_size]
            last = len(taken) == len(names)
            before, cursor = cursor, None if last else {"after": taken[-1]}
            yield Page(
                records=[self.shop.things[name] for name in taken],
                cursor=cursor,
                position=f"after {after!r}",
                last=last,
                opens=before is None,
                whole=last,
            )
            if last:
                return

    def item(self, record: Any) -> dict[str, Any]:
        return dict(record)


class InMemoryNotes:
    """A connector's notes, for as long as the test runs."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    async def get(self, name: str) -> Any:
        return self._kept.get(name)

    async def put(self, name: str, value: Any) -> None:
        self._kept[name] = value


async def _no_credential() -> None:
    return None


def context_of(run_id: str) -> Context:
    return Context(
        scope=ACME,
        endpoint_id="shop",
        run_id=run_id,
        notes=InMemoryNotes(),
        say=emit,
        now=lambda: datetime.now(UTC),
        credential=_no_credential,
        permits=Permits("acme"),
        http=lambda policy: HttpClient(policy),
        cache=Path("unused"),
        cancelled=lambda: False,
    )


async def open_shop(database: Database, name: str = "shop", **more: Any) -> Endpoint:
    """The endpoint's row."""
    async with database.tenant(ACME.tenant_id) as tx:
        return await endpoints.add(tx, Endpoint(scope=ACME, endpoint_id=name, connector="shop", **more), OPERATOR)


def order_of(endpoint: Endpoint, run_id: str, lane: str = "live", **more: Any) -> Order:
    return Order(endpoint=endpoint, lane=Lane(ACME, endpoint.endpoint_id, lane), run_id=run_id, **more)


async def run_slice(
    database: Database, shop: Shop, endpoint: Endpoint, run_id: str = "run-1", **more: Any
) -> SliceReport:
    return await harvest(database, shop.connector(run_id), order_of(endpoint, run_id, **more))


def subscriber_of(database: Database, **limits: Any) -> Subscriber:
    """One that is only drained, never woken."""
    return Subscriber(database, Wakeups(database.url), limits=SubscriberLimits(**limits))


async def persist(database: Database, endpoint: Endpoint, lane: str = "live") -> None:
    await subscriber_of(database).drain(Lane(ACME, endpoint.endpoint_id, lane))


async def rows(database: Database, query: str, *parameters: Any) -> list[dict[str, Any]]:
    """A look into the tables, as the tenant."""
    async with database.tenant(ACME.tenant_id) as tx:
        return await (await tx.connection.execute(query.encode(), parameters or None)).fetchall()


async def catalog(database: Database) -> dict[str, dict[str, Any]]:
    """What the catalog holds and is not gone, by external id."""
    found = await rows(database, "SELECT * FROM items WHERE NOT deleted")
    return {row["external_id"]: row for row in found}
