"""Commits of the default branch, by what is behind its head.

A commit never changes, so one whose first page is the same has the same history. Where the head is another one, the two are
compared: that finds commits that were pushed long after they were made, which no date would, and after a rewritten history
the ones that are gone.
"""

import re
from typing import Any

from msgspec.structs import replace

from windrow.connectors.github import links
from windrow.connectors.github.api import Answer
from windrow.connectors.github.config import Entity
from windrow.connectors.github.cursor import Mark, Part, Way, packed
from windrow.connectors.github.parts import comparison, history
from windrow.connectors.github.walking import Step, Walk, condition

# it becomes part of paths
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_ALL, _AHEAD, _BEHIND = "all", "ahead", "behind"


async def read_commits(walk: Walk, way: Way, size: int) -> Step:
    """The next page of commits."""
    assert way.place
    match way.place.leg:
        case "":
            return await _head(walk, way, size)
        case "all":
            return await _all(walk, way, size)
        case leg:
            return await _compared(walk, way, size, leg)


async def _head(walk: Walk, way: Way, size: int) -> Step:
    """The first page, which begins with the head of the branch."""
    assert way.place
    known = way.known(way.place.repository)
    mark = known.marks.get(Part.COMMITS)
    per_page = 1 if _only_head(walk) else size
    asked = condition(way, mark, per_page)
    per_page = asked.size if asked else per_page
    answer = await walk.page(way, history(known, known.branch, per_page), size, asked)
    if isinstance(answer, Step):
        return answer
    if answer.same:
        assert mark
        return Step(walk.done(way, replace(mark, seen=0)))
    if answer.empty:
        return Step(walk.done(way, Mark()))
    payloads = answer.records()
    head = payloads[0]["sha"] if payloads else ""
    if head and not _SHA.fullmatch(head):
        raise ValueError("a commit is named by a hash")
    now = Mark(packed(answer.etag), per_page, head)
    return _from_head(walk, way, mark, now, answer)


def _from_head(walk: Walk, way: Way, mark: Mark | None, now: Mark, answer: Answer) -> Step:
    records = [] if _only_head(walk) else walk.given(way, answer.records())
    if Entity.COMMIT not in walk.config.entities:
        return Step(walk.done(way, now))
    if not way.whole and mark and mark.of:
        if mark.of == now.of:
            return Step(walk.done(way, now), records)
        return Step(walk.leg(way, _AHEAD, mark=now))
    if _only_head(walk) and now.of:
        return Step(walk.leg(way, _ALL, mark=now))
    if not answer.next:
        return Step(walk.done(way, now), records)
    return Step(walk.leg(way, _ALL, mark=now, link=links.pinned(answer.next, now.of)), records)


async def _all(walk: Walk, way: Way, size: int) -> Step:
    """The rest of the history behind a commit: the list stands, however the branch moves."""
    assert way.place
    known, head = way.known(way.place.repository), way.place.mark.of
    answer = await walk.page(way, history(known, head, size, walk.config.commits_since), size)
    if isinstance(answer, Step):
        return answer
    records = walk.given(way, [] if answer.empty else answer.records())
    if answer.next:
        return Step(walk.onwards(way, answer), records)
    return Step(walk.done(way, way.place.mark), records)


async def _compared(walk: Walk, way: Way, size: int, leg: str) -> Step:
    """What the new head has and the old one has not; then, where the history was rewritten, the other way round."""
    assert way.place
    place, known = way.place, way.known(way.place.repository)
    old, new = known.marks[Part.COMMITS].of, place.mark.of
    ends = (old, new) if leg == _AHEAD else (new, old)
    link = links.resized(place.link, size) if place.link else walk.api.path(comparison(known, *ends, size))
    answer = await walk.api.get(link, what="compare")
    if not answer.found:
        return _incomparable(walk, way, leg)
    payloads = answer.records("commits")
    rewritten = place.done or _status(answer.body) in ("diverged", "behind")
    records = walk.given(way, [each for each in payloads if _recent(walk, each)], gone=leg == _BEHIND)
    if answer.next:
        return Step(walk.onwards(way, answer, done=int(rewritten)), records)
    if leg == _AHEAD and rewritten:
        return Step(walk.leg(way, _BEHIND, mark=place.mark), records)
    return Step(walk.done(way, place.mark), records)


def _incomparable(walk: Walk, way: Way, leg: str) -> Step:
    """The old head is not known any more: the history is read anew, and what is gone is found by the next listing."""
    assert way.place
    way = replace(way, relist=True)
    if leg == _BEHIND:
        return Step(walk.done(way, way.place.mark if way.place else None))
    return Step(walk.leg(way, _ALL, mark=way.place.mark if way.place else Mark()))


def _only_head(walk: Walk) -> bool:
    """Whether the first page only tells what the head is: no commits are wanted, or not all of them."""
    return Entity.COMMIT not in walk.config.entities or walk.config.commits_since is not None


def _status(body: Any) -> str:
    return str(body.get("status")) if isinstance(body, dict) else ""


def _recent(walk: Walk, payload: Any) -> bool:
    first = walk.config.commits_since
    if first is None:
        return True
    try:
        return str(payload["commit"]["committer"]["date"]) >= f"{first:%Y-%m-%d}"
    except (TypeError, LookupError):
        return True
