"""A remote repository's copy in our cache: bare, with a configuration of ours, brought up to date at the start of a pass.

It keeps what the remote has thrown away, so that what a force-push replaced can still be compared with.
"""

import hashlib
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from windrow.connectors.git.access import Access
from windrow.connectors.git.command import Git, Order
from windrow.connectors.git.config import Entity, GitConfig
from windrow.connectors.git.failures import GitFailed, fetch_failed
from windrow.connectors.git.lock import locked
from windrow.connectors.git.view import config
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http.urls import shown

_HEADS = "refs/heads/"
_PINNED_HEAD = "refs/windrow/head"
_ENOUGH_SPACE = 64 * 1024 * 1024
_LINE = re.compile(r"(?:ref: (?P<to>\S+)|(?P<sha>[0-9a-f]{40,64}))\t(?P<name>.+)")


@dataclass(frozen=True, slots=True)
class Advertised:
    """What the remote says that it has: its branches, and what HEAD is."""

    head: str | None
    branches: dict[str, str]
    detached: bool


class Mirror:
    """The copy of one repository."""

    def __init__(self, git: Git, wanted: GitConfig, cache: Path) -> None:
        assert wanted.url is not None
        self._git, self._wanted = git, wanted
        named = hashlib.sha256(wanted.url.encode()).hexdigest()[:16]
        self.git_dir = cache / f"mirror-{named}.git"
        self._lock = cache / f"mirror-{named}.lock"

    async def advertised(self, access: Access) -> Advertised:
        """Ask what is there, without fetching it."""
        order = self._order(access, "ls-remote", "--quiet", "--symref", "--", access.url, "HEAD", f"{_HEADS}*")
        try:
            answer = await self._git.answer(order)
        except GitFailed as error:
            raise fetch_failed(error, shown(access.url)) from error
        return _read(answer.output.decode("utf-8", "surrogateescape"))

    async def fetch(self, access: Access) -> None:
        """Bring it up to date."""
        async with locked(self._lock, patience=self._git.limits.answer_seconds):
            _prepare(self.git_dir, access.object_format)
            there = await self.advertised(access)
            branch = self._branch(there)
            try:
                await self._git.answer(self._fetching(access, there, branch))
            except GitFailed as error:
                self._explain(error)
                raise fetch_failed(error, shown(access.url)) from error
            await self._set_head(access, there, branch)
            await self._tidy(access)

    def _branch(self, there: Advertised) -> str | None:
        """The branch that is harvested; a missing one is found here, where it can be told."""
        wanted = self._wanted.branch
        if wanted is not None and wanted not in there.branches:
            raise missing_branch(wanted, list(there.branches))
        return wanted or there.head

    def _fetching(self, access: Access, there: Advertised, branch: str | None) -> Order:
        every = Entity.BRANCH in self._wanted.entities or branch not in there.branches
        specs = [f"+{_HEADS}*:{_HEADS}*"] if every else [f"+{_HEADS}{branch}:{_HEADS}{branch}"]
        if Entity.TAG in self._wanted.entities:
            specs.append("+refs/tags/*:refs/tags/*")
        if there.detached:
            specs.append(f"+HEAD:{_PINNED_HEAD}")
        plain = ("--quiet", "--force", "--prune", "--no-tags", "--no-recurse-submodules")
        alone = ("--no-auto-maintenance", "--no-write-fetch-head")
        return self._order(
            access,
            "fetch",
            *plain,
            *alone,
            "--",
            access.url,
            *specs,
            seconds=self._git.limits.fetch_seconds,
            largest_file=self._git.limits.clone_bytes,
        )

    async def _set_head(self, access: Access, there: Advertised, branch: str | None) -> None:
        if there.detached:
            await self._git.answer(self._order(access, "update-ref", "--no-deref", "HEAD", _PINNED_HEAD))
        else:
            name = f"{_HEADS}{branch or 'main'}"
            await self._git.answer(self._order(access, "symbolic-ref", "HEAD", name))

    async def _tidy(self, access: Access) -> None:
        """Every fetch leaves a pack; many of them make reading slow."""
        if len(list((self.git_dir / "objects" / "pack").glob("*.pack"))) > self._git.limits.packs:
            repack = ("repack", "-a", "-d", "-q", "--keep-unreachable")
            await self._git.answer(self._order(access, *repack, seconds=self._git.limits.fetch_seconds))

    def _explain(self, error: GitFailed) -> None:
        """What can be seen from here of why it failed."""
        largest = self._git.limits.clone_bytes
        if any(draft.stat().st_size >= largest for draft in _drafts(self.git_dir)):
            raise ValidationFailure(
                f"the repository is larger than {largest >> 20} MiB",
                code=Code.TOO_LARGE,
                hint="clone it by hand, and harvest the clone by its path",
            ) from error
        if shutil.disk_usage(self.git_dir).free < _ENOUGH_SPACE:
            raise Fatal(
                "the disk of the cache is full",
                code=Code.DISK_FULL,
                hint="free some space on that disk, then try again",
            ) from error

    def _order(
        self, access: Access, *args: str, seconds: float | None = None, largest_file: int | None = None
    ) -> Order:
        return Order(
            args=args,
            git_dir=self.git_dir,
            settings={**access.settings, "fetch.unpackLimit": "1", "core.compression": "1"},
            protocols=access.protocol,
            seconds=seconds,
            largest_file=largest_file,
        )


def missing_branch(name: str, there: list[str]) -> ValidationFailure:
    """The error for a branch that does not exist."""
    known = ", ".join(sorted(there)[:10]) or "none"
    return ValidationFailure(
        f"there is no branch {name!r}", code=Code.NOT_FOUND, hint=f"choose one of those that there are: {known[:300]}"
    )


def _prepare(git_dir: Path, object_format: str) -> None:
    """Make it, or clear away what a killed fetch has left: nobody else is at work in there while we hold the lock."""
    for name in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
        (git_dir / name).mkdir(parents=True, exist_ok=True)
    (git_dir / "config").write_text(config(object_format=object_format))
    head = git_dir / "HEAD"
    if not head.exists():
        head.write_text(f"ref: {_HEADS}main\n")
    for left in (*_drafts(git_dir), *git_dir.glob("*.lock"), *git_dir.glob("refs/**/*.lock")):
        with suppress(FileNotFoundError):
            left.unlink()


def _drafts(git_dir: Path) -> list[Path]:
    return list((git_dir / "objects" / "pack").glob("tmp_*"))


def _read(said: str) -> Advertised:
    """`ref: refs/heads/main<TAB>HEAD` and `SHA<TAB>NAME`; a plain web server does not tell which branch HEAD is."""
    lines = [found for line in said.splitlines() if (found := _LINE.fullmatch(line))]
    branches = {
        line["name"].removeprefix(_HEADS): line["sha"] for line in lines if line["sha"] and line["name"] != "HEAD"
    }
    to = next((line["to"] for line in lines if line["to"] and line["name"] == "HEAD"), "")
    sha = next((line["sha"] for line in lines if line["sha"] and line["name"] == "HEAD"), None)
    if to.startswith(_HEADS):
        return Advertised(to.removeprefix(_HEADS), branches, detached=False)
    alike = sorted(name for name, at in branches.items() if at == sha)
    head = next((name for name in ("main", "master", *alike) if name in alike), None)
    return Advertised(head, branches, detached=sha is not None and head is None)
