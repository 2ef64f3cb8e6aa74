"""Checks of cursors: what they are, and that one can go on from every one of them."""

import json
from datetime import datetime
from typing import Any

from windrow.connectors.conformance.candidate import Candidate
from windrow.connectors.conformance.paging import differing
from windrow.connectors.conformance.reading import Read, pages, turned
from windrow.connectors.conformance.result import Failed, Skipped
from windrow.connectors.standalone import MemoryNotes
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.identity import canonical
from windrow.contracts.page import Cursor
from windrow.contracts.storable import Storable

# what the semantic store takes
STORED = Storable("cursor", 1024 * 1024, "keep in it where to go on, not what was read")


async def cursor(candidate: Candidate) -> str:
    """Cursors are JSON, come back from it as they were, never repeat, and their progress never falls."""
    known: dict[bytes, int] = {}
    for place, each in enumerate(candidate.first, 1):
        _is_json(place, each.page.cursor)
        earlier = known.setdefault(canonical(each.page.cursor), place)
        if earlier != place and (each.page.records or not each.page.last):
            raise Failed(f"page {place} has the cursor of page {earlier}", "a cursor names one place, and moves on")
        if not isinstance(each.page.position, str) or not each.page.position:
            raise Failed(f"page {place} has no position", "say in words where in the source the page is")
    return await _progress(candidate) or f"{len(known)} cursors"


def _is_json(place: int, given: Cursor) -> None:
    try:
        back = json.loads(STORED.text(given))
    except ValidationFailure as error:
        raise Failed(f"page {place}: {error.message}", error.hint or "make the cursor plain JSON") from None
    if back != given:
        raise Failed(f"page {place}: the cursor comes back from JSON as another", "make the cursor plain JSON")


async def _progress(candidate: Candidate) -> str | None:
    async with candidate.open() as opened:
        far = [opened.connector.progress(each.page.cursor) for each in candidate.first]
    told = [number for number in far if number is not None]
    if told != sorted(told):
        raise Failed(f"progress falls: {told[:10]}", "return None where cursors cannot be compared")
    return f"{len(far)} cursors, progress {told[0]} to {told[-1]}" if told else None


async def resume(candidate: Candidate) -> str:
    """From every cursor, as it comes back from the store, a fresh connector finds exactly what followed it."""
    places = _spread(len(candidate.first) - 1, candidate.limits.resumes)
    for place in places:
        rest = await _rest(candidate, place)
        expected, found = candidate.state(candidate.first[place + 1 :]), candidate.state(rest)
        if expected != found:
            raise Failed(
                f"resumed behind page {place + 1}, other items follow: {differing(expected, found)}",
                "all that is needed to go on must be in the cursor; keep nothing in the connector",
            )
    await _rest(candidate, len(candidate.first) - 1)
    return f"from {len(places) + 1} of {len(candidate.first)} cursors"


async def _rest(candidate: Candidate, place: int) -> list[Read]:
    """What a fresh connector finds behind a page; behind the last one anything, so long as it ends."""
    rest = await candidate.read(_stored(candidate.first[place].page.cursor))
    if not rest or not rest[-1].page.last:
        raise Failed(
            f"resumed behind page {place + 1}, the pages end without a `last` one",
            "where there is nothing new, give one empty page which is `last`",
        )
    return rest


async def replay(candidate: Candidate) -> str:
    """The same cursor gives the same page again, though the connector may have noted that it gave it."""
    notes = MemoryNotes()
    starts = [None, *(_stored(each.page.cursor) for each in candidate.first[:-1])]
    places = _spread(len(starts), candidate.limits.resumes)
    for place in places:
        # a cursor may tell when its pass began
        moment = candidate.context.now()
        once, again = [await _one(candidate, starts[place], notes, moment) for _ in range(2)]
        if _told(candidate, once) != _told(candidate, again):
            raise Failed(
                f"page {place + 1}, asked for twice, is another: {_difference(candidate, once, again)}",
                "notes are hints: what a page holds follows from the cursor alone",
            )
    return f"{len(places)} of {len(starts)} pages asked for twice"


async def incremental(candidate: Candidate) -> str:
    """Behind the last cursor there is less than everything, while nothing changed."""
    if not candidate.spec.capabilities.incremental:
        raise Skipped("the connector does not say that it is incremental")
    again = await candidate.read(_stored(candidate.first[-1].page.cursor))
    records, all_records = (sum(len(each.page.records) for each in reads) for reads in (again, candidate.first))
    if all_records and records >= all_records:
        raise Failed(
            f"behind the last cursor all {records} records are read again",
            "go on from the cursor, or leave out the capability `incremental`",
        )
    return f"{records} of {all_records} records are read again"


async def _one(candidate: Candidate, cursor: Cursor, notes: MemoryNotes, moment: datetime) -> Read:
    async with candidate.open(notes, at=moment) as opened, pages(opened.connector, cursor, candidate.size) as given:
        async for page in given:
            return turned(opened.connector, page)
    raise Failed("asked for a page again, there is none", "what a page holds follows from the cursor alone")


def _told(candidate: Candidate, one: Read) -> tuple[Any, ...]:
    return list(candidate.state([one]).items()), canonical(one.page.cursor), one.page.last


def _difference(candidate: Candidate, once: Read, again: Read) -> str:
    return differing(candidate.state([once]), candidate.state([again])) or "its order, its cursor or its end"


def _stored(cursor: Cursor) -> Cursor:
    """The cursor as it comes back from the store."""
    return json.loads(STORED.text(cursor))


def _spread(count: int, most: int) -> list[int]:
    """All of a few places; of many, some from the first to the last."""
    if count <= most:
        return list(range(count))
    return sorted({round(step * (count - 1) / (most - 1)) for step in range(most)})
