"""What time does to entries: the ones that ran out become tombstones, old requests leave the ledger.

Both claim as the system role, which sees keys and times but no values, and in bounded passes: call again while the
answer equals the limit.
"""

from collections import defaultdict

from windrow.kv import report
from windrow.postgres import Database, load

LEDGER_DAYS = 90

Q = load(__package__)


async def sweep(database: Database, *, limit: int = 500) -> int:
    """Soft-delete entries past their time, each logged with its semantics; how many."""
    async with database.system() as tx:
        due = await tx.rows(Q.due, limit=limit)
    by_tenant: dict[str, list[str]] = defaultdict(list)
    for row in due:
        by_tenant[row["tenant_id"]].append(row["key"])
    return sum([await _expire(database, tenant_id, keys) for tenant_id, keys in by_tenant.items()])


async def _expire(database: Database, tenant_id: str, keys: list[str]) -> int:
    async with database.tenant(tenant_id) as tx:
        lapsed = await tx.rows(Q.expire, keys=keys)
    for row in lapsed:
        report.expired(tenant_id, row)
    return len(lapsed)


async def purge_requests(database: Database, *, keep_days: float = LEDGER_DAYS, limit: int = 10_000) -> int:
    """Forget the requests of long ago, except those whose version is still the present one; how many."""
    async with database.system() as tx:
        return await tx.execute(Q.purge, seconds=keep_days * 86_400, limit=limit)
