"""A repository that can be read: the questions that are asked of it, each one plumbing command."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windrow.connectors.git.command import Git, Order, Take

_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", re.ASCII)
_NO = frozenset({0, 1, 128})


@dataclass(frozen=True, slots=True)
class Object:
    """An object's type and size; `content` only if that was asked for."""

    sha: str
    type: str
    size: int
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository, by its git directory (a view of a local one, or our mirror of a remote one)."""

    git: Git
    git_dir: Path
    # the directory below which files are listed, `` for all
    prefix: str = ""
    # objects are missing on purpose
    partial: bool = False
    # where people look at it, if that is known
    web: str | None = None

    async def head(self) -> str | None:
        """The branch that HEAD names; None where it names a commit."""
        said = await self._answer("symbolic-ref", "-q", "HEAD", codes=_NO)
        name = said.strip().decode("utf-8", "surrogateescape")
        return name.removeprefix(_HEADS) if name.startswith(_HEADS) else None

    async def commit(self, name: str) -> str | None:
        """The commit that a full ref or SHA means, if it is there."""
        if name.startswith("-"):
            return None
        said = await self._answer("rev-parse", "-q", "--verify", f"{name}^{{commit}}", codes=_NO)
        sha = said.strip().decode("ascii", "replace")
        return sha if _SHA.fullmatch(sha) else None

    async def has(self, sha: str) -> bool:
        """Whether a commit is still there."""
        return (await self.commit(sha)) == sha

    async def precedes(self, older: str, newer: str) -> bool:
        """Whether one commit is an ancestor of the other."""
        answer = await self.git.answer(self._order("merge-base", "--is-ancestor", older, newer, codes=_NO))
        return answer.code == 0

    async def refs(self, *, branches: bool, tags: bool) -> dict[bytes, str]:
        """Where each branch and tag points, by full name."""
        kinds = [kind for kind, wanted in ((_HEADS, branches), (_TAGS, tags)) if wanted]
        if not kinds:
            return {}
        said = await self._answer("for-each-ref", "--format=%(objectname) %(refname)", *kinds)
        pairs = (line.partition(b" ") for line in said.splitlines())
        return {name: sha.decode("ascii") for sha, _, name in pairs}

    async def tree(self, tip: str, take: Take) -> None:
        """Every file of a commit: `MODE TYPE SHA SIZE<TAB>PATH`."""
        below = ("--", f"{self.prefix}/") if self.prefix else ()
        await self.git.walk(self._order("ls-tree", "-r", "-l", "-z", "--full-tree", tip, *below), take)

    async def touched(self, tip: str, without: str | None, take: Take) -> None:
        """What each commit changed, as raw differences; of a merge, what it changed beside merging."""
        # of a partial clone, only the objects' names can be compared
        alike = "-M100%" if self.partial else "-M"
        shown = ("-z", "--raw", "-c", alike, "-l400", "--no-abbrev", "--root", "--format=%H %ct")
        await self.git.walk(self._order("log", *shown, *self._range(tip, without)), take)

    async def commits(self, tip: str, bounds: Sequence[str], form: str, take: Take) -> None:
        """The commits behind a tip, within bounds."""
        order = self._order("log", "-z", f"--format={form}", *bounds, tip, settings=_mailmap(tip))
        await self.git.walk(order, take)

    async def details(self, shas: Sequence[str], tip: str, form: str, take: Take, *, longest: int) -> None:
        """These commits and no others, in this order."""
        asked = "".join(f"{sha}\n" for sha in shas).encode()
        order = self._order(
            "log", "-z", "--no-walk=unsorted", "--stdin", f"--format={form}", stdin=asked, settings=_mailmap(tip)
        )
        await self.git.walk(order, take, longest=longest)

    async def objects(self, names: Sequence[str], *, content: bool = False) -> dict[str, Object]:
        """Objects by the names under which they were asked for; those that are not there are left out."""
        if not names:
            return {}
        asked = "".join(f"{name}\n" for name in names).encode()
        kind = "--batch" if content else "--batch-check"
        said = await self._answer("cat-file", kind, stdin=asked)
        found = _contents(said) if content else _headings(said)
        return {name: each for name, each in zip(names, found, strict=True) if each is not None}

    async def _answer(self, *args: str, stdin: bytes = b"", codes: frozenset[int] = frozenset({0})) -> bytes:
        return (await self.git.answer(self._order(*args, stdin=stdin, codes=codes))).output

    def _order(
        self,
        *args: str,
        stdin: bytes = b"",
        codes: frozenset[int] = frozenset({0}),
        settings: dict[str, str] | None = None,
    ) -> Order:
        return Order(args=args, git_dir=self.git_dir, stdin=stdin, codes=codes, settings=settings or {})

    def _range(self, tip: str, without: str | None) -> tuple[str, ...]:
        return (tip, f"^{without}") if without else (tip,)


def _mailmap(tip: str) -> dict[str, str]:
    """Names and addresses as the commit itself says that they should be read."""
    return {"mailmap.blob": f"{tip}:.mailmap"}


def _headings(said: bytes) -> Iterator[Object | None]:
    for line in said.splitlines():
        yield _heading(line)


def _heading(line: bytes) -> Object | None:
    sha, _, rest = line.partition(b" ")
    kind, _, size = rest.partition(b" ")
    return Object(sha.decode("ascii"), kind.decode("ascii"), int(size)) if size.isdigit() else None


def _contents(said: bytes) -> Iterator[Object | None]:
    at = 0
    while at < len(said):
        end = said.index(b"\n", at)
        found = _heading(said[at:end])
        at = end + 1
        if found is None:
            yield None
            continue
        yield Object(found.sha, found.type, found.size, said[at : at + found.size])
        at += found.size + 1
