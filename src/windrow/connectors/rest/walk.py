"""The way through an API: lists, the lists below each of their records, and where it goes on from.

Depth first: behind some records of a list come their children, before the next part of the list. All that is needed to go on
is in the `Journey`; what is kept beside it (answers that are not used up) is only there to spare requests.
"""

from collections.abc import Iterator
from typing import Any

from windrow.connectors.context import Context
from windrow.connectors.rest.agreement import kept_of_parent
from windrow.connectors.rest.answers import Answer, broken
from windrow.connectors.rest.asking import Asker, Skipped
from windrow.connectors.rest.cursor import Frame, Journey, short_hash
from windrow.connectors.rest.definition import PagingType, Stream
from windrow.connectors.rest.identity import known_as
from windrow.connectors.rest.keeping import pruned
from windrow.connectors.rest.mapping import Record, enveloped
from windrow.connectors.rest.requests import Api
from windrow.connectors.rest.sifting import Sieve
from windrow.contracts.errors import ValidationFailure, WindrowError
from windrow.contracts.identity import canonical
from windrow.contracts.page import Page
from windrow.http import HttpRefused

# many small lists make one page; but no more of them than one likes to read again after a crash
_MOST_REQUESTS = 25
# of records whose children are still to be read; two such queues fit a cursor
_QUEUE_BYTES = 12 * 1024
# the link or cursor is not known any more: its list begins anew
_STALE = frozenset({400, 404, 410, 422})
_MOST_RESTARTS = 2
_COUNTED = (PagingType.OFFSET, PagingType.PAGE)


