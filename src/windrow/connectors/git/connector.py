"""A git repository as a source: files at the tip of a branch, commits, authors, branches and tags."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.git import executable, items
from windrow.connectors.git.command import Git, Limits, Order
from windrow.connectors.git.config import GitConfig
from windrow.connectors.git.cursor import read
from windrow.connectors.git.executable import Version
from windrow.connectors.git.mirror import missing_branch
from windrow.connectors.git.planning import Plan
from windrow.connectors.git.source import Source
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page


class GitConnector(Connector[GitConfig]):
    """Reads a repository with the `git` of this machine, and writes to none but its own copies."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="git",
        version="1",
        title="Git repository",
        source_system="git",
        config=GitConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.REPORTED, incremental=True),
        credential=Credential.OPTIONAL,
        credential_help="a token (or `user:password`) that may read the repository; for https only",
        path_fields=("path",),
    )
    limits: ClassVar[Limits] = Limits()

    async def prepare(self) -> list[Finding]:
        """Is git there, is the repository, and is there something to read."""
        source, version = await self._source()
        found = [Finding("git", True, f"git {version} is installed")]
        if source.remote:
            branches = await source.branches()
            if self.config.branch is not None and self.config.branch not in branches:
                raise missing_branch(self.config.branch, branches)
            return [*found, Finding("repository", True, f"it answers, and has {len(branches)} branches")]
        now = await self._plan(source).look(await source.opened())
        found.append(Finding("repository", True, f"{self.config.local_path} can be read"))
        tip = f"is at {now.tip[:12]}" if now.tip else "has no commit yet"
        return [*found, Finding("branch", True, f"{now.branch or 'HEAD'} {tip}")]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor; everything, from none."""
        way = read(cursor) if cursor is not None else None
        source, _ = await self._source()
        following = await self._plan(source).next_pass(way)
        if following is None:
            yield Page(records=(), cursor=cursor, position="nothing has changed", last=True)
            return
        async with aclosing(following.pages(page_size)) as pages:
            async for page in pages:
                yield page

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return items.item(record)

    def progress(self, cursor: Cursor) -> int | None:
        """Passes, phases and changes, as one number."""
        return read(cursor).progress if cursor is not None else 0

    def _plan(self, source: Source) -> Plan:
        return Plan(source, self.config, self.context)

    async def _source(self) -> tuple[Source, Version]:
        """Where the repository is, with a git that is new enough to read it safely."""
        home = self.context.cache / "home"
        home.mkdir(parents=True, exist_ok=True)
        git = Git(
            executable.find(),
            ExecutionTool(self.spec.name, self.context, concurrency=self.spec.max_concurrency),
            home=home,
            cancelled=self.context.cancelled,
            limits=self.limits,
        )
        source = Source(git, self.config, self.context)
        version = Version.parse((await git.answer(Order(args=("version",)))).output)
        version.need(executable.OLDEST_REMOTE if source.remote else executable.OLDEST)
        return source, version
