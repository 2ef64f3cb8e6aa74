"""Passes over an estate, as a run makes them."""

from contextlib import aclosing, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
from tests.integration.connectors.postgres.estate import Estate

from windrow.connectors.configuration import configured
from windrow.connectors.connector import Finding
from windrow.connectors.permits import Permits
from windrow.connectors.postgres import PostgresConnector
from windrow.connectors.postgres.limits import Limits
from windrow.connectors.standalone import standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret


@dataclass
class Reader:
    """One endpoint. `at` is the last cursor, `calls` what the server was asked, `said` what was told."""

    estate: Estate
    cache: Path
    config: dict[str, Any]
    addresses: tuple[str, ...] | None = None
    credential: str | None = None
    limits: Limits = field(default_factory=Limits)
    now: datetime = datetime(2026, 3, 1, tzinfo=UTC)
    at: Cursor = None
    calls: list[str] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)

    def connector(self) -> PostgresConnector:
        allowed = (self.estate.door,) if self.addresses is None else self.addresses
        secret = Secret(self.estate.password if self.credential is None else self.credential)

        async def credential() -> Secret | None:
            return secret

        def watch(call: str) -> Any:
            self.calls.append(call)
            return nullcontext()

        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme"),
            cache=self.cache,
            credential=credential,
            http=lambda policy: HttpClient(replace(policy, allow=allowed)),
            say=lambda _, **fields: self.said.append((fields["position"], fields["reason"])),
            now=lambda: self.now,
            watch=watch,
        )
        kind = type("Limited", (PostgresConnector,), {"limits": self.limits})
        return cast("PostgresConnector", kind(configured(PostgresConnector, self.config), context))

    async def prepare(self) -> list[Finding]:
        return await self.connector().prepare()

    async def pages(self, size: int = 100, most: int | None = None) -> list[Page]:
        """The pages of one pass, from the last cursor on; with `most`, a pass that dies after so many."""
        found: list[Page] = []
        async with aclosing(cast("Any", self.connector().fetch_pages(self.at, size))) as pages:
            async for page in pages:
                found.append(page)
                self.at = msgspec.json.decode(msgspec.json.encode(page.cursor))
                if len(found) == most:
                    break
        return found

    async def items(self, size: int = 100) -> dict[str, Item]:
        """What one pass gives, by id without the estate's mark."""
        return self.of(await self.pages(size))

    def of(self, pages: list[Page]) -> dict[str, Item]:
        turned = [self.connector().transform(page) for page in pages]
        assert [one.reasons for each in turned for one in each.refused] == []
        return {
            self.plain(cast("Item", item).external_id): cast("Item", item) for each in turned for item in each.items
        }

    def plain(self, external_id: str) -> str:
        return external_id.removeprefix(f"{self.estate.mark}_")

    def relations(self, item: Item) -> set[tuple[str, str]]:
        return {(each.type, self.plain(each.target)) for each in item.relations}
