"""Who acts in the protocol's model, and on what: each act is real code, to be run at once or by a puppet."""

import itertools
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import psycopg
from tests.integration.harvest.evidence import Evidence
from tests.integration.harvest.orchard import NAMES, Orchard, Picker, Standing, Way

from windrow import endpoints, kv
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest import deciding, quarantine, retrying, steering
from windrow.harvest.cursors import Cursors
from windrow.harvest.persist import Budget
from windrow.harvest.slice import Order, SliceReport, harvest
from windrow.harvest.subscriber import Subscriber, SubscriberLimits
from windrow.outbox import stop
from windrow.outbox.lane import Lane
from windrow.postgres import Database, Transaction
from windrow.postgres.wakeups import Wakeups

OLGA = Actor("olga", "model")
HALF = list(NAMES[: len(NAMES) // 2])
SPOILT = b"[{"

_tenants = itertools.count(1)


class Play:
    """An orchard that is an endpoint of a tenant of its own, and everybody who has to do with it."""

    def __init__(self, database: Database, tables: psycopg.Connection[Any], latest: Callable[[], int]) -> None:
        self.database, self.tables = database, tables
        self.scope = Scope(f"m{next(_tenants)}", "main")
        self.orchard = Orchard(latest, self.standing)
        tables.execute("SELECT set_config('windrow.tenant_id', %s, false)", [self.scope.tenant_id])
        self.evidence = Evidence(self.scope, self.orchard, tables)
        self.spoilt = self.evidence.spoilt
        self._runs = itertools.count(1)

    def standing(self) -> dict[str, Standing]:
        """How the lanes stand."""
        rows = self.evidence.rows(
            "SELECT lane, floor, (SELECT max(observation) FROM harvest_outbox o WHERE o.lane = l.lane) AS published"
            " FROM harvest_lanes l"
        )
        return {row["lane"]: Standing(row["floor"], row["published"]) for row in rows}

    def lane(self, name: str) -> Lane:
        return Lane(self.scope, "orchard", name)

    async def transact(self, act: Callable[[Transaction], Awaitable[Any]]) -> Any:
        async with self.database.tenant(self.scope.tenant_id) as tx:
            return await act(tx)

    async def open(self) -> None:
        new = Endpoint(scope=self.scope, endpoint_id="orchard", connector="orchard", config={"hide": []})
        self.endpoint: Endpoint = await self.transact(lambda tx: endpoints.add(tx, new, OLGA))

    # harvesters and subscribers

    def harvester(self, lane: str, way: Way, *, one_page: bool = False) -> Awaitable[SliceReport]:
        """A slice that knows the endpoint as it is now."""
        run_id = f"{self.scope.tenant_id}-{next(self._runs)}"
        budget = timedelta(0) if one_page else timedelta(hours=1)
        order = Order(endpoint=self.endpoint, lane=self.lane(lane), run_id=run_id, budget=budget)
        return harvest(self.database, Picker(self.orchard, self.endpoint.config, run_id, way), order)

    async def subscriber(self, batches: int = 20, *, lane: str | None = None) -> None:
        """Persists all that is there, or all that one lane has."""
        limits = SubscriberLimits(budget=Budget(batches=batches))
        one = Subscriber(self.database, Wakeups(self.database.url), limits=limits)
        while await one._step(self.lane(lane) if lane else None):
            pass

    # operators

    async def move_the_cursor(self, back: int) -> None:
        cursors = Cursors(self.lane("live"), "orchard")
        there = await kv.get(self.database, cursors.key)
        if there is None:
            return
        place = there.value["cursor_token"]
        moved = place | {"log": max(0, place["log"] - back), "row": 0}
        said: dict[str, Any] = {"spec_ref": "s@1", "reason": "model", "actor": OLGA, "expected": there.version}
        await self.transact(lambda tx: steering.override(tx, cursors, moved, **said))

    async def edit_the_filters(self) -> None:
        async with self.database.tenant(self.scope.tenant_id) as tx:
            before = await endpoints.get(tx, self.scope, "orchard")
            changes = {"config": {"hide": [] if before.config["hide"] else HALF}}
            after = await endpoints.edit(tx, before, changes, expected_version=before.version, actor=OLGA)
        self.endpoint = after

    async def approve(self) -> None:
        async with self.database.tenant(self.scope.tenant_id) as tx:
            held, _ = await deciding.approve(tx, self.lane("live"), actor=OLGA)
        self.evidence.approved |= {held.generation}

    async def refuse(self) -> None:
        await self.transact(lambda tx: deciding.refuse(tx, self.lane("live"), actor=OLGA, reason="model"))

    async def retry_a_lane(self, lane: str) -> None:
        await self.transact(lambda tx: stop.retry(tx, self.lane(lane), actor=OLGA))

    async def discard_of_a_lane(self, lane: str) -> None:
        await self.transact(lambda tx: stop.discard(tx, self.lane(lane), actor=OLGA, reason="model"))

    async def retry_what_was_refused(self) -> None:
        """With a connector that has learnt meanwhile what to do with it."""
        entries = await self.transact(lambda tx: quarantine.listed(tx))
        picker = Picker(self.orchard, self.endpoint.config, "retry", Way("retry", learnt=True))
        await retrying.retry(self.database, picker, self.endpoint, entries, actor=OLGA)

    # what goes wrong

    def spoil_a_batch(self, which: int) -> None:
        """Something is wrong with it that nobody foresaw: it fails every time."""
        free = self.evidence.rows(
            "SELECT lane, seq, payload FROM harvest_outbox WHERE status = 'pending' ORDER BY lane, seq"
            " FOR UPDATE SKIP LOCKED"
        )
        if free:
            one = free[which % len(free)]
            self.spoilt.setdefault((one["lane"], one["seq"]), bytes(one["payload"]))
            self._write(one["lane"], one["seq"], SPOILT)

    def mend_the_batches(self) -> None:
        for (lane, seq), payload in self.spoilt.items():
            self._write(lane, seq, payload)

    def _write(self, lane: str, seq: int, payload: bytes) -> None:
        self.tables.execute(
            "UPDATE harvest_outbox SET payload = %s WHERE lane = %s AND seq = %s AND status = 'pending'",
            [payload, lane, seq],
        )

    def stopped(self) -> list[str]:
        rows = self.evidence.rows("SELECT lane FROM outbox_lanes WHERE stopped_at IS NOT NULL ORDER BY lane")
        return [row["lane"] for row in rows]

    def waiting(self) -> list[str]:
        """The lanes that have something to persist."""
        rows = self.evidence.rows(
            "SELECT DISTINCT l.lane FROM harvest_outbox o JOIN outbox_lanes l USING (tenant_id, project_id, endpoint_id, lane)"
            " WHERE o.status = 'pending' AND l.stopped_at IS NULL ORDER BY l.lane"
        )
        return [row["lane"] for row in rows]

    def sweep(self) -> None:
        """A subscriber of the next play must not find anything of this one's."""
        self.tables.execute("UPDATE harvest_outbox SET status = 'discarded' WHERE status = 'pending'")
