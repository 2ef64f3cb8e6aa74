"""What operators and the orchestration know about an endpoint: paused, halted, where it stands. In Postgres, since Temporal forgets."""

from dataclasses import asdict, dataclass
from datetime import datetime

from windrow.contracts.orders import Transition
from windrow.contracts.scope import Actor, Scope
from windrow.outbox.lane import Lane
from windrow.postgres import Database, Transaction, load
from windrow.telemetry.catalogue import orchestration as told
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "controls.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Paused by an operator, or halted by a failure that only a person can mend; and when the schedule is meant."""

    time_zone: str = "UTC"
    jitter_seconds: int = 0
    paused_at: datetime | None = None
    paused_by: str | None = None
    paused_why: str | None = None
    halted_at: datetime | None = None
    halted_code: str | None = None
    halted_why: str | None = None

    @property
    def held_back(self) -> str | None:
        """Why nothing begins by itself; None if it does."""
        if self.halted_at:
            return f"halted: {self.halted_why}"
        return f"paused: {self.paused_why}" if self.paused_at else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A step of an endpoint's lifecycle, as it was recorded."""

    project_id: str
    endpoint_id: str
    workflow_id: str
    number: int
    state: str
    before: str | None
    run_id: str | None
    reason: str | None
    error_class: str | None
    code: str | None
    failures: int
    next_retry_at: datetime | None
    at: datetime


async def find(tx: Transaction, scope: Scope, endpoint_id: str) -> Controls:
    """What is known."""
    found = await tx.into(Controls, Q.find, project=scope.project_id, endpoint=endpoint_id)
    return found[0] if found else Controls()


async def hold(tx: Transaction, scope: Scope, endpoint_id: str) -> Controls:
    """What is known, and nobody else changes it before this transaction ends."""
    return (await tx.into(Controls, Q.hold, project=scope.project_id, endpoint=endpoint_id))[0]


async def pause(tx: Transaction, scope: Scope, endpoint_id: str, actor: Actor, reason: str) -> None:
    """Nothing begins by itself from here on."""
    await tx.execute(Q.pause, project=scope.project_id, endpoint=endpoint_id, actor=actor.name, reason=reason)


async def resume(tx: Transaction, scope: Scope, endpoint_id: str) -> None:
    """A person has looked at it: neither paused nor halted any more."""
    await tx.execute(Q.resume, project=scope.project_id, endpoint=endpoint_id)


async def halt(tx: Transaction, scope: Scope, endpoint_id: str, code: str, why: str) -> None:
    """Nothing begins by itself until a person has acted."""
    said = PROCESS.text(why)[:2000].replace("\0", "\ufffd")
    await tx.execute(Q.halt, project=scope.project_id, endpoint=endpoint_id, code=code, why=said)


async def set_timing(tx: Transaction, scope: Scope, endpoint_id: str, time_zone: str, jitter_seconds: int) -> None:
    """In which zone the schedule is meant, and how far its runs may be spread."""
    await tx.execute(
        Q.timing, project=scope.project_id, endpoint=endpoint_id, time_zone=time_zone, jitter=jitter_seconds
    )


async def record(tx: Transaction, step: Transition) -> None:
    """A step of a lifecycle; told again, it is the same."""
    said = asdict(step)
    due = datetime.fromisoformat(step.next_retry_at) if step.next_retry_at else None
    reason = PROCESS.text(step.reason)[:2000].replace("\0", "\ufffd") if step.reason else None
    named = {"project": said.pop("project_id"), "endpoint": said.pop("endpoint_id")}
    said.pop("tenant_id")
    await tx.execute(Q.record, **(said | named | {"next_retry_at": due, "reason": reason}))


async def supersede(tx: Transaction, lane: Lane, run_id: str) -> None:
    """End what an earlier run of the lane left open: its workflow was terminated, or lost with Temporal's data."""
    await tx.execute(Q.supersede, **lane.key, run_id=run_id)


async def states(tx: Transaction, scope: Scope | None = None, endpoint_id: str | None = None) -> list[Standing]:
    """Where each endpoint stands."""
    return await tx.into(Standing, Q.states, project=scope.project_id if scope else None, endpoint=endpoint_id)


async def steps(tx: Transaction, scope: Scope, endpoint_id: str, *, limit: int = 20) -> list[Standing]:
    """How an endpoint came to where it stands, the latest first."""
    return await tx.into(Standing, Q.steps, project=scope.project_id, endpoint=endpoint_id, limit=limit)


async def tenants(database: Database) -> list[str]:
    """Those that have endpoints."""
    async with database.system() as tx:
        return [row["tenant_id"] for row in await tx.rows(Q.tenants)]


async def purge(database: Database, *, keep_days: int) -> int:
    """Remove the steps of lifecycles after their retention; how many."""
    gone = 0
    for tenant_id in await tenants(database):
        async with database.tenant(tenant_id) as tx:
            gone += await tx.execute(Q.purge, days=keep_days)
    return gone


async def measure(database: Database) -> dict[str, float]:
    """D2: how stale the catalog is, by connector; the worst endpoint of all tenants counts."""
    worst: dict[str, float] = {}
    for tenant_id in await tenants(database):
        async with database.tenant(tenant_id) as tx:
            for row in await tx.rows(Q.staleness):
                worst[row["connector"]] = max(worst.get(row["connector"], 0.0), row["seconds"])
    for connector, seconds in worst.items():
        told.CURSOR_LAG.set(seconds, directive=connector)
    return worst
