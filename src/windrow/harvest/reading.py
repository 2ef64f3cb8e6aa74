"""Steps 3 and 4: pages are asked for, one at a time, and refined."""

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, cast

from windrow.connectors.connector import Connector
from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.contracts.identity import Identity
from windrow.contracts.page import Cursor, Page
from windrow.harvest import report
from windrow.harvest.cursors import Pinned, Position
from windrow.harvest.guards import Guards
from windrow.harvest.pacing import CEILING, NEAR, Pace
from windrow.harvest.publish import Sheet
from windrow.harvest.refine import refine_in_turns
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane
from windrow.postgres import Database
from windrow.telemetry import span

# what a source answers when a page is too much for it
_TOO_MUCH = frozenset({Code.TOO_LARGE, Code.TIMEOUT, Code.UNAVAILABLE})


class Reader:
    """Reads a source from a cursor on. Its pace is the page size to go on with."""

    def __init__(
        self, database: Database, connector: Connector[Any], lane: Lane, identity: Identity, pace: Pace
    ) -> None:
        self._database, self._connector, self._lane, self._identity = database, connector, lane, identity
        self.pace = pace
        self._pinned: Pinned | None = None
        self._newest = 0

    async def sheets(self, start: Position) -> AsyncGenerator[Sheet, None]:
        """Every page up to the last one. Another page size means to ask anew, from the cursor of the last page."""
        cursor, self._pinned = start.cursor, start.pinned
        guards = Guards(cursor, self._connector.progress)
        number = 0
        while True:
            size = self.pace.size
            # the interface promises an iterator; one that is a generator is closed before the source is asked anew
            pages = cast("AsyncGenerator[Page, None]", self._connector.fetch_pages(cursor, size))
            async with aclosing(pages):
                while self.pace.size == size:
                    sheet = await self._sheet(pages, cursor, number)
                    if sheet is None:
                        break
                    # not by the hashes alone: tombstones all have the same
                    guards.check(sheet.page, [*sheet.refined.item_ids, *sheet.refined.hashes])
                    _weigh(sheet)
                    yield sheet
                    if sheet.page.last:
                        return
                    cursor, number = sheet.page.cursor, number + 1
                    self._adapt(sheet)

    async def _sheet(self, pages: AsyncIterator[Page], before: Cursor, number: int) -> Sheet | None:
        """The next page; None if the source has to be asked for less."""
        # drawn before the source is asked: a higher number then means newer news
        drawn = await lanes.observe(self._database, self._lane)
        # a page that is not published yet counts as well: within a lane numbers never fall
        self._newest = max(self._newest, drawn.number)
        fetched_at, asked = datetime.now(UTC), time.perf_counter()
        try:
            page = await anext(pages)
        except StopAsyncIteration:
            raise ValidationFailure(
                "the connector's pages ended without a last one",
                code=Code.INVALID,
                hint="the page behind which there is nothing says `last=True`",
            ) from None
        except WindrowError as error:
            smaller = self.pace.in_trouble() if error.code in _TOO_MUCH else None
            if smaller is None:
                raise
            self._resize(smaller, str(error.code))
            return None
        with span("harvest.page", position=page.position):
            refined = await refine_in_turns(self._connector.transform(page), self._identity)
        return Sheet(
            page=page,
            refined=refined,
            before=before,
            number=number,
            observation=self._pin(page, self._newest),
            horizon=drawn.horizon,
            fetched_at=fetched_at,
            asked=asked,
            pinned=None if page.last else self._pinned,
        )

    def _pin(self, page: Page, observation: int) -> int:
        """When this page counts as asked for: a page of a snapshot tells what was true when its first one was."""
        if page.snapshot is None:
            self._pinned = None
        elif self._pinned is None or self._pinned.snapshot != page.snapshot:
            self._pinned = Pinned(page.snapshot, observation)
        return self._pinned.observation if self._pinned else observation

    def _adapt(self, sheet: Sheet) -> None:
        after = self.pace.after(sheet.counts.bytes, calm=sheet.page.calm)
        self._resize(after, "size" if sheet.page.calm else "pressure")

    def _resize(self, after: Pace, reason: str) -> None:
        if after.size != self.pace.size:
            report.resized(self.pace.size, after.size, reason)
        self.pace = after


def _weigh(sheet: Sheet) -> None:
    size = sheet.counts.bytes
    if size > NEAR * CEILING:
        report.neared_ceiling(size, CEILING, sheet.page.position)
