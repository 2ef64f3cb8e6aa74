"""The source of the stories: a gazette whose issues are numbered and, once printed, say the same for ever.

So whatever dies and asks again is told the same, and what the catalog must hold in the end is known beforehand. It is
served over HTTP from the test's own process: `GET /live?issue=3`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel
from tests.fakes.web import Exchange, Web, answer

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.spec import Capabilities, ConnectorSpec, Deletes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.page import Cursor, Page
from windrow.http import HttpPolicy

Record = dict[str, Any]
# an issue of more bytes than this is printed on two sheets: it becomes two batches
BATCH_BYTES = 5000


@dataclass(frozen=True)
class Issue:
    """One page; a register is a run of issues of which the first opens it and the last makes it whole."""

    records: tuple[Record, ...]
    opens: bool = False
    whole: bool = False
    # a record that keeps the contract of no item
    refused: int = 0
    # told twice in the same issue
    repeats: int = 0
    # how many batches it becomes
    sheets: int = 1

    @property
    def items(self) -> list[Record]:
        """What it comes to: of what is told twice, the last word; nothing of what is refused."""
        last = {record["external_id"]: record for record in self.records}
        kept = [record for record in self.records if last[record["external_id"]] is record]
        return [record for record in kept if "display_name" in record]


def thing(name: str, said: str | None = None, **more: Any) -> Record:
    return {"entity_type": "thing", "external_id": name, "display_name": said or f"The {name}", **more}


def gone(name: str) -> Record:
    return thing(name, deleted=True)


def near(*names: str) -> list[dict[str, str]]:
    return [{"type": "near", "target": name} for name in names]


_SHELF = [thing(f"t{n:02}", labels=["old"], relations=near(f"t{n - 1:02}") if n else []) for n in range(12)]
_WORDS = {"about": " ".join(f"word{n}" for n in range(250))}

EDITIONS: dict[str, tuple[Issue, ...]] = {
    # asked for first: what live says later stands above it, in whatever order they are persisted
    "backfill": (
        Issue(
            (
                thing("t00", "As it once was"),
                thing("t04", "As it once was"),
                gone("t06"),
                thing("past", relations=near("t00")),
                _SHELF[8],
            )
        ),
    ),
    "live": (
        # a first register: everything is new
        Issue(tuple(_SHELF), opens=True, whole=True),
        # changes, a tombstone, a thing told twice, one that is refused; too large for one batch
        Issue(
            (
                thing("t01", "Renamed", relations=near("t05", "new")),
                gone("t02"),
                thing("t03", "First word", attributes=_WORDS),
                {"entity_type": "thing", "external_id": "blank"},
                thing("t03", "Last word", attributes=_WORDS),
                thing("new", attributes=_WORDS, relations=near("t01")),
                thing("newer", attributes=_WORDS),
            ),
            refused=1,
            repeats=1,
            sheets=2,
        ),
        # a second register, in which t04 and t07 are missing; t01 and t03 are as they were, and t02 is back
        Issue((*_SHELF[:2], thing("t02", "Back again"), _SHELF[3], _SHELF[5], thing("new")), opens=True),
        Issue((_SHELF[6], *_SHELF[8:], thing("newer", labels=["new"])), whole=True),
    ),
}
LANES = {"backfill:spring": "backfill", "live": "live"}  # in the order of asking


class GazetteConfig(BaseModel):
    """Where it is sold."""

    url: str


class GazetteConnector(Connector[GazetteConfig]):
    """Reads one edition, issue by issue; the cursor is the number of the next one."""

    spec = ConnectorSpec(
        name="gazette",
        version="1.0",
        title="A gazette on loopback",
        source_system="gazette",
        config=GazetteConfig,
        capabilities=Capabilities(deletes=Deletes.LISTED, incremental=True),
    )

    def __init__(self, config: GazetteConfig, context: Context, edition: str) -> None:
        super().__init__(config, context)
        self._edition = edition
        self._tool = ExecutionTool("gazette", context)
        self._client = context.http(HttpPolicy(source="gazette", allow=(urlsplit(config.url).netloc,)))

    async def prepare(self) -> list[Finding]:
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:  # noqa: ARG002 - it is printed
        number = cursor["issue"] if cursor else 0
        while True:
            told = await self._tool.call("source/issue", partial(self._issue, number))
            number = told["next"]
            yield Page(
                records=told["records"],
                cursor={"issue": number},
                position=f"before {number}",
                last=told["last"],
                opens=told["opens"],
                whole=told["whole"],
            )
            if told["last"]:
                return

    def item(self, record: Any) -> dict[str, Any]:
        return dict(record)

    def progress(self, cursor: Cursor) -> int | None:
        return cursor["issue"] if cursor else 0

    async def close(self) -> None:
        await self._client.__aexit__(None, None, None)

    async def _issue(self, number: int) -> Any:
        return (await self._client.get(f"{self.config.url}/{self._edition}", params={"issue": number})).json()


def sell(web: Web) -> str:
    """Let the web serve the gazette; where."""

    async def serve(exchange: Exchange) -> None:
        asked = urlsplit(exchange.request.target)
        number = int(parse_qs(asked.query)["issue"][0])
        await exchange.send(answer(body=_told(EDITIONS[asked.path[1:]], number)))

    for edition in EDITIONS:
        web.on(f"/{edition}", serve)
    return web.url("").rstrip("/")


def _told(edition: tuple[Issue, ...], number: int) -> dict[str, Any]:
    issue = edition[number] if number < len(edition) else Issue(())
    after = min(number + 1, len(edition))
    return {
        "records": issue.records,
        "opens": issue.opens,
        "whole": issue.whole,
        "next": after,
        "last": after == len(edition),
    }


def as_it_is_now() -> dict[str, Record]:
    """What the source holds after its last issue: the backfill asked first, the live edition stands above it."""
    held: dict[str, Record] = {}
    register: set[str] = set()
    # told since the first register began: what a register may miss
    known: set[str] = set()
    for issue in (issue for edition in LANES.values() for issue in EDITIONS[edition]):
        told = {item["external_id"]: item for item in issue.items}
        register = set(told) if issue.opens else register | set(told)
        held = {name: item for name, item in (held | told).items() if not item.get("deleted")}
        if issue.whole:
            held = {name: item for name, item in held.items() if name in register or name not in known}
        known = known | set(told) if known or issue.opens else known
    return held
