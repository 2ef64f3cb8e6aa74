"""What to do next: go on with a pass, look at what has changed since the last one, or list everything anew.

Everything is listed anew where the way from the last snapshot cannot be told: under another configuration, another
branch, or where the commit that was harvested last is gone and our cache does not know its lists either.
"""

from dataclasses import dataclass

from windrow.connectors.context import Context
from windrow.connectors.files.naming import escaped
from windrow.connectors.git.config import Entity, GitConfig
from windrow.connectors.git.cursor import Way, fingerprint
from windrow.connectors.git.lists import Lists
from windrow.connectors.git.mirror import missing_branch
from windrow.connectors.git.passing import Pass
from windrow.connectors.git.repository import Repository
from windrow.connectors.git.shelf import Shelf
from windrow.connectors.git.snapshot import Snapshot, packed, sorted_refs, unpacked
from windrow.connectors.git.source import Source
from windrow.contracts.errors import Code, Fatal

# a change of what lists or items look like makes everything be listed anew
FORM = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """Plans the passes of one endpoint."""

    source: Source
    wanted: GitConfig
    context: Context

    async def next_pass(self, way: Way | None) -> Pass | None:
        """The pass behind a cursor; None where nothing has happened since."""
        if way is not None and not way.finished and (again := await self._resumed(way, await self.source.opened())):
            return again
        repository = await self.source.refreshed()
        if way is None:
            return await self._anew(repository, 1)
        if not way.finished and (again := await self._resumed(way, repository)):
            return again
        now = await self.look(repository)
        if way.finished and way.config == self._config(repository) and way.now == now:
            return None
        if why := await self._no_way_from(way, repository, now):
            self.context.say("git.relisted", reason=why)
            return await self._anew(repository, way.pass_ + 1)
        return self._pass(repository, way.pass_ + 1, now, before=way.now)

    async def look(self, repository: Repository) -> Snapshot:
        """The repository at this moment."""
        branch = self.wanted.branch or await repository.head()
        tip = await repository.commit(f"refs/heads/{branch}" if branch else "HEAD")
        if tip is None:
            await self._explain(branch, repository)
        kinds = self.wanted.entities
        refs = await repository.refs(branches=Entity.BRANCH in kinds, tags=Entity.TAG in kinds)
        named = escaped(branch.encode("utf-8", "surrogateescape")) if branch else None
        return Snapshot(tip, named, packed(sorted_refs(refs), self._shelf))

    async def _resumed(self, way: Way, repository: Repository) -> Pass | None:
        """The pass that was under way, if all that it needs is still there."""
        if way.config != self._config(repository) or way.phase not in self._entities:
            return None
        if way.now.tip is not None and not await repository.has(way.now.tip):
            return None
        if unpacked(way.now.refs, self._shelf) is None:
            return None
        if way.before is not None and await self._lost(way.before, repository):
            return None
        return self._made(repository, way)

    async def _no_way_from(self, way: Way, repository: Repository, now: Snapshot) -> str | None:
        """Why it cannot be told what has changed since a cursor."""
        if way.config != self._config(repository):
            return "the configuration is another one"
        if not way.finished:
            return "the pass that was under way cannot be continued: its commit or refs are gone"
        if way.now.branch != now.branch:
            return "HEAD names another branch"
        if (way.now.tip is None) != (now.tip is None):
            return "the branch has come into being or has gone"
        return await self._lost(way.now, repository)

    async def _lost(self, moment: Snapshot, repository: Repository) -> str | None:
        if unpacked(moment.refs, self._shelf) is None:
            return "where the branches and tags were is not in the cache of this machine"
        lists = self._lists(repository)
        if moment.tip is None or lists.has(moment.tip) or await repository.has(moment.tip):
            return None
        return f"the commit {moment.tip[:12]} that was harvested last is gone"

    async def _anew(self, repository: Repository, number: int) -> Pass:
        return self._pass(repository, number, await self.look(repository))

    def _pass(self, repository: Repository, number: int, now: Snapshot, before: Snapshot | None = None) -> Pass:
        config = self._config(repository)
        way = Way(config=config, pass_=number, now=now, before=before, phase=self._entities[0])
        return self._made(repository, way)

    def _made(self, repository: Repository, way: Way) -> Pass:
        lists = self._lists(repository)
        return Pass(repository=repository, lists=lists, shelf=self._shelf, entities=self._entities, way=way)

    @property
    def _entities(self) -> tuple[Entity, ...]:
        return tuple(entity for entity in Entity if entity in self.wanted.entities)

    @property
    def _shelf(self) -> Shelf:
        return Shelf(self.context.cache / "lists")

    def _lists(self, repository: Repository) -> Lists:
        return Lists(repository, self._shelf, self.wanted, self._config(repository))

    def _config(self, repository: Repository) -> str:
        """All that the items depend on beside the repository's content."""
        said = self.wanted.model_dump(mode="json", exclude={"username", "entities"})
        kept = [repository.prefix, repository.partial, repository.web, list(self._entities)]
        return fingerprint([FORM, said, kept])

    async def _explain(self, branch: str | None, repository: Repository) -> None:
        """No tip is fine where nothing was committed yet, and only there."""
        there = await repository.refs(branches=True, tags=False)
        heads = [name.removeprefix(b"refs/heads/").decode("utf-8", "replace") for name in there]
        if branch is None or branch in heads:
            raise Fatal(
                f"{'the branch ' + branch if branch else 'HEAD'} names a commit that is not in the repository",
                code=Code.CORRUPTED,
                hint="check the repository with `git fsck`",
            )
        if self.wanted.branch is not None:
            raise missing_branch(self.wanted.branch, heads)
