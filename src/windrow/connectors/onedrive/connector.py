"""OneDrive and SharePoint as a source: what is in the drives of a user or a site, by the delta of Microsoft Graph."""

from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, ClassVar

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.onedrive import items
from windrow.connectors.onedrive.archive import Archive
from windrow.connectors.onedrive.config import OneDriveConfig
from windrow.connectors.onedrive.cursor import read
from windrow.connectors.onedrive.graph import Graph
from windrow.connectors.onedrive.passing import Passing
from windrow.connectors.onedrive.scope import Scope
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes, PageSizes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import WindrowError
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page


class OneDriveConnector(Connector[OneDriveConfig]):
    """Reads metadata of files and folders, and never their content."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="onedrive",
        version="1",
        title="OneDrive and SharePoint",
        source_system="onedrive",
        config=OneDriveConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        # the size is part of the links that the source gives out
        page_sizes=PageSizes(standard=200, fixed=True),
        credential=Credential.REQUIRED,
        credential_help="the client secret of the app registration, or a user's refresh token (sign_in=user); or JSON "
        "with `client_secret` and `refresh_token`",
        max_concurrency=4,
    )

    def __init__(self, config: OneDriveConfig, context: Context) -> None:
        super().__init__(config, context)
        self._opened: tuple[Graph, Passing] | None = None

    async def prepare(self) -> list[Finding]:
        """Can we sign in, is the drive there, and the folder."""
        _, passing = self._open()
        found, spots = await passing.drives(), await passing.spots()
        names = ", ".join(drive.name for drive in found[:5]) + (" …" if len(found) > 5 else "")
        findings = [Finding("sign-in", True, f"access is granted to the {self.config.sign_in} {self.config.client_id}")]
        findings.append(Finding("drives", True, f"{len(found)} can be read: {names}"))
        if self.config.folder is not None:
            findings.append(Finding("folder", True, f"{self.config.folder} is in {len(spots)} of them"))
        return findings

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor; everything, from none."""
        before = read(cursor) if cursor is not None else None
        _, passing = self._open()
        async with aclosing(passing.pages(cursor, before, page_size)) as pages:
            async for page in pages:
                yield page

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return items.item(record)

    def progress(self, cursor: Cursor) -> int | None:
        """Passes and pages, as one number."""
        return read(cursor).progress if cursor is not None else 0

    async def close(self) -> None:
        """Leave the folders to others, and give the connections back."""
        opened, self._opened = self._opened, None
        if opened is None:
            return
        graph, passing = opened
        try:
            with suppress(WindrowError):  # a hint for others: who cannot give it has lost nothing
                await passing.lend()
        finally:
            await graph.close()

    def _open(self) -> tuple[Graph, Passing]:
        if self._opened is None:
            tool = ExecutionTool(self.spec.name, self.context, concurrency=self.spec.max_concurrency)
            graph = Graph(self.config, self.context, tool)
            archive = Archive(self.context.cache / "folders")
            self._opened = graph, Passing(graph, self.config, self.context, archive, Scope(self.config))
        return self._opened
