"""Looking around: entries by prefix, and what happened to one."""

from dataclasses import dataclass

from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.kv.entry import Envelope
from windrow.kv.store import envelope
from windrow.postgres import Transaction, audit, load

MOST = 500
# above every character of a key: what begins with the prefix sorts between the prefix and this
_ABOVE = "\x7f"

Q = load(__package__)


@dataclass(frozen=True, slots=True)
class Page:
    """Entries in key order, and after which key to go on; None when there are no more."""

    entries: tuple[Envelope, ...]
    next: Key | None


async def entries(
    tx: Transaction, scope: Scope, prefix: str = "", *, after: Key | None = None, limit: int = 100
) -> Page:
    """The entries of a project whose path begins with the prefix."""
    begin = f"tenant/{scope.tenant_id}/project/{scope.project_id}/{prefix}"
    size = max(1, min(limit, MOST))
    rows = await tx.rows(Q.page, begin=begin, after=str(after) if after else "", end=begin + _ABOVE, limit=size + 1)
    found = tuple(envelope(row) for row in rows[:size])
    return Page(found, found[-1].key if len(rows) > size else None)


async def history(tx: Transaction, key: Key, *, before: int | None = None, limit: int = 50) -> list[audit.Entry]:
    """What was written to a key, newest first: who, when, which version, hashes of before and after."""
    return await audit.history(tx, subject=str(key), before=before, limit=limit)
