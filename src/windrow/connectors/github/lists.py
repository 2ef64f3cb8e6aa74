"""Lists without a history (labels, milestones, releases), and those that know when a thing was updated (issues, pull requests)."""

from datetime import datetime
from typing import Any

from windrow.connectors.github.api import Answer
from windrow.connectors.github.cursor import Mark, Part, Way, fingerprint, packed
from windrow.connectors.github.parts import by_age, by_update, whole
from windrow.connectors.github.walking import Step, Walk, condition, watermark


async def read_set(walk: Walk, way: Way, size: int) -> Step:
    """A list that is read as a whole or not at all: its ETag vouches for it only while it is one page."""
    assert way.place
    part, known = Part(way.place.list), way.known(way.place.repository)
    mark, first = known.marks.get(part), not way.place.link
    asked = condition(way, mark, size)
    per_page = asked.size if asked else size
    answer = await walk.page(way, whole(known, part, per_page), size, asked)
    if isinstance(answer, Step):
        return answer
    if answer.same:
        return Step(walk.done(way, _current(mark)))
    payloads = answer.records()
    records = walk.given(way, payloads)
    if answer.next:
        return Step(walk.onwards(way, answer, shrinks=True), records)
    if not first:
        return Step(walk.done(way, Mark()), records)
    now = Mark(packed(answer.etag), per_page, _names(payloads) if part is Part.LABELS else "")
    if part is Part.LABELS and not way.whole and mark and not _only_grown(mark.of, payloads):
        # issues show the names of their labels, and do not count as updated when a label gets another
        way = way.knowing(way.place.repository, known.marked(Part.ISSUES, None).marked(Part.PULLS, None))
    return Step(walk.done(way, now), records)


async def read_updated(walk: Walk, way: Way, size: int) -> Step:
    """A list whose first page, sorted by update, tells whether anything has changed.

    From the beginning it is then read by age, where nothing moves while it is read. For what has changed since, one reads on
    from the first page down to the watermark; of issues, if that is more than a page, those `since` it, by age again.
    """
    assert way.place
    part, known = Part(way.place.list), way.known(way.place.repository)
    mark = known.marks.get(part)
    since = watermark(way, mark)
    if way.place.leg:
        return await _by_age(walk, way, size, since)
    first = not way.place.link
    asked = condition(way, mark, size)
    per_page = asked.size if asked else size
    answer = await walk.page(way, by_update(known, part, per_page), size, asked)
    if isinstance(answer, Step):
        return answer
    if answer.same:
        return Step(walk.done(way, _current(mark)))
    now = Mark(packed(answer.etag), per_page) if first else way.place.mark
    payloads = answer.records()
    fresh = [payload for payload in payloads if _updated(payload) >= since]
    records = walk.given(way, _of(part, fresh))
    if not answer.next or len(fresh) < len(payloads):
        return Step(walk.done(way, now), records)
    if since and part is Part.PULLS:
        return Step(walk.onwards(way, answer, mark=now), records)
    return Step(walk.leg(way, "since" if since else "all", mark=now), records)


async def _by_age(walk: Walk, way: Way, size: int, since: int) -> Step:
    assert way.place
    part, known = Part(way.place.list), way.known(way.place.repository)
    answer = await walk.page(way, by_age(known, part, size, since), size)
    if isinstance(answer, Step):
        return answer
    payloads = answer.records()
    records = walk.given(way, _of(part, payloads))
    if not answer.next:
        return Step(walk.done(way, way.place.mark), records)
    # pull requests cannot be deleted
    shrinks = part is Part.ISSUES
    return Step(walk.onwards(way, answer, shrinks=shrinks, number=_last_number(answer) if not since else 0), records)


def _of(part: Part, payloads: list[Any]) -> list[Any]:
    """Pull requests are among the issues, under numbers that are not their own."""
    if part is not Part.ISSUES:
        return payloads
    return [payload for payload in payloads if not (isinstance(payload, dict) and payload.get("pull_request"))]


def _updated(payload: Any) -> float:
    """When a thing was updated. What does not say is taken for fresh: whoever makes an item of it will refuse it."""
    try:
        return datetime.fromisoformat(payload["updated_at"]).timestamp()
    except (TypeError, ValueError, LookupError, OverflowError):
        return float("inf")


def _last_number(answer: Answer) -> int:
    last = answer.records()[-1:]
    number = last[0].get("number") if last and isinstance(last[0], dict) else None
    return number if isinstance(number, int) else 0


def _current(mark: Mark | None) -> Mark:
    assert mark, "nothing is asked for conditionally without one"
    return Mark(mark.etag, mark.size, mark.of)


def _names(labels: list[Any]) -> str:
    """How many labels there are, and a short word for their names."""
    return f"{len(labels)}:{fingerprint(_in_order(labels))[:8]}"


def _only_grown(before: str, labels: list[Any]) -> bool:
    """Whether all labels that were there have their names still; new ones have higher numbers."""
    count = int(before.partition(":")[0] or 0) if before.partition(":")[0].isdigit() else 0
    return before == f"{count}:{fingerprint(_in_order(labels)[:count])[:8]}"


def _in_order(labels: list[Any]) -> list[list[Any]]:
    pairs = [[label.get("id"), label.get("name")] for label in labels if isinstance(label, dict)]
    return sorted(pairs, key=lambda pair: pair[0] if isinstance(pair[0], int) else 0)
