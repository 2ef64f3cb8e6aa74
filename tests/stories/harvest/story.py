"""How a story is told: tenants that each have the gazette for a source, and processes that are started for them."""

import asyncio
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.web import Web
from tests.stories.harvest import ledger
from tests.stories.harvest.audit import check_tables
from tests.stories.harvest.faults import Fault
from tests.stories.harvest.gazette import LANES, sell
from tests.stories.harvest.processes import KILLED, Child, Said
from tests.stories.harvest.roles import ENDPOINT, Job, run_of
from tests.stories.harvest.testimony import check_testimony

from windrow import endpoints
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database

_HARVESTED = (
    "kv",
    "harvest_lanes",
    "outbox_lanes",
    "harvest_outbox",
    "harvest_runs",
    "quarantine",
    "listings",
    "listing_pages",
)
_KEPT = "SELECT coalesce(json_agg(kept), '[]')::text AS rows FROM {0} AS kept"
_COLUMNS = """
SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns FROM information_schema.columns
 WHERE table_schema = 'windrow' AND table_name = %s AND is_generated = 'NEVER'
"""
_COPIED = "INSERT INTO {0} ({1}) SELECT {1} FROM json_populate_recordset(NULL::{0}, %s::json)"
_PENDING = (
    "SELECT FROM harvest_outbox JOIN outbox_lanes USING (tenant_id, project_id, endpoint_id, lane)"
    " WHERE status = 'pending' AND stopped_at IS NULL LIMIT 1"
)
_ATTEMPTS = 5
SHARED = ""  # subscribers work for whoever has something


@dataclass
class Story:
    """One database, one source, and everything that was ever said by a process of the story."""

    database: Database
    source: str
    logs: Path
    unheard: int = 0
    said: dict[str, list[Said]] = field(default_factory=lambda: defaultdict(list))
    _started: Counter[str] = field(default_factory=Counter)
    _alive: list[Child] = field(default_factory=list)

    @classmethod
    @asynccontextmanager
    async def begin(cls, database: Database, logs: Path) -> AsyncIterator["Story"]:
        async with Web() as web:
            story = cls(database, sell(web), logs)
            try:
                yield story
            finally:
                await story._leave_nobody()

    async def tenant(self, name: str) -> str:
        """A tenant whose endpoint has never been harvested."""
        endpoint = Endpoint(
            scope=Scope(name, "main"), endpoint_id=ENDPOINT, connector="gazette", config={"url": self.source}
        )
        async with self.database.tenant(name) as tx:
            await endpoints.add(tx, endpoint, Actor("ada", "test"))
        return name

    async def kept(self, tenant: str) -> dict[str, str]:
        """All that was harvested for a tenant, before anything of it is persisted; by table, as JSON."""
        async with self.database.tenant(tenant) as tx:
            return {
                table: (await (await tx.connection.execute(_KEPT.format(table).encode())).fetchone() or {})["rows"]
                for table in _HARVESTED
            }

    async def copy(self, kept: dict[str, str], tenant: str, name: str) -> None:
        """Another tenant, for whom just the same was harvested."""
        async with self.database.tenant(name) as tx:
            for table, rows in kept.items():
                columns = (await (await tx.connection.execute(_COLUMNS, [table])).fetchone() or {})["columns"]
                await tx.connection.execute(_COPIED.format(table, columns).encode(), [rows.replace(tenant, name)])
        self.said[name] += self.said[tenant]

    def start(self, role: str, tenant: str = SHARED, **more: Any) -> Child:
        self._started[role] += 1
        log = self.logs / f"{role}-{tenant}-{self._started[role]}.jsonl"
        child = Child(Job(role=role, tenant=tenant, database_url=self.database.url, log=log, **more))
        self._alive.append(child)
        return child

    async def ended(self, child: Child) -> int:
        """Its exit code; what it said is kept for the audit."""
        code = await child.ended()
        self._alive.remove(child)
        self.said[child.job.tenant].append(Said.read(child.job, died=code == KILLED))
        return code

    async def run(self, role: str, tenant: str = SHARED, fault: Fault | None = None, **more: Any) -> int:
        """A process from its start to its end."""
        return await self.ended(self.start(role, tenant, fault=fault, **more))

    async def harvest(self, tenant: str, lanes: Iterable[str] = tuple(LANES)) -> None:
        """Try again whatever has not come to its end, as the orchestrator does."""
        for _ in range(_ATTEMPTS):
            ended = {line["run_id"] for said in self.said[tenant] for line in said.events("harvest.ended")}
            due = tuple(lane for lane in lanes if run_of(lane) not in ended)
            if not due or await self.run("harvester", tenant, lanes=due) == 0:
                return
        raise AssertionError(f"{_ATTEMPTS} attempts came to nothing: {self.said[tenant][-1].lines[-5:]}")

    async def drain(self) -> None:
        """Subscribe until nothing is pending: what a dead process had in hand is free once the server notices."""
        while await self.pending():
            assert await self.run("subscriber") == 0

    async def points(self, role: str, tenant: str = SHARED, **more: Any) -> list[str]:
        """The points of a process that nothing befalls."""
        assert await self.run(role, tenant, noting=True, **more) == 0
        return self.said[tenant][-1].points

    async def each(self, act: Callable[[str, str], Awaitable[None]], points: Mapping[str, str], at_once: int) -> None:
        """Act for every tenant and its point, so many at a time."""
        turns = asyncio.Semaphore(at_once)

        async def in_turn(tenant: str, point: str) -> None:
            async with turns:
                await act(tenant, point)

        async with asyncio.TaskGroup() as group:
            for tenant, point in points.items():
                group.create_task(in_turn(tenant, point))

    async def audit(self, tenants: Iterable[str]) -> list[str]:
        """What is wrong, of all of them: at which point it began, and what it came to."""
        return [wrong for tenant in tenants for wrong in await self._wrong_with(tenant)]

    async def _wrong_with(self, tenant: str) -> list[str]:
        found = await ledger.read(self.database, tenant)
        said = [*self.said[tenant], *self.said[SHARED]]
        check_tables(found)
        if not found.wrong:
            check_testimony(found, said, self.unheard)
        fates = [f"{one.job.fault.act} {one.job.fault.at}" for one in said if one.job.fault]
        return [f"{fates}: {wrong}" for wrong in found.wrong]

    async def pending(self) -> bool:
        """Whether a subscriber could do something."""
        async with self.database.system() as tx:
            found = await tx.connection.execute(_PENDING)
            return await found.fetchone() is not None

    async def _leave_nobody(self) -> None:
        for child in self._alive:
            child.send(signal.SIGKILL)
            await child.ended()


def points_of(reached: list[str]) -> dict[str, str]:
    """A tenant for each point."""
    return {f"point-{number}": point for number, point in enumerate(reached)}
