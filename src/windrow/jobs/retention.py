"""Jobs that have ended are kept a while for people to look at, and then removed: what they left elsewhere, the row, its events.

In this order, and each step by itself: the row is marked, so that nobody can retry the job any more; what its kind knows to
have left outside of the database is removed; the row goes. Whoever dies in between leaves a row that the next pass finds.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from windrow.contracts.errors import classify
from windrow.jobs.kinds import Kind
from windrow.postgres import Database, load, uuid_array
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import emit

Q = load(__package__)

KEEP = timedelta(days=7)
_AT_ONCE = 1000
# jobs that have left something elsewhere: each costs requests to wherever that is
_FEW = 50
# so many that cannot be forgotten now, and the rest of them waits for the next pass
_PATIENCE = 10


async def prune(database: Database, kinds: Iterable[Kind[Any]] = (), *, keep: timedelta = KEEP) -> int:
    """Remove what ended longer ago than that, of all tenants, together with what it left where its kind can say; how many."""
    forgetting = {kind.name: kind for kind in kinds if kind.forget}
    removed = await _forget(database, forgetting, keep)
    while not is_cancelled():
        async with database.system(Q.careful) as tx:
            gone: int = await tx.value(Q.prune, keep=keep, most=_AT_ONCE, but=list(forgetting))
        removed += gone
        if gone < _AT_ONCE:
            break
    if removed:
        emit("jobs.pruned", jobs=removed)
    return removed


async def _forget(database: Database, kinds: dict[str, Kind[Any]], keep: timedelta) -> int:
    removed, kept = 0, set[str]()
    while kinds and len(kept) < _PATIENCE and not is_cancelled():
        async with database.system(Q.careful) as tx:
            old = await tx.rows(Q.condemn, keep=keep, most=_FEW, kinds=list(kinds), kept=uuid_array(kept))
        forgotten = []
        for job in old:
            if len(kept) == _PATIENCE or is_cancelled():
                break
            if await _is_forgotten(kinds[job["kind"]], job):
                forgotten.append(job)
            else:
                kept.add(job["job_id"])
        async with database.system(Q.careful) as tx:
            removed += await tx.value(
                Q.remove,
                tenants=[job["tenant_id"] for job in forgotten],
                ids=uuid_array(job["job_id"] for job in forgotten),
            )
        if len(old) < _FEW:
            break
    return removed


async def _is_forgotten(kind: Kind[Any], job: dict[str, Any]) -> bool:
    assert kind.forget, "others are not asked"
    try:
        await kind.forget(job["tenant_id"], job["job_id"])
    except Exception as error:  # whatever it was: the row stays, and so the next pass knows what is left to do
        ours = classify(error)
        emit(
            "job.kept",
            tenant_id=job["tenant_id"],
            job_id=job["job_id"],
            kind=kind.name,
            error_class=ours.error_class,
            code=ours.code,
            error=error,
        )
        return False
    return True
