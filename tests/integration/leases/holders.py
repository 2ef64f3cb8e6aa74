"""What the tests of leases hold: one key, and time that passes without waiting for it."""

from datetime import timedelta

from windrow import leases
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.leases import Held, Lease
from windrow.postgres import Database, Transaction

KEY = Key.of(Scope("acme", "main"), "preview", "github")
MINUTE = timedelta(minutes=1)


async def acquire(
    where: Database | Transaction, holder: str, *, slots: int = 1, ttl: timedelta = MINUTE, key: Key = KEY
) -> Lease | Held:
    return await leases.acquire(where, key, holder, ttl=ttl, slots=slots)


async def taken(where: Database | Transaction, holder: str, *, slots: int = 1, ttl: timedelta = MINUTE) -> Lease:
    lease = await acquire(where, holder, slots=slots, ttl=ttl)
    assert isinstance(lease, Lease), lease
    return lease


async def run_out(where: Database | Transaction, key: Key = KEY, slot: int | None = None) -> None:
    """Let the time of the key's leases pass, by moving their end instead of waiting for it."""
    if isinstance(where, Database):
        async with where.tenant(key.scope.tenant_id) as tx:
            await run_out(tx, key, slot)
        return
    await where.connection.execute(
        """UPDATE leases SET expires_at = least(expires_at, clock_timestamp() - interval '1 ms')
            WHERE key = %s AND (%s::int IS NULL OR slot = %s)""",
        [str(key), slot, slot],
    )
