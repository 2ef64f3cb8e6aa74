"""Harvests a site as a run would."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.confluence import Confluence

from windrow.connectors.configuration import configured
from windrow.connectors.confluence import ConfluenceConnector
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.vault import Secret


@dataclass
class Reader:
    """Reads one site, and keeps what a catalog would."""

    site: Confluence
    cache: Path
    config: dict[str, Any] = field(default_factory=dict)
    secret: str | None = "oauth-token-of-ada"
    ahead: timedelta = timedelta(0)
    cursor: Any = None
    held: dict[str, Item] = field(default_factory=dict)
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    listed: set[str] = field(default_factory=set)

    def connector(self) -> ConfluenceConnector:
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme"),
            cache=self.cache,
            say=self._hear,
            http=self._client,
            credential=self._credential,
            now=lambda: (self.site.wiki.held or datetime.now(UTC)) + self.ahead,
        )
        raw = {"base_url": self.site.address, "edition": self.site.edition, **self.config}
        return ConfluenceConnector(configured(ConfluenceConnector, raw), context)  # type: ignore[arg-type]

    async def harvest(self, size: int = 50) -> list[Page]:
        """One pass from the cursor to its end. What was published before it failed stands."""
        return [page async for page in self.steps(size)]

    async def steps(self, size: int) -> AsyncGenerator[Page, None]:
        """The same, page by page."""
        connector = self.connector()
        async with aclosing(connector.fetch_pages(self.cursor, size)) as given:  # type: ignore[type-var]
            async for page in given:
                self._keep(connector, page)
                yield page

    def _keep(self, connector: ConfluenceConnector, page: Page) -> None:
        turned = connector.transform(page)
        assert not turned.refused
        if page.opens:
            self.listed.clear()
        for item in turned.items:
            assert isinstance(item, Item)
            self.listed.add(item.external_id)
            self.held[item.external_id] = item
        if page.whole:
            self.held = {name: item for name, item in self.held.items() if name in self.listed}
        self.held = {name: item for name, item in self.held.items() if not item.deleted}
        self.cursor = page.cursor

    def _client(self, policy: HttpPolicy) -> HttpClient:
        """As impatient with hiccups as a test is."""
        at_once = replace(policy.hiccups, first=timedelta(milliseconds=1), ceiling=timedelta(milliseconds=1))
        return HttpClient(replace(policy, allow=(self.site.door,), hiccups=at_once))

    def _hear(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))

    async def _credential(self) -> Secret | None:
        return Secret(self.secret) if self.secret else None
