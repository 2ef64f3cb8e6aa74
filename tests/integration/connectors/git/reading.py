"""Harvests a repository as a run would."""

from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windrow.connectors.configuration import configured
from windrow.connectors.git import GitConnector
from windrow.connectors.git.command import Limits
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret


@dataclass
class Reader:
    """Harvests a repository. Everything is permitted below one directory; `addresses` are open for HTTP."""

    permitted: Path
    cache: Path
    config: dict[str, Any] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    secret: str | None = None
    limits: Limits = field(default_factory=Limits)
    cancelled: bool = False
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    cursor: Any = None

    def connector(self, **config: Any) -> GitConnector:
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", (self.permitted.resolve(),)),
            cache=self.cache,
            say=self._hear,
            http=lambda policy: HttpClient(replace(policy, allow=self.addresses)),
            credential=self._credential,
            cancelled=lambda: self.cancelled,
        )
        made = GitConnector(configured(GitConnector, {**self.config, **config}), context)  # type: ignore[arg-type]
        made.limits = self.limits  # type: ignore[misc]
        return made

    def _hear(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))

    async def _credential(self) -> Secret | None:
        return Secret(self.secret) if self.secret else None

    async def pages(self, cursor: Any = None, size: int = 50, **config: Any) -> list[Page]:
        async with aclosing(self.connector(**config).fetch_pages(cursor, size)) as pages:  # type: ignore[type-var]
            return [page async for page in pages]

    async def items(self, cursor: Any = None, size: int = 50, **config: Any) -> dict[str, Item]:
        """By external id; the cursor behind them is kept."""
        pages = await self.pages(cursor, size, **config)
        self.cursor = pages[-1].cursor
        return items_of(pages)

    async def later(self, **config: Any) -> dict[str, Item]:
        """What has changed since the last time."""
        return await self.items(self.cursor, **config)

    def heard(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.said if name == event]


def items_of(pages: list[Page]) -> dict[str, Item]:
    connector = GitConnector.item
    return {one.external_id: one for page in pages for one in (connector(None, record) for record in page.records)}  # type: ignore[arg-type]


def left(*passes: dict[str, Item]) -> dict[str, Item]:
    """What these passes leave behind, one after the other."""
    kept: dict[str, Item] = {}
    for each in passes:
        kept |= each
    return {name: one for name, one in kept.items() if not one.deleted}
