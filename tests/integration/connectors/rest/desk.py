"""A definition, a connector for it, and pages read from a server on loopback."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

from tests.fakes.web import Web, answer

from windrow.connectors.configuration import configured
from windrow.connectors.permits import Permits
from windrow.connectors.rest import RestConnector
from windrow.connectors.standalone import MemoryNotes, standalone
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret

ITEM = {"entity_type": "thing", "external_id": "thing:{record.id}", "display_name": "{record.name}"}


def stream(**more: Any) -> dict[str, Any]:
    return {"path": "things", "item": ITEM, **more}


def things(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": number, "name": f"Thing {number}"} for number in numbers]


@dataclass
class Desk:
    """An endpoint of a web server's API."""

    web: Web
    credential: str | None = None
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    notes: MemoryNotes = field(default_factory=MemoryNotes)

    def connector(self, streams: dict[str, Any], **more: Any) -> RestConnector:
        definition = {"version": 1, "base_url": self.web.url("/api/"), "streams": streams, **more}
        return self.made({"definition": definition})

    def made(self, config: dict[str, Any], root: Path = Path("/nowhere")) -> RestConnector:
        async def credential() -> Secret | None:
            return Secret(self.credential) if self.credential else None

        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", (root,)),
            cache=Path("/nowhere"),
            credential=credential,
            http=lambda policy: HttpClient(replace(policy, allow=(self.web.door,))),
            now=lambda: self.now,
            say=self._say,
            notes=self.notes,
        )
        typed = configured(RestConnector, config)
        return RestConnector(cast("Any", typed), context)

    def _say(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))


async def read(connector: RestConnector, cursor: Any = None, size: int = 50, most: int = 1000) -> list[Page]:
    """Pages, up to the last one or to as many as are wanted."""
    found: list[Page] = []
    async with aclosing(cast("Any", connector.fetch_pages(cursor, size))) as pages:
        async for page in pages:
            found.append(page)
            if len(found) == most:
                break
    return found


def ids(connector: RestConnector, pages: list[Page]) -> list[str]:
    made = [connector.transform(page) for page in pages]
    return [each.external_id for one in made for each in one.items if not isinstance(each, dict)]


@asynccontextmanager
async def desk(**more: Any) -> AsyncIterator[Desk]:
    async with Web() as web:
        yield Desk(web, **more)


def by_query(rows: Callable[[dict[str, str]], Any], headers: dict[str, str] | None = None) -> Any:
    """An answer that depends on the query: rows for it, and headers."""

    async def respond(exchange: Any) -> None:
        asked = dict(parse_qsl(exchange.request.target.partition("?")[2]))
        await exchange.send(answer(200, rows(asked), headers))

    return respond
