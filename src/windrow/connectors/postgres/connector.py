"""The connector: passes over a Postgres server, page by page."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.postgres import items
from windrow.connectors.postgres.catalogue import Catalogue
from windrow.connectors.postgres.config import PostgresConfig, Tls
from windrow.connectors.postgres.limits import Limits
from windrow.connectors.postgres.naming import external_id, names
from windrow.connectors.postgres.passing import Pass, databases
from windrow.connectors.postgres.place import Place
from windrow.connectors.postgres.sampling import sample
from windrow.connectors.postgres.session import Server
from windrow.connectors.spec import LARGEST_PAGE, Capabilities, ConnectorSpec, Credential, Deletes, PageSizes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import WindrowError
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page

_ENCRYPTED = {
    Tls.VERIFY: "encrypted, and the server's name is verified",
    Tls.ENCRYPT: "encrypted, to whoever answers",
    Tls.NONE: "not encrypted",
}


class PostgresConnector(Connector[PostgresConfig]):
    """Reads the server's own catalogs, in transactions that write nothing."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="postgres",
        version="1",
        title="Postgres server",
        source_system="postgres",
        config=PostgresConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        page_sizes=PageSizes(standard=LARGEST_PAGE),
        credential=Credential.REQUIRED,
        credential_help="The password of `user`, who needs CONNECT on the databases and USAGE on the schemas.",
    )

    limits: ClassVar[Limits] = Limits()

    def __init__(self, config: PostgresConfig, context: Context) -> None:
        super().__init__(config, context)
        tool = ExecutionTool(self.spec.name, context, concurrency=self.spec.max_concurrency)
        self._server = Server(config, context, tool, self.limits)

    async def prepare(self) -> list[Finding]:
        """Whether the server lets us in, which databases it has for us, and whether the first can be looked into."""
        found = await databases(self._server)
        entered = [name for name, is_open in found.items() if is_open]
        shut = [name for name in found if name not in entered]
        told = [
            Finding("server", well=True, detail=f"it lets {self.config.user} in, {_ENCRYPTED[self.config.tls]}"),
            _finding(
                "databases", f"{len(found)} to harvest", "may not enter", shut, "grant CONNECT, or see `databases`"
            ),
        ]
        for name in entered[:1]:
            async with self._server.enter(name) as session:
                hidden = (await Catalogue.open(session, self.config)).shut
            told.append(
                _finding("schemas", f"those of {name} are open", "no USAGE on", hidden, "grant it, or see `exclude`")
            )
        return told

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor, by whole databases; everything, from none."""
        following = Pass(self._server, self.context, Place.of(cursor))
        async with aclosing(following.pages(page_size)) as pages:
            async for page in pages:
                yield page

    def item(self, record: Any) -> Item:
        """A database, a schema, a table or a view."""
        return items.item(record)

    async def samples(self, shown: Sequence[str]) -> Mapping[str, list[dict[str, Any]]]:
        """A few rows of each table that a preview shows."""
        found: dict[str, list[dict[str, Any]]] = {}
        tables = [parts for parts in map(names, shown) if len(parts) == 3] if self.config.preview_rows else []
        for database in dict.fromkeys(parts[0] for parts in tables):
            try:
                async with self._server.enter(database) as session:
                    for _, schema, name in (parts for parts in tables if parts[0] == database):
                        if rows := await sample(session, schema, name, self.config.preview_rows):
                            found[external_id(database, schema, name)] = rows
            except (WindrowError, UnicodeError) as error:
                # the items are what was asked for; rows beside them are a help
                self.context.say("connector.skipped", position=f"rows of {external_id(database)}", reason=str(error))
        return found

    def progress(self, cursor: Cursor) -> int:
        """Passes, and within a pass what was listed of it."""
        return Place.of(cursor).progress


def _finding(name: str, well: str, unwell: str, shut: list[str], hint: str) -> Finding:
    if not shut:
        return Finding(name, well=True, detail=well)
    some = ", ".join(shut[:5]) + (" …" if len(shut) > 5 else "")
    return Finding(name, well=False, detail=f"{unwell} {some}", hint=hint)
