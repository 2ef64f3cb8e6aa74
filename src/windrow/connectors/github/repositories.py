"""The list of repositories: with it every pass begins, and by it one learns which of them are new, renamed or gone."""

import re
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from windrow.connectors.github import links
from windrow.connectors.github.account import unreadable
from windrow.connectors.github.api import Answer
from windrow.connectors.github.config import Entity, GithubConfig
from windrow.connectors.github.cursor import HOME, Known, Mark, Part, Way, packed, unpacked
from windrow.connectors.github.items import Record, record
from windrow.connectors.github.walking import Step, Walk, condition
from windrow.contracts.errors import RetryableTransient

_MOST_RESTARTS = 5
# it becomes part of paths
_FULL_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+", re.ASCII)


async def read_repositories(walk: Walk, way: Way, size: int) -> Step:
    """The next page of repositories. What the pass knows of them comes with them from the pass before."""
    assert way.place
    first, asked = not way.place.link, condition(way, way.mark, size)
    per_page = asked.size if asked else size
    link = links.resized(way.place.link, size) if not first else walk.api.path(_first(way.home, per_page))
    answer = await walk.api.get(link, etag=unpacked(asked.etag) if asked else None, what=HOME)
    way = way if way.began else replace(way, began=max(int(answer.at.timestamp()) // 60, 1) * 60)
    if answer.same:
        return Step(walk.following(replace(way, repositories=way.unmet, unmet=())))
    if not answer.found:
        if first:
            raise unreadable(walk.config, answer.status, answer.said)
        return _again(way)
    if way.place and way.place.before and not await walk.stood(way.place.before, answer):
        return _again(way)
    if answer.partial:
        way = walk.missing(way, "organisations whose single sign-on does not know the token are left out")
    met = [each for each in answer.records(HOME) if is_wanted(walk.config, way.owner, each)]
    way = _meeting(way, met)
    records = [record(Entity.REPOSITORY, each, each) for each in met]
    if answer.next:
        return Step(walk.onwards(way, answer, shrinks=True), records)
    return _ended(walk, way, records, answer, Mark(packed(answer.etag), per_page) if first else None)


def is_wanted(config: GithubConfig, owner: int, payload: Any) -> bool:
    """Whether a repository is one of those that are harvested. A list may show more than the owner's: that of an App does."""
    name = str(payload["name"]).lower()
    return (
        payload["owner"]["id"] == owner
        and (not config.repositories or _any(config.repositories, name))
        and not _any(config.exclude, name)
        and (config.forks or not payload.get("fork"))
        and (config.archived or not payload.get("archived"))
    )


def _meeting(way: Way, payloads: list[Any]) -> Way:
    """The way with these repositories on it."""
    earlier = {known.id: known for known in way.unmet}
    there = {known.id for known in way.repositories}
    met = [_known(payload, earlier.pop(payload["id"], None)) for payload in payloads if payload["id"] not in there]
    return replace(way, repositories=(*way.repositories, *met), unmet=tuple(earlier.values()))


def _known(payload: Any, earlier: Known | None) -> Known:
    """What is known of a repository. Under another name all its things have other addresses: nothing of them is known."""
    if not isinstance(payload["id"], int) or not _FULL_NAME.fullmatch(payload["full_name"]):
        raise ValueError("a repository has a number, and a name that can be asked for")
    has = {Part.ISSUES: payload.get("has_issues"), Part.PULLS: payload.get("has_pull_requests")}
    now = Known(
        id=payload["id"],
        name=payload["full_name"],
        branch=payload.get("default_branch") or "main",
        without=tuple(part.value for part, there in has.items() if there is False),
    )
    if earlier is None or earlier.name != now.name:
        return now
    kept = {part: mark for part, mark in earlier.marks.items() if part not in now.without}
    if earlier.branch != now.branch and (commits := kept.get(Part.COMMITS)):
        # the ETag is that of another branch's list; from the old head to the new one there is still a way
        kept[Part.COMMITS] = replace(commits, etag="")
    return replace(now, marks=kept)


def _ended(walk: Walk, way: Way, records: list[Record], answer: Answer, mark: Mark | None) -> Step:
    """All repositories are there. One that was known and is not among them is gone for us, and so is all it had."""
    gone = () if way.missed or answer.partial else way.unmet
    buried = [record(Entity.REPOSITORY, known.payload, {"id": known.id}, gone=True) for known in gone]
    way = replace(way, mark=mark, unmet=(), relist=way.relist or bool(way.unmet))
    return Step(walk.following(way), [*records, *buried])


def _again(way: Way) -> Step:
    """The list from its beginning: it has moved, or its link is too old."""
    assert way.place
    if way.place.restarts >= _MOST_RESTARTS:
        raise RetryableTransient("the list of repositories changes faster than it can be read")
    place = replace(way.place, link="", before=None, restarts=way.place.restarts + 1)
    known = {each.id: each for each in (*way.unmet, *way.repositories)}
    return Step(replace(way, place=place, repositories=(), unmet=tuple(known.values())))


def _first(home: str, size: int) -> str:
    return f"{home}{'&' if '?' in home else '?'}per_page={size}"


def _any(globs: tuple[str, ...], name: str) -> bool:
    return any(fnmatchcase(name, glob.lower()) for glob in globs)
