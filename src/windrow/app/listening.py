"""Looks up what sources have told: woken by each tiding, an endpoint at a time, in whichever process is free."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from windrow import endpoints, leases
from windrow.app.sources import Sources
from windrow.connectors.connector import Connector
from windrow.connectors.tidings import Hearing
from windrow.contracts.errors import Code, Conflict, ValidationFailure, WindrowError
from windrow.contracts.keys import Key
from windrow.contracts.retry import RetryPolicy
from windrow.endpoints import Endpoint
from windrow.harvest import tidings
from windrow.harvest.slice import Order
from windrow.harvest.subscriber import Subscriber
from windrow.harvest.sync import Sync
from windrow.harvest.tidings import LookedUp, Waiting
from windrow.postgres import Database
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit

POLL = timedelta(seconds=30)
SLICE = timedelta(seconds=30)
_LEASE = timedelta(seconds=60)
# endpoints at a time: one that answers slowly does not hold up the others
_AT_ONCE = 8
# a source that cannot be asked now; the schedule's own harvest brings the same in any case
_LATER = RetryPolicy(timedelta(minutes=1), timedelta(hours=1), attempts=None, spread=0.2)


@dataclass(slots=True)
class Listener:
    """Of one process. `clock` is the loop's: how long an endpoint in trouble is left alone."""

    database: Database
    sources: Sources
    subscriber: Subscriber
    wakeup: Wakeup
    clock: Callable[[], float]
    name: str = field(default_factory=lambda: f"listener-{uuid.uuid4().hex[:8]}")
    _trouble: dict[Waiting, tuple[int, float]] = field(default_factory=dict)

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="harvester", directive="tidings"):
            await keep_on(self.step, self.wakeup, POLL, random.random, _stalled)

    async def step(self) -> bool:
        """Look up what waits; whether anything was."""
        found = [one for one in await tidings.waiting(self.database) if self._is_due(one)]
        async with asyncio.TaskGroup() as group:
            tried = [group.create_task(self._attend(one)) for one in found[:_AT_ONCE]]
        return any(one.result() for one in tried)

    async def _attend(self, about: Waiting) -> bool:
        with bound(tenant_id=about.scope.tenant_id, project_id=about.scope.project_id):
            return await self._tried(about)

    async def _tried(self, about: Waiting) -> bool:
        key = Key.of(about.scope, "tidings", about.endpoint_id)
        try:
            async with leases.held(self.database, key, self.name, ttl=_LEASE):
                looked_up = await self._look_up(about)
        except Conflict as conflict:
            if conflict.code in (Code.CONTENTION, Code.ALREADY_RUNNING, Code.LEASE_LOST):
                return False  # another process is at it
            self._postpone(about, conflict)
        except WindrowError as error:
            self._postpone(about, error)
        else:
            self._trouble.pop(about, None)
            emit("tidings.looked_up", endpoint_id=about.endpoint_id, tidings=looked_up)
            return looked_up > 0
        return False

    async def _look_up(self, about: Waiting) -> int:
        async with self.database.tenant(about.scope.tenant_id) as tx:
            endpoint = await endpoints.get(tx, about.scope, about.endpoint_id)
        order = Order(
            endpoint=endpoint,
            lane=about.lane,
            run_id=f"{about.endpoint_id}-tidings-{uuid.uuid4().hex[:8]}",
            budget=SLICE,
        )
        sync = Sync(
            database=self.database,
            subscriber=self.subscriber,
            connector=lambda: self._opened(endpoint, order.run_id, about),
            delay=lambda *_: None,  # what fails is postponed, and the others go on
        )
        await sync.run(order)
        return await tidings.settle(self.database, about, endpoint.connector)

    @asynccontextmanager
    async def _opened(self, endpoint: Endpoint, run_id: str, about: Waiting) -> AsyncIterator[Connector[Any]]:
        async with self.sources.open(endpoint, run_id, lambda: False) as connector:
            if not isinstance(connector, Hearing):
                raise ValidationFailure(f"{endpoint.connector} cannot be told anything", code=Code.INVALID)
            yield LookedUp(connector, self.database, about)

    def _is_due(self, about: Waiting) -> bool:
        _, not_before = self._trouble.get(about, (0, 0.0))
        return self.clock() >= not_before

    def _postpone(self, about: Waiting, error: WindrowError) -> None:
        failures = self._trouble.get(about, (0, 0.0))[0] + 1
        delay = (_LATER.delay(failures, random.random()) or timedelta(0)).total_seconds()  # noqa: S311 - no secret
        self._trouble[about] = (failures, self.clock() + delay)
        emit(
            "tidings.postponed",
            endpoint_id=about.endpoint_id,
            error_class=error.error_class,
            code=error.code,
            retry_in_seconds=round(delay, 1),
            error=error,
        )


def _stalled(error: WindrowError, delay: timedelta) -> None:
    emit(
        "tidings.postponed",
        endpoint_id="",
        error_class=error.error_class,
        code=error.code,
        retry_in_seconds=delay.total_seconds(),
        error=error,
    )
