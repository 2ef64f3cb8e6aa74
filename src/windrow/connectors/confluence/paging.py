"""One step through a list: by the source's links in the Cloud, by counting in a Data Center."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec.structs import replace

from windrow.connectors.confluence.cursor import Way
from windrow.connectors.confluence.lists import List
from windrow.connectors.confluence.site import TOO_MUCH, Answer, Site
from windrow.connectors.context import Say
from windrow.contracts.errors import WindrowError
from windrow.http import HttpRefused

# a list that is refused at fewer records than this is not refused for its size
_LEAST = 25
# a list that moves faster than it is read is not waited for: it is not whole, and that is all
_MOST_BACK = 10


@dataclass(frozen=True, slots=True)
class Step:
    """What a step found, where the list goes on, and whether it does."""

    answer: Answer
    way: Way
    ended: bool

    @property
    def results(self) -> list[Any]:
        return self.answer.results


class Paging(Protocol):
    """How a list is read on."""

    async def step(self, way: Way, which: List, size: int) -> Step: ...


@dataclass(frozen=True, slots=True)
class Linked:
    """By links. They are opaque: what cannot be had by one is had by beginning the list again, never by changing it."""

    site: Site
    say: Say
    # the lists that were begun again: once in a slice, and not for ever
    restarted: set[str] = field(default_factory=set)

    async def step(self, way: Way, which: List, size: int) -> Step:
        doubted = False
        while True:
            limit = min(way.limit or size, size)
            try:
                answer = await self.site.read(which.name, way.next or which.link(limit, light=way.light))
            except HttpRefused as error:
                if error.status != 400 or way.next is None or which.name in self.restarted:
                    raise
                self.restarted.add(which.name)
                self.say("connector.restarted", position=which.name, reason=error.excerpt)
                # counted, so that the same links lead to other cursors than before
                way = replace(way, next=None, limit=None, light=False, again=way.again + 1)
            except WindrowError as error:
                less = _less(way, which, limit)
                if error.code not in TOO_MUCH or less is None:
                    raise
                # where the whole site is away, this raises
                await self.site.whoami()
                # what is too much is so a second time too; only then is less asked for, since the list begins again
                way, doubted = (less, False) if doubted else (way, True)
            else:
                # a link behind which there is nothing comes too: the end is where nothing is
                ended = answer.next is None or not answer.results
                return Step(answer, replace(way, next=None if ended else answer.next), ended)


def _less(way: Way, which: List, limit: int) -> Way | None:
    """The list from its beginning, with less of it at a time: first without descriptions, then with fewer records."""
    if which.expanded and not way.light:
        return replace(way, next=None, light=True)
    return replace(way, next=None, limit=limit // 2) if limit // 2 >= _LEAST else None


@dataclass(frozen=True, slots=True)
class Counted:
    """By counting. What is deleted meanwhile moves the rest forward: each request begins with the last record of the one
    before, and if it is not there, a page back.
    """

    site: Site
    say: Say

    async def step(self, way: Way, which: List, size: int) -> Step:
        limit = size
        while True:
            seam = 1 if way.after else 0
            try:
                answer = await self.site.read(which.name, which.link(limit + seam, start=way.done - seam))
            except WindrowError as error:
                if error.code not in TOO_MUCH:
                    raise
                await self.site.whoami()
                limit, way = (limit // 2, way) if limit > 1 else (size, self._passed_over(way, which, error))
                continue
            if seam and [way.after] != [_id(each) for each in answer.results[:1]]:
                way = self._back(way, which, size)
                continue
            return _counted(answer, way, seam)

    def _passed_over(self, way: Way, which: List, error: WindrowError) -> Way:
        self.say("connector.skipped", position=f"{which.name} {way.done + 1}", reason=error.message)
        return replace(way, done=way.done + 1, after=None, partial=True)

    def _back(self, way: Way, which: List, size: int) -> Way:
        if way.again < _MOST_BACK:
            return replace(way, done=max(0, way.done - size), after=None, again=way.again + 1)
        self.say("connector.skipped", position=which.name, reason="the list moves faster than it is read")
        return replace(way, after=None, partial=True)


def _counted(answer: Answer, way: Way, seam: int) -> Step:
    # by what came, not by what was asked: a server may give fewer at a time, and its own links do not know it
    came = answer.results[seam:]
    ended = not came or answer.next is None
    ahead = replace(way, done=way.done + len(came), after=_id(came[-1]) if came else None)
    return Step(Answer(came, answer.next, answer.site, answer.at), ahead, ended)


def _id(record: Any) -> str | None:
    return str(record.get("id")) if isinstance(record, dict) else None
