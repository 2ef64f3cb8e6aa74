"""This very repository, harvested, searched, and harvested again."""

from collections.abc import Callable
from pathlib import Path

from windrow import endpoints
from windrow.app.syncing import synced
from windrow.catalog import reading
from windrow.catalog.search import Found, search
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.run import Run
from windrow.harvest.slice import SliceReport
from windrow.postgres import Database
from windrow.settings import Settings

ENDPOINT = "demo"


async def source(database: Database, scope: Scope, here: Path, actor: Actor) -> Endpoint:
    """The endpoint of the demo: the repository of this directory, or its files where it is none."""
    is_repository = any((above / ".git").exists() for above in (here, *here.parents))
    wanted = Endpoint(
        scope=scope,
        endpoint_id=ENDPOINT,
        connector="git" if is_repository else "files",
        config={"path": str(here)},
    )
    async with database.tenant(scope.tenant_id) as tx:
        found = await endpoints.find(tx, scope, ENDPOINT)
        if found is None:
            return await endpoints.add(tx, wanted, actor)
        if found.config == wanted.config:
            return found
        return await endpoints.edit(
            tx, found, {"config": wanted.config}, expected_version=found.version, actor=actor, reason="demo"
        )


async def harvested(settings: Settings, database: Database, scope: Scope, watch: Callable[[SliceReport], None]) -> Run:
    """One run of it, to its end."""
    return await synced(settings, database, scope, ENDPOINT, watch=watch, cancelled=lambda: False)


async def counted(database: Database, scope: Scope) -> list[reading.Count]:
    """What there is now."""
    async with database.tenant(scope.tenant_id) as tx:
        return await reading.counts(tx, scope, endpoint=ENDPOINT)


async def looked_for(database: Database, scope: Scope, words: str, limit: int = 5) -> Found:
    """What is found by these words."""
    async with database.tenant(scope.tenant_id) as tx:
        return await search(tx, scope, words, limit=limit)
