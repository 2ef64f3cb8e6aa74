"""From an endpoint's configuration to a repository that can be read: in place, or from our copy of it."""

import hashlib
from dataclasses import dataclass

from windrow.connectors.context import Context
from windrow.connectors.git.access import Access, open_access
from windrow.connectors.git.command import Git, Order
from windrow.connectors.git.config import GitConfig
from windrow.connectors.git.local import Located, locate
from windrow.connectors.git.mirror import Mirror
from windrow.connectors.git.repository import Repository
from windrow.connectors.git.view import raise_view

_FORMATS = frozenset({"sha1", "sha256"})


@dataclass(frozen=True, slots=True)
class Source:
    """Where one endpoint's repository is."""

    git: Git
    wanted: GitConfig
    context: Context

    @property
    def remote(self) -> bool:
        return self.wanted.local_path is None

    async def opened(self) -> Repository:
        """The repository as we have it: a remote one as it was fetched last."""
        path = self.wanted.local_path
        if path is None:
            return Repository(self.git, self._mirror.git_dir, web=self.wanted.url)
        return await self._view(locate(path, self.context.permits))

    async def refreshed(self) -> Repository:
        """The repository as it is now."""
        if self.remote:
            await self._mirror.fetch(await self.access())
        return await self.opened()

    async def access(self) -> Access:
        """The way to a remote one, after it was found to be open."""
        assert self.wanted.url is not None
        return await open_access(self.wanted.url, self.wanted.username, self.context)

    async def branches(self) -> list[str]:
        """The branches of a remote one, without fetching it."""
        return list((await self._mirror.advertised(await self.access())).branches)

    @property
    def _mirror(self) -> Mirror:
        return Mirror(self.git, self.wanted, self.context.cache)

    async def _view(self, located: Located) -> Repository:
        object_format = await self._setting(located, "extensions.objectformat") or "sha1"
        named = hashlib.sha256(str(located.head).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        view = raise_view(
            self.context.cache / f"view-{named}.git",
            located,
            object_format=object_format if object_format in _FORMATS else "sha1",
        )
        origin = await self._setting(located, "remote.origin.url")
        return Repository(self.git, view, prefix=located.prefix, partial=located.partial, web=origin)

    async def _setting(self, located: Located, name: str) -> str | None:
        """A value of the repository's configuration, read as any file would be: nothing else of it takes effect."""
        file = located.common / "config"
        order = Order(
            args=("config", "--file", str(file), "--no-includes", "--get", name), codes=frozenset({0, 1, 128})
        )
        said = (await self.git.answer(order)).output
        return said.decode("utf-8", "replace").strip() or None
