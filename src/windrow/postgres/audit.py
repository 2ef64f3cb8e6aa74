"""The audit trail: who did what to which thing, by which authority; hashes of before and after, never values."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from windrow.contracts.scope import Actor
from windrow.postgres.pool import Transaction
from windrow.postgres.queries import load
from windrow.telemetry import context
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "audit.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the trail, as it is read."""

    id: int
    at: datetime
    tenant_id: str
    project_id: str | None
    actor: str
    authority: str
    action: str
    subject: str
    before_hash: str | None
    after_hash: str | None
    reason: str | None
    spec_ref: str | None
    request_id: str | None
    correlation_id: str | None
    details: dict[str, Any] | None


def digest(value: Any) -> str | None:
    """The hash by which a value is known in the trail; the same value in any key order hashes alike."""
    if value is None:
        return None
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


async def record(
    tx: Transaction,
    actor: Actor,
    action: str,
    subject: str,
    *,
    before: Any = None,
    after: Any = None,
    project_id: str | None = None,
    reason: str | None = None,
    spec_ref: str | None = None,
    request_id: str | None = None,
    details: dict[str, Any] | None = None,
) -> int:
    """Add a line, in the transaction that makes the change; its number."""
    number: int = await tx.value(
        Q.record,
        project_id=project_id,
        actor=actor.name,
        authority=actor.authority,
        action=action,
        subject=subject,
        before_hash=digest(before),
        after_hash=digest(after),
        reason=PROCESS.text(reason) if reason else None,
        spec_ref=spec_ref,
        request_id=request_id,
        correlation_id=context.current().get("correlation_id"),
        details=Jsonb(PROCESS.value(details)) if details else None,
    )
    return number


async def history(
    tx: Transaction,
    *,
    subject: str | None = None,
    actor: str | None = None,
    action: str | None = None,
    since: datetime | None = None,
    before: int | None = None,
    limit: int = 50,
) -> list[Entry]:
    """The newest lines first: of one subject (or of all that begin with it, when it ends in `*`), one actor, one action."""
    prefix = subject.removesuffix("*") if subject and subject.endswith("*") else None
    return await tx.into(
        Entry,
        Q.history,
        subject=None if prefix is not None else subject,
        prefix=prefix,
        actor=actor,
        action=action,
        since=since,
        before=before,
        limit=limit,
    )


async def actions(tx: Transaction, *, limit: int = 200) -> list[str]:
    """Each kind of act that the trail knows, by name."""
    return [row["action"] for row in await tx.rows(Q.actions, limit=limit)]
