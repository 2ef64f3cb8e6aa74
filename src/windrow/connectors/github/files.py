"""README and docs files, by the tree of a commit: what is there, and against the tree that was read last, what is gone."""

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from windrow.connectors.git.filters import Filter
from windrow.connectors.github.api import Answer
from windrow.connectors.github.cursor import Known, Mark, Part, Way
from windrow.connectors.github.items import Record
from windrow.connectors.github.parts import path
from windrow.connectors.github.walking import Step, Walk


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a commit that are wanted, by path. GitHub cuts very large ones short."""

    files: dict[str, Any]
    cut: bool


class Trees:
    """Reads trees; the last two are kept for the next page, since what a commit holds never changes."""

    def __init__(self, globs: tuple[str, ...]) -> None:
        self._filter = Filter(globs, ())
        self._kept: dict[tuple[str, str], Tree] = {}

    async def read(self, walk: Walk, way: Way, size: int) -> Step:
        """The next page of files; without a request, where the commit is the one that was read."""
        assert way.place
        known = way.known(way.place.repository)
        mark, commits = known.marks.get(Part.FILES), known.marks.get(Part.COMMITS)
        if commits is None:
            return Step(walk.done(way, mark))  # it was told already that the commits cannot be read
        earlier = mark if mark and not way.whole else None
        # a page of changes is of the commit that it began with
        now = Mark(of=way.place.mark.of or commits.of)
        if (earlier and earlier.of == now.of) or not now.of:
            emptied = bool(earlier and earlier.of != now.of)
            return Step(walk.done(replace(way, relist=way.relist or emptied), now))
        return await self._changes(walk, way, size, earlier, now)

    async def _changes(self, walk: Walk, way: Way, size: int, earlier: Mark | None, now: Mark) -> Step:
        assert way.place
        known, begin = way.known(way.place.repository), way.place.done
        tree = await self._tree(walk, known, now.of)
        if isinstance(tree, Answer):
            return await walk.pass_over(way, tree)
        before = await self._tree(walk, known, earlier.of) if earlier and earlier.of else None
        if isinstance(before, Answer):
            # not there any more: everything is told, and what is gone is found by the next listing
            way, before = replace(way, relist=True), None
        if tree.cut and not begin:
            way = walk.missing(way, "GitHub cuts the list of its files short: it has too many")
        records = self._records(walk, way, tree, before)
        page = records[begin : begin + size]
        if begin + size < len(records):
            return Step(walk.leg(way, "", done=begin + size, mark=now), page)
        return Step(walk.done(way, now), page)

    def _records(self, walk: Walk, way: Way, tree: Tree, before: Tree | None) -> list[Record]:
        known = before.files if before else {}
        fresh = [entry for name, entry in sorted(tree.files.items()) if known.get(name) != entry]
        gone = [] if tree.cut else [entry for name, entry in sorted(known.items()) if name not in tree.files]
        return [*walk.given(way, fresh), *walk.given(way, gone, gone=True)]

    async def _tree(self, walk: Walk, known: Known, commit: str) -> Tree | Answer:
        if (found := self._kept.get((known.name, commit))) is not None:
            return found
        link = walk.api.path(path(known, Part.FILES, f"/{commit}?recursive=1"))
        answer = await walk.api.get(link, what="tree")
        if not answer.found:
            return answer
        while len(self._kept) > 1:
            del self._kept[next(iter(self._kept))]
        tree = self._kept[known.name, commit] = self._wanted(answer.body)
        return tree

    def _wanted(self, body: Any) -> Tree:
        entries = body.get("tree") if isinstance(body, dict) else None
        files = {
            entry["path"]: {name: entry.get(name) for name in ("path", "sha", "mode", "size")}
            for entry in entries or ()
            if entry.get("type") == "blob" and self._filter.lists(entry["path"].encode("utf-8", "surrogateescape"))
        }
        return Tree(files, bool(body.get("truncated")) if isinstance(body, dict) else True)
