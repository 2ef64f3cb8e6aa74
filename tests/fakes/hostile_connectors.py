"""Connectors whose sources misbehave: one reads JSON over HTTP, the other is handed its pages."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from typing import Any

from pydantic import BaseModel

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.spec import ConnectorSpec
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.page import Cursor, Page
from windrow.contracts.retry import RetryPolicy
from windrow.http import HttpPolicy

Pages = Callable[[Cursor, int], Iterator[Page]]
AT_ONCE = RetryPolicy(timedelta(0), timedelta(0), attempts=3)


class HostileConfig(BaseModel):
    """Where the first page is."""

    url: str = ""


class HostileConnector(Connector[HostileConfig]):
    """A plain connector of the kind that everybody writes: `{"items": […], "next": URL, "at": how far}`, page by page.

    Nothing in it looks out for trouble. That is the harvest's to do.
    """

    spec = ConnectorSpec(name="hostile", version="1", title="Hostile", source_system="hostile", config=HostileConfig)

    def __init__(self, config: HostileConfig, context: Context) -> None:
        super().__init__(config, context)
        self._http = context.http(HttpPolicy(source="hostile", hiccups=AT_ONCE))
        self._tool = ExecutionTool("hostile", context)

    async def prepare(self) -> list[Finding]:
        return [Finding("url", well=True, detail=self.config.url)]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        url = cursor["next"] if cursor else self.config.url
        while url:
            body = await self._tool.call("page", lambda at=url: self._read(at, page_size))
            position, url = url, body.get("next")
            after = {"next": url, "at": body.get("at")} if url else None
            yield Page(records=body["items"], cursor=after, position=position, last=not url)

    def item(self, record: Any) -> dict[str, Any]:
        return dict(record)

    def progress(self, cursor: Cursor) -> int | None:
        return cursor["at"] if cursor else None

    async def close(self) -> None:
        await self._http.__aexit__(None, None, None)

    async def _read(self, url: str, page_size: int) -> Any:
        answer = await self._http.get(url, params={"limit": page_size}, accept=("application/json",))
        return answer.json()


class HandedConnector(Connector[HostileConfig]):
    """Gives the pages that it was handed, whatever is in them."""

    spec = ConnectorSpec(name="handed", version="1", title="Handed", source_system="hostile", config=HostileConfig)

    def __init__(self, context: Context, pages: Pages) -> None:
        super().__init__(HostileConfig(), context)
        self._pages = pages

    async def prepare(self) -> list[Finding]:
        return [Finding("pages", well=True, detail="in memory")]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        for page in self._pages(cursor, page_size):
            yield page

    def item(self, record: Any) -> dict[str, Any]:
        return record["make"]() if "make" in record else dict(record)

    def progress(self, cursor: Cursor) -> int | None:
        return cursor.get("at") if isinstance(cursor, dict) else None
