"""Media jobs that have ended are kept a while for people to look at, and then removed: their objects first, then the row.

One that was enriched and that nobody has taken since is at its end too. A row is condemned before: nobody can retry it any
more. Whoever dies in between leaves it to the next pass.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from windrow.contracts.errors import classify
from windrow.contracts.scope import Scope
from windrow.postgres import Database, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit

Q = load(__package__, "retention.sql")

# each costs requests to the store
_AT_ONCE = 50
# so many that cannot be forgotten now, and the rest waits for the next pass
_PATIENCE = 10

# removes the objects of a job
Forget = Callable[[Scope, str], Awaitable[None]]


async def prune(database: Database, forget: Forget, *, keep: timedelta) -> int:
    """Remove what ended longer ago than that, of all tenants; how many."""
    removed, kept = 0, list[tuple[str, str]]()
    while len(kept) < _PATIENCE and not is_cancelled():
        condemned = await _condemn(database, keep, kept)
        for scope, job_id in condemned:
            if is_cancelled() or len(kept) == _PATIENCE:
                break
            if await _is_forgotten(forget, scope, job_id):
                async with database.system() as tx:
                    removed += await tx.execute(Q.remove, tenant_id=scope.tenant_id, job_id=job_id)
            else:
                kept.append((scope.tenant_id, job_id))
        if len(condemned) < _AT_ONCE:
            break
    if removed:
        emit("media.pruned", jobs=removed)
    return removed


async def _condemn(database: Database, keep: timedelta, but: list[tuple[str, str]]) -> list[tuple[Scope, str]]:
    spared = {"tenants": [tenant_id for tenant_id, _ in but], "job_ids": [job_id for _, job_id in but]}
    async with database.system() as tx:
        found = await tx.rows(Q.condemn, keep=keep, most=_AT_ONCE, **spared)
    return [(Scope(row["tenant_id"], row["project_id"]), row["job_id"]) for row in found]


async def _is_forgotten(forget: Forget, scope: Scope, job_id: str) -> bool:
    try:
        await forget(scope, job_id)
    except Exception as error:  # whatever it was: the row stays, and so the next pass knows what is left to do
        ours = classify(error)
        emit(
            "media.kept",
            tenant_id=scope.tenant_id,
            project_id=scope.project_id,
            job_id=job_id,
            error_class=ours.error_class,
            code=ours.code,
            error=error,
        )
        return False
    return True
