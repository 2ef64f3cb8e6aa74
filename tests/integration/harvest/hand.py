"""A harvester moved by hand: the test decides when it asks the source, and when what it was told is published."""

import time
from datetime import UTC, datetime
from typing import Any

from tests.integration.harvest.script import ScriptConnector
from tests.integration.harvest.shop import ACME, subscriber_of

from windrow.contracts.identity import Identity
from windrow.contracts.page import Page
from windrow.endpoints import Endpoint
from windrow.harvest import run as runs
from windrow.harvest.cursors import Cursors, Position
from windrow.harvest.persist import Budget
from windrow.harvest.publish import Press, Published, Sheet
from windrow.harvest.refine import refine
from windrow.outbox import lane as lanes
from windrow.outbox.lane import Lane, Slice
from windrow.postgres import Database


class Hand:
    """One slice on a lane, from its begin on."""

    def __init__(self, database: Database, endpoint: Endpoint, piece: Slice, position: Position) -> None:
        self.database, self.endpoint, self.piece, self.position = database, endpoint, piece, position
        self._connector = ScriptConnector.__new__(ScriptConnector)
        self._number = 0
        self._horizons: dict[int, int] = {}

    @classmethod
    async def begins(
        cls, database: Database, endpoint: Endpoint, lane: str = "live", run_id: str | None = None
    ) -> "Hand":
        place = Lane(ACME, endpoint.endpoint_id, lane)
        run_id = run_id or f"run-{lane.replace(':', '-')}"
        async with database.tenant(ACME.tenant_id) as tx:
            piece = await lanes.begin(tx, place, run_id)
            await runs.begin_run(tx, place, run_id)
            position = await Cursors(place, "script").load(tx)
        return cls(database, endpoint, piece, position)

    async def asks(self) -> int:
        """A request is about to be sent: its number."""
        drawn = await lanes.observe(self.database, self.piece.lane)
        self._horizons[drawn.number] = drawn.horizon
        return drawn.number

    async def says(
        self, observation: int, *records: Any, opens: bool = False, whole: bool = False, cursor: Any = "next"
    ) -> Published:
        """What the source answered to it is published."""
        page = Page(
            records=records,
            cursor={"at": observation} if cursor == "next" else cursor,
            position=f"at {observation}",
            opens=opens,
            whole=whole,
        )
        identity = Identity(ACME, self.endpoint.endpoint_id)
        press = Press(
            database=self.database,
            piece=self.piece,
            endpoint=self.endpoint,
            spec=ScriptConnector.spec,
            cursors=Cursors(self.piece.lane, "script"),
            identity=identity,
        )
        sheet = Sheet(
            page=page,
            refined=refine(self._connector.transform(page), identity),
            before=self.position.cursor,
            number=self._number,
            observation=observation,
            horizon=self._horizons.get(observation, observation),
            fetched_at=datetime.now(UTC),
            asked=time.perf_counter(),
        )
        published = await press.publish(self.position, sheet)
        self.position, self._number = published.position, self._number + 1
        return published

    async def asks_and_says(self, *records: Any, **flags: Any) -> Published:
        return await self.says(await self.asks(), *records, **flags)

    async def ends(self) -> bool:
        async with self.database.tenant(ACME.tenant_id) as tx:
            return await lanes.end(tx, self.piece)

    async def is_persisted(self, batches: int = 20) -> None:
        """All that this lane has."""
        await subscriber_of(self.database, budget=Budget(batches=batches)).drain(self.piece.lane)
