"""GitHub as a source: repositories of an account, their issues, pull requests, releases, labels, milestones, commits, docs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any, ClassVar

from pydantic import BaseModel

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.github import hearing, items
from windrow.connectors.github.account import Account, find_account
from windrow.connectors.github.api import Api, policy
from windrow.connectors.github.config import GithubConfig
from windrow.connectors.github.cursor import Way, read
from windrow.connectors.github.passing import Pass, begun, configuration
from windrow.connectors.github.walking import Walk
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes, PageSizes
from windrow.connectors.tidings import Delivery, Heard, Hearing, Reference
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page
from windrow.vault import Secret


class GithubConnector(Connector[GithubConfig], Hearing):
    """Reads GitHub's REST API. What a whole listing does not hold any more is gone; some of it is told before."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="github",
        version="1",
        title="GitHub: the repositories of a user or an organisation",
        source_system="github",
        config=GithubConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        # GitHub gives no more than a hundred
        page_sizes=PageSizes(largest=100),
        credential=Credential.OPTIONAL,
        credential_help=(
            "a token that may read metadata, issues, pull requests and contents; for a GitHub App (app_id) its private key, "
            "as PEM; none: what is public, at 60 requests an hour"
        ),
    )

    def __init__(self, config: GithubConfig, context: Context) -> None:
        super().__init__(config, context)
        self._kept = AsyncExitStack()
        self._api: Api | None = None
        self._account: Account | None = None

    async def prepare(self) -> list[Finding]:
        """Does the API answer, does it take the credential, and is the account there."""
        found = await self._owner()
        who = "the App's installation" if self.config.app_id else "the credential"
        proof = f"{who} is accepted" if await self.context.credential() else "none: only what is public is seen"
        return [
            Finding("account", True, f"{found.login} is there: {found.kind.lower()} {found.id}"),
            Finding("credential", True, proof),
        ]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor; everything, from none, and once a day."""
        way = read(cursor) if cursor is not None else None
        walk = Walk(await self._opened(), self.config, self.context.say)
        async with aclosing((await self._pass(walk, way)).pages(page_size)) as pages:
            async for page in pages:
                yield page

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return items.item(record)

    @classmethod
    def heard(cls, config: BaseModel, delivery: Delivery, secret: Secret) -> Heard | None:
        """What a webhook's delivery names."""
        assert isinstance(config, GithubConfig)
        return hearing.heard(config, delivery, secret)

    async def look_up(self, references: Sequence[Reference]) -> list[Any]:
        """The things that were named, as they are now."""
        return await hearing.look_up(await self._opened(), self.config, await self._owner(), references)

    def progress(self, cursor: Cursor) -> int | None:
        """Passes, repositories and lists, as one number."""
        return read(cursor).progress if cursor is not None else 0

    async def close(self) -> None:
        """Close the connections."""
        self._api = None
        await self._kept.aclose()

    async def _pass(self, walk: Walk, way: Way | None) -> Pass:
        """The pass that is under way, if its configuration is ours; else the next one."""
        if way is not None and way.place is not None and way.config == configuration(self.config):
            return Pass(walk, way, None)
        following = begun(way, self.config, self.context.now(), await self._owner())
        return Pass(walk, following, way)

    async def _owner(self) -> Account:
        """Asked for once a run, by whoever needs it first."""
        if self._account is None:
            self._account = await find_account(await self._opened(), self.config, self.context)
        return self._account

    async def _opened(self) -> Api:
        if self._api is None:
            client = await self._kept.enter_async_context(self.context.http(policy(self.config)))
            tool = ExecutionTool(self.spec.name, self.context, concurrency=self.spec.max_concurrency)
            self._api = Api(self.config, self.context, tool, client)
        return self._api
