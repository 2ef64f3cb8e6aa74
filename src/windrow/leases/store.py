"""Acquire, renew, release and check: each one statement, alone or in the caller's transaction.

Only the database's clock decides. A lease whose time ran out is lost even if nobody has taken it since: its holder has
had to stop by then (see `held`), and whoever counts the live ones must be able to rely on it that the dead stay dead.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.leases import report
from windrow.leases.lease import Held, Lease, Lost, Reason
from windrow.postgres import Database, Transaction, load

MOST_SLOTS = 1000
LONGEST = timedelta(days=7)
_LONGEST_HOLDER = 200

Q = load(__package__)


async def acquire(
    where: Database | Transaction, key: Key, holder: str, *, ttl: timedelta, slots: int = 1
) -> Lease | Held:
    """One of the slots of the key, if one is free. The same holder again gets its slot anew, under the next epoch."""
    _check_request(holder, ttl, slots)
    row = await where.row(Q.acquire, tenant=key.scope.tenant_id, key=str(key), holder=holder, ttl=ttl, slots=slots)
    assert row, "lease_acquire always answers"
    if row["at_slot"] is None:
        report.denied(key, holder, row["held_by"])
        return Held(row["held_by"], row["held_until"])
    lease = Lease(key, row["at_slot"], row["at_epoch"], holder, ttl, row["at_expiry"])
    where.after_commit(partial(report.acquired, lease))
    return lease


async def renew(where: Database | Transaction, lease: Lease) -> Lease | Lost:
    """The lease for its whole time from now, unless it was lost."""
    row = await where.row(Q.renew, **_naming(lease))
    assert row, "lease_renew always answers"
    if row["lost"]:
        return _lost(lease, row["lost"])
    return Lease(lease.key, lease.slot, lease.epoch, lease.holder, lease.ttl, row["at_expiry"])


async def release(where: Database | Transaction, lease: Lease) -> bool:
    """Give it back; False if it was lost before, and then nothing is touched."""
    row = await where.row(Q.release, **_naming(lease))
    assert row, "lease_release always answers"
    if row["lost"]:
        _lost(lease, row["lost"])
        return False
    where.after_commit(partial(report.released, lease))
    return True


async def check(tx: Transaction, lease: Lease) -> None:
    """The fence: Conflict unless the lease holds, and then nobody can take it before this transaction ends."""
    row = await tx.row(Q.check, **_naming(lease))
    assert row, "lease_check always answers"
    if row["lost"]:
        raise _lost(lease, row["lost"]).conflict(lease)


async def live(tx: Transaction, key: Key) -> list[Lease]:
    """The leases on a key that hold at this moment, for people to look at."""
    return [Lease(key=key, **row) for row in await tx.rows(Q.live, key=str(key))]


def _naming(lease: Lease) -> dict[str, Any]:
    return {
        "tenant": lease.key.scope.tenant_id,
        "key": str(lease.key),
        "slot": lease.slot,
        "epoch": lease.epoch,
        "holder": lease.holder,
    }


def _lost(lease: Lease, reason: str) -> Lost:
    lost = Lost(Reason(reason))
    if lost.reason is not Reason.RELEASED:  # to give back twice is nothing remarkable
        report.lost(lease, lost)
    return lost


def _check_request(holder: str, ttl: timedelta, slots: int) -> None:
    rules = {
        f"a holder is 1 to {_LONGEST_HOLDER} printable characters": (
            0 < len(holder) <= _LONGEST_HOLDER and holder.isprintable()
        ),
        f"a lease lasts more than nothing and at most {LONGEST.days} days": timedelta(0) < ttl <= LONGEST,
        f"a key has 1 to {MOST_SLOTS} slots": 0 < slots <= MOST_SLOTS,
    }
    for rule, kept in rules.items():
        if not kept:
            raise ValidationFailure(f"the lease is refused: {rule}", code=Code.INVALID_VALUE)
