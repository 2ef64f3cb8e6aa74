"""One step after the other through the lists of repositories: what they all have in common.

A step asks for one page of a list and says what it brought and where the way goes on. A list whose page cannot be had is
passed over, which is told, and makes the listing incomplete. A list whose next link is refused is begun anew: what comes
twice does no harm.
"""

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from windrow.connectors.context import Say
from windrow.connectors.github import links
from windrow.connectors.github.api import Answer, Api
from windrow.connectors.github.config import GithubConfig
from windrow.connectors.github.cursor import HOME, Before, Known, Mark, Part, Place, Way, packed, unpacked
from windrow.connectors.github.items import Record, record
from windrow.connectors.github.parts import ENTITIES, name, wanted

# a list that moves under our eyes that often is passed over, until the next pass
_MOST_RESTARTS = 2
# a token that may read nothing of a thousand repositories would otherwise fill the log
_MOST_TOLD = 100
# sorted by what people do: what was written by one replica may not be at the other yet
OVERLAP = 5 * 60


@dataclass(slots=True)
class Step:
    """What a step brought, and the way from there."""

    way: Way
    records: list[Record] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Walk:
    """What steps are made with."""

    api: Api
    config: GithubConfig
    say: Say
    told: list[str] = field(default_factory=list)

    async def page(self, way: Way, first: str, size: int, mark: Mark | None = None) -> Answer | Step:
        """The page at the way's place, or the step that is made because there is none. With a mark: only if it has changed."""
        place = _place(way)
        link = links.resized(place.link, size) if place.link else self.api.path(first)
        answer = await self.api.get(link, etag=unpacked(mark.etag) if mark else None, what=name(place.list))
        if answer.found or answer.same or answer.empty:
            if place.before and not await self.stood(place.before, answer):
                return self.again(way, "something was deleted from it meanwhile")
            return answer
        if place.link:
            return self.again(way, f"its next page was refused ({answer.said})")
        return await self.pass_over(way, answer)

    def given(self, way: Way, payloads: list[Any], *, gone: bool = False) -> list[Record]:
        """Records of the list at the way's place."""
        place = _place(way)
        kind, repository = ENTITIES[Part(place.list)], way.known(place.repository).payload
        web = _web(self.config.base_url) if place.list == Part.FILES else ""
        return [record(kind, repository, payload, web=web, gone=gone) for payload in payloads]

    def onwards(self, way: Way, answer: Answer, *, shrinks: bool = False, number: int = 0, **more: Any) -> Way:
        """The way to the next page. Of a list that `shrinks` when something is deleted, the present page is remembered."""
        before = None
        if shrinks and links.counts(answer.next):
            before = Before(answer.link, packed(answer.etag), number)
        return way.at(replace(_place(way), **{"link": answer.next, "before": before, **more}))

    def leg(self, way: Way, leg: str, **more: Any) -> Way:
        """The way along another leg of the same list."""
        return way.at(replace(_place(way), **{"leg": leg, "link": "", "before": None, "done": 0, **more}))

    def done(self, way: Way, mark: Mark | None) -> Way:
        """The list is read: what is known of it now, and the way to the next one."""
        place = _place(way)
        known = way.known(place.repository)
        return self.following(way.knowing(place.repository, known.marked(place.list, mark)))

    def again(self, way: Way, why: str) -> Step:
        """The list from its beginning."""
        place = _place(way)
        if place.restarts >= _MOST_RESTARTS:
            return Step(self._left(way, f"{why}, again and again"))
        return Step(way.at(replace(place, link="", before=None, done=0, restarts=place.restarts + 1)))

    async def pass_over(self, way: Way, answer: Answer) -> Step:
        """Do without a list; without the whole repository, if that is not there any more."""
        place = _place(way)
        known = way.known(place.repository)
        way = self._left(way, answer.said)
        if answer.status != 404 or way.place is None or way.place.repository != place.repository:
            return Step(way)
        there = await self.api.get(self.api.path(f"/repos/{known.name}"), what="repository")
        return Step(way if there.found else self.following(way, beyond=True))

    def missing(self, way: Way, why: str) -> Way:
        """Something cannot be read. What is not in the listing need not be gone."""
        place = _place(way)
        where = way.known(place.repository).name if place.repository >= 0 else self.config.owner
        self.told.append(where)
        if len(self.told) <= _MOST_TOLD:
            rest = "; others are not told any more" if len(self.told) == _MOST_TOLD else ""
            self.say("connector.skipped", position=f"{where} {name(place.list)}", reason=why + rest)
        return replace(way, missed=True)

    def following(self, way: Way, *, beyond: bool = False) -> Way:
        """The way to the next list, of the next repository if this one has no more of them (or is to be left)."""
        place, parts = _place(way), wanted(self.config)
        index = place.repository
        left = () if index < 0 or beyond else _behind(parts, place.list, way.known(index))
        while not left and index + 1 < len(way.repositories):
            index += 1
            left = _behind(parts, None, way.known(index))
        return way.at(Place(list=left[0], repository=index) if left else None)

    def _left(self, way: Way, why: str) -> Way:
        """The way on without a list, which keeps its old watermark, or has to be read from its beginning."""
        way = self.missing(way, why)
        place = _place(way)
        mark = way.known(place.repository).marks.get(place.list)
        return self.done(way, replace(mark, seen=mark.seen or way.since) if mark else None)

    async def stood(self, before: Before, answer: Answer) -> bool:
        """Whether nothing was deleted before a page, so that its first thing followed the last one of the page before.

        Issues are numbered one after the other; where a number is missing, and for all else, the page before is looked at
        again: it is still the same.
        """
        records = answer.records(HOME) if answer.found else []
        number = records[0].get("number") if records and isinstance(records[0], dict) else None
        if before.number and number == before.number + 1:
            return True
        again = await self.api.get(before.link, etag=unpacked(before.etag), what="page before")
        return again.same


def watermark(way: Way, mark: Mark | None) -> int:
    """From when on a list has to be read; 0: from its beginning."""
    if way.whole or mark is None:
        return 0
    return max((mark.seen or way.since) - OVERLAP, 0)


def condition(way: Way, mark: Mark | None, size: int) -> Mark | None:
    """The mark by which a first page may be asked for conditionally: in the same size, and only between listings."""
    first = not _place(way).link
    return mark if first and not way.whole and mark and mark.etag and mark.size <= size else None


def _place(way: Way) -> Place:
    assert way.place, "a pass that is under way is somewhere"
    return way.place


def _behind(parts: tuple[Part, ...], part: str | None, known: Known) -> tuple[Part, ...]:
    later = parts if part is None else parts[parts.index(Part(part)) + 1 :]
    return tuple(each for each in later if each not in known.without)


def _web(base_url: str) -> str:
    """Where people look at what the API at this address tells of."""
    host = base_url.removesuffix("/api/v3")
    return "https://github.com" if host == "https://api.github.com" else host
