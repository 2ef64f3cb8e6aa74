"""Harvests the fake as a run would, without the database: pages are remembered, and what they leave."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.github import GitHub

from windrow.connectors.configuration import configured
from windrow.connectors.github import GithubConnector
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import MemoryNotes, standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret


@dataclass
class Reader:
    """Reads one endpoint, pass after pass. `held` is what the catalog would hold, `listed` the ids of the last listing."""

    hub: GitHub
    cache: Path
    config: dict[str, Any] = field(default_factory=dict)
    secret: str | None = None
    ahead: timedelta = timedelta(0)
    size: int = 100
    cursor: Any = None
    doors: tuple[str, ...] = ()
    notes: MemoryNotes = field(default_factory=MemoryNotes)
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    held: dict[str, Item] = field(default_factory=dict)
    listed: set[str] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[GithubConnector]:
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", ()),
            cache=self.cache,
            say=self._hear,
            notes=self.notes,
            now=lambda: datetime.now(UTC) + self.ahead,
            http=lambda policy: HttpClient(replace(policy, allow=(self.hub.door, *self.doors))),
            credential=self._credential,
        )
        made = GithubConnector(configured(GithubConnector, {**self.hub.config, **self.config}), context)  # type: ignore[arg-type]
        try:
            yield made
        finally:
            await made.close()

    async def run(self, *, prepared: bool = False) -> list[Page]:
        """One pass, from where the last one came to its end or broke off; each page counts as published."""
        pages: list[Page] = []
        async with self.open() as connector:
            if prepared:
                await connector.prepare()
            async with aclosing(connector.fetch_pages(self.cursor, self.size)) as given:  # type: ignore[type-var]
                async for page in given:
                    pages.append(page)
                    self._publish(connector, page)
        return pages

    async def page(self) -> Page:
        """The next page alone, as a run that is killed behind it."""
        async with self.open() as connector, aclosing(connector.fetch_pages(self.cursor, self.size)) as given:  # type: ignore[type-var]
            page: Page = await anext(given)
            self._publish(connector, page)
        return page

    def _publish(self, connector: GithubConnector, page: Page) -> None:
        assert len(page.records) <= self.size
        turned = connector.transform(page)
        assert not turned.refused, turned.refused
        seen = {one.external_id: one for one in turned.items if isinstance(one, Item)}
        self.held |= seen
        self.listed = set() if page.opens else self.listed
        if self.listed is not None:
            self.listed |= seen.keys()
            if page.whole:
                self.held = {name: one for name, one in self.held.items() if name in self.listed}
            if page.last:
                self.listed = None
        self.cursor = page.cursor

    @property
    def there(self) -> dict[str, Item]:
        """What the catalog would hold, without tombstones."""
        return {name: one for name, one in self.held.items() if not one.deleted}

    def heard(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.said if name == event]

    def wrong(self, *, gone_too: bool = True) -> dict[str, tuple[Any, Any]]:
        """Where what is held is not what is true; with `gone_too`, also what is held and is not there any more."""
        true, there = self.hub.truth(), self.there
        ids = true.keys() | there.keys() if gone_too else true.keys()
        compared = {name: (_like(there.get(name), true.get(name)), true.get(name)) for name in ids}
        return {name: both for name, both in compared.items() if both[0] != both[1]}

    def _hear(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))

    async def _credential(self) -> Secret | None:
        return Secret(self.secret) if self.secret else None


def _like(held: Item | None, true: dict[str, Any] | None) -> dict[str, Any] | None:
    if held is None or true is None:
        return None if held is None else {"entity_type": held.entity_type}
    return {name: sorted(held.labels) if name == "labels" else getattr(held, name) for name in true}
