"""Places: so many at once, and no more. A place is a lease of the workflow's: a worker that dies gives it back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio import activity

from windrow import leases
from windrow.contracts.errors import Code, Conflict
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.postgres import Database

_TTL = timedelta(seconds=60)


class NoPlace(Exception):
    """All are taken, or ours was lost on the way. Not of the family: nothing went wrong, it is looked for again."""


def tenant_places(tenant_id: str) -> Key:
    """Of a tenant's runs, whatever their project."""
    return Key.of(Scope(tenant_id, "all-projects"), "orchestration", "runs")


def preview_places(scope: Scope, endpoint_id: str) -> Key:
    """Of an endpoint's previews."""
    return Key.of(scope, "orchestration", "previews", endpoint_id)


@asynccontextmanager
async def place(database: Database, key: Key, places: int) -> AsyncIterator[None]:
    """Hold one of the places while the body runs. The same workflow, on another worker, gets its own again."""
    holder = activity.info().workflow_run_id or activity.info().activity_id
    has_one = False
    try:
        async with leases.held(database, key, holder, ttl=_TTL, slots=places):
            has_one = True
            yield
    except Conflict as error:
        if has_one and error.code is not Code.LEASE_LOST:
            raise
        raise NoPlace from error
