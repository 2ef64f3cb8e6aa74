"""A worker's hands without its head: each step of the protocol by itself, in whatever order a test likes."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.integration.jobs.workshop import AT_ONCE, kind, rest

from windrow.contracts.errors import WindrowError
from windrow.jobs import Kind, Kinds
from windrow.jobs.execution import Execution
from windrow.jobs.failure import End, Outcome, failed
from windrow.jobs.heart import Heart
from windrow.jobs.intake import Claim, Intake
from windrow.jobs.settle import Ended, Settler
from windrow.postgres import Database
from windrow.postgres.queries import load
from windrow.postgres.wakeups import Wakeup

Q = load("windrow.jobs")
LEASE = timedelta(seconds=30)


class Hands:
    """Acquire, beat, settle, as `name`."""

    def __init__(self, database: Database, name: str, *kinds: Kind[Any], tenant_most: int | None = None) -> None:
        self.database, self.name = database, name
        self.kinds = Kinds(*(kinds or (kind(rest),)))
        self.intake = Intake(self.kinds, name, LEASE, tenant_most=tenant_most)
        self._settler = Settler(name, AT_ONCE, lambda: 1.0)

    async def acquire(self, room: int = 1) -> list[Execution]:
        async with self.database.system() as tx:
            await tx.execute(Q.careful)
            claims = await self.intake.take(tx, room)
        return [self.execution(claim) for claim in claims]

    async def start(self, tenant: str, job_id: str) -> Execution | None:
        async with self.database.system() as tx:
            claim = await self.intake.start(tx, tenant, job_id)
        return self.execution(claim) if claim else None

    def execution(self, claim: Claim) -> Execution:
        return Execution(claim, self.kinds.find(claim.kind), self.database, Path("unused"), safe_until=1e18)

    async def beat(self, *held: Execution) -> dict[tuple[str, int], bool]:
        heart = Heart(self.database, self.name, {}, Wakeup(), interval=LEASE, safe=27.0)
        return await heart.ask(held)

    async def end(self, execution: Execution, end: End = End.DONE, error: WindrowError | None = None) -> None:
        await self.end_all([execution], end, error)

    async def end_all(
        self, executions: Iterable[Execution], end: End = End.DONE, error: WindrowError | None = None
    ) -> None:
        outcome = failed(error) if error else Outcome(end)
        async with self.database.system() as tx:
            await tx.execute(Q.careful)
            await self._settler.settle(tx, [Ended(one, outcome, 0.1) for one in executions])