class Walk:
    """One pass, from where a journey stands."""

    def __init__(self, api: Api, journey: Journey, asker: Asker, context: Context) -> None:
        self._api, self._journey, self._asker, self._context = api, journey, asker, context
        # by depth: what is not used up
        self._answers: dict[int, Answer] = {}
        self._sieve = Sieve(api, journey)
        self._trouble: WindrowError | None = None
        self._roots = api.definition.children(None)
        self._kept = {name: kept_of_parent(api.definition, name) for name in api.definition.streams}

    async def page(self, size: int) -> Page:
        """The next page: up to `size` records of as many lists as it takes."""
        if self._trouble is not None:
            raise self._trouble
        journey = self._journey
        opens = journey.pages == 0
        self._top(size)
        position = self._position()
        records, calm = await self._gathered(size)
        journey.pages += 1
        last = self._trouble is None and self._top(size) is None
        listed = self._api.definition.deletes == "listed" and journey.since is None
        return Page(
            records=records,
            cursor=(journey.over() if last else journey).written(),
            position=position,
            last=last,
            opens=opens and listed,
            whole=last and listed and not journey.missed,
            calm=calm,
        )

    async def _gathered(self, size: int) -> tuple[list[Record], bool]:
        records: list[Record] = []
        calm, asked = True, 0
        while len(records) < size and asked < _MOST_REQUESTS and (frame := self._top(size)) is not None:
            depth = len(self._stack)
            if depth not in self._answers:
                # what is left over from an answer is taken up; a new one is asked for only if the page has room for it
                if len(records) > size // 2:
                    break
                try:
                    self._answers[depth] = await self._asked(frame)
                except WindrowError as error:
                    if not asked:
                        raise
                    # what was read until now is worth a page: a source that lets us ask little must not keep us for ever
                    self._trouble = error
                    break
                asked += 1
            answer = self._answers[depth]
            calm = calm and answer.calm
            records += self._taken(frame, answer, size - len(records))
        return records, calm

    @property
    def _stack(self) -> list[Frame]:
        assert self._journey.stack is not None
        return self._journey.stack

    def _top(self, size: int) -> Frame | None:
        """The list to go on with: children first, then what is left of their parents, then the next stream."""
        while True:
            if not self._stack:
                if self._journey.roots >= len(self._roots):
                    return None
                self._stack.append(Frame(stream=self._roots[self._journey.roots], size=size))
                self._journey.roots += 1
            frame = self._stack[-1]
            if frame.queue:
                stream, parent = frame.queue.pop(0)
                self._stack.append(Frame(stream=stream, size=size, parent=parent, grandparent=frame.parent))
            elif frame.over:
                self._stack.pop()
            else:
                if self._may_resize(frame):
                    frame.size = size
                return frame

    def _may_resize(self, frame: Frame) -> bool:
        """Behind a cursor or a page number the size stays; an offset takes any, and so does what was not begun."""
        paging = self._api.definition.streams[frame.stream].pagination
        return paging.type is PagingType.OFFSET or (frame.next is None and not frame.at)

    async def _asked(self, frame: Frame) -> Answer:
        try:
            answer = await self._asker.ask(frame, self._journey)
        except (Skipped, HttpRefused) as refusal:
            if isinstance(frame.next, str) and refusal.status in _STALE and frame.restarts < _MOST_RESTARTS:
                frame.restart()
                return await self._asked(frame)
            if not isinstance(refusal, Skipped):
                raise
            self._miss(refusal.message)
            return Answer([])
        if not answer.in_place:
            self._miss("the list has moved while it was read: something may have been left out")
        if frame.at and frame.seen != known_as(self._api, frame, answer.records[: frame.at]):
            # not the answer of which we had a part: all of it is new
            frame.at, frame.seen = 0, ""
        return answer

    def _taken(self, frame: Frame, answer: Answer, room: int) -> Iterator[Record]:
        """Records of an answer, as many as there is room for; and what is behind them is made ready."""
        stream = self._api.definition.streams[frame.stream]
        queued = 0
        while frame.at < len(answer.records):
            if room <= 0 or queued > _QUEUE_BYTES:
                return
            record = answer.records[frame.at]
            frame.at, frame.seen = frame.at + 1, known_as(self._api, frame, [record], frame.seen)
            verdict = self._sieve.judge(frame, record)
            if verdict.ends:
                answer = Answer(answer.records)
                break
            if verdict.wanted:
                room -= 1
                queued += self._queue(frame, record) if verdict.leads_on else 0
                if stream.item is not None:
                    yield enveloped(frame.stream, record, frame.parent, frame.grandparent)
        self._advance(frame, answer, stream)

    def _queue(self, frame: Frame, record: Any) -> int:
        """Note the lists below a record; how many bytes of the cursor that takes."""
        taken = 0
        for child in self._api.definition.children(frame.stream):
            try:
                kept = pruned(record, self._kept[child])
            except ValidationFailure as error:
                self._miss(error.message)
                continue
            frame.queue.append((child, kept))
            taken += len(canonical(kept)) + len(child) + 6
        return taken

    def _advance(self, frame: Frame, answer: Answer, stream: Stream) -> None:
        """On to the next part of the list, unless it was there before."""
        paging = stream.pagination
        footprint = short_hash(answer.records if paging.type in _COUNTED else answer.next)
        if answer.next is not None:
            if footprint == frame.mark or answer.next == frame.next:
                raise broken(f"{self._position()}: the same part comes again: the list would never end", "pagination")
            if frame.count + 1 >= paging.most:
                raise broken(f"{self._position()}: the list has more than {paging.most} parts", "pagination.most")
        frame.count += 1
        frame.read += len(answer.records)
        # of the parts that are powers of two: so any circle is found after at most twice its length
        if frame.count & (frame.count - 1) == 0:
            frame.mark = footprint
        if self._api.definition.deletes == "listed" and paging.type is PagingType.OFFSET and answer.records:
            frame.before = known_as(self._api, frame, answer.records[-1:])
        frame.next, frame.over = answer.next, answer.next is None
        frame.at, frame.seen = 0, ""
        del self._answers[len(self._stack)]

    def _miss(self, reason: str) -> None:
        self._journey.missed = True
        self._context.say("connector.skipped", position=self._position(), reason=reason)

    def _position(self) -> str:
        """Where we are, in words; nothing of what the source said."""
        way = " > ".join(f"{frame.stream} {frame.count + 1}" for frame in self._stack)
        return f"pass {self._journey.pass_}, {way or 'the end'}"
