"""A Confluence site as a source: spaces, pages, blog posts, comments and attachments, as metadata."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar

from windrow.connectors.confluence import items
from windrow.connectors.confluence.config import ConfluenceConfig, Edition
from windrow.connectors.confluence.cursor import Way, begin, fingerprint, read
from windrow.connectors.confluence.describing import Describer
from windrow.connectors.confluence.lists import Catalogue
from windrow.connectors.confluence.paging import Counted, Linked
from windrow.connectors.confluence.passing import Pass
from windrow.connectors.confluence.site import Site
from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes, PageSizes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page


class ConfluenceConnector(Connector[ConfluenceConfig]):
    """Lists a site, then asks for what changed; things that are gone are told by the trash, and by listing anew."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="confluence",
        version="1",
        title="Confluence",
        source_system="confluence",
        config=ConfluenceConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        page_sizes=PageSizes(smallest=50, standard=200, largest=250, fixed=True),
        credential=Credential.OPTIONAL,
        credential_help="an API token of the account that `email` names; or, without `email`, an OAuth access token or a "
        "personal access token, or `user:password`; it needs to read the spaces, and nothing else",
    )

    def __init__(self, config: ConfluenceConfig, context: Context) -> None:
        super().__init__(config, context)
        self._tool = ExecutionTool(self.spec.name, context, concurrency=self.spec.max_concurrency)
        self._space_ids: list[str] | None = None

    async def prepare(self) -> list[Finding]:
        """Does the site answer, as whom, and are the configured spaces there."""
        async with self._site() as site:
            who = await site.whoami()
            known = who.get("type") == "known" or bool(who.get("accountId") or who.get("username"))
            if not known and await self.context.credential() is not None:
                raise _stranger()
            await self._spaces(site)
        account = "an account that it knows" if known else "anybody"
        found = [Finding("site", True, f"{self.config.base_url} answers, as to {account}")]
        if self.config.spaces:
            found.append(Finding("spaces", True, f"{len(self.config.spaces)} of them are there"))
        return found

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor; everything, from none and once in a while."""
        way = self._way(cursor)
        async with self._site() as site:
            catalogue = Catalogue(self.config, await self._spaces(site))
            assert way.kind, "a pass is about something"
            paging = Linked if self.config.edition is Edition.CLOUD else Counted
            following = Pass(
                config=self.config,
                lists=catalogue.of(way.kind, way.since),
                paging=paging(site, self.context.say),
                describer=Describer(site, self.context.say),
                way=way,
            )
            async with aclosing(following.pages(page_size)) as pages:
                async for page in pages:
                    yield page

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return items.item(record)

    def _way(self, cursor: Cursor) -> Way:
        """The pass under way, or the one that is due."""
        before = read(cursor) if cursor is not None else None
        if before and before.kind and before.began and before.config == fingerprint(self.config):
            return before
        return begin(before, self.config, self.context.now())

    async def _spaces(self, site: Site) -> list[str]:
        """The ids of the configured spaces, asked for once in a slice."""
        if self._space_ids is None:
            self._space_ids = await site.space_ids()
        return self._space_ids

    def _site(self) -> Site:
        return Site(self.config, self.context, self._tool)


def _stranger() -> Fatal:
    return Fatal(
        "the site answers as to a stranger: it does not know the credential",
        code=Code.UNAUTHORIZED,
        hint="check the credential, and `email` where it is an API token",
    )
