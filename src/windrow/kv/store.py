"""Put, get and delete: each one statement, alone or in the caller's transaction.

    match await kv.put(tx, key, cursor, expected_version=seen, request_id=page, semantics=CURSOR, writer=writer):
        case kv.Stored(version): ...
        case kv.Replayed(version): ...
        case kv.Stale() as stale: raise stale.conflict(key)

Given a `Database`, the statement is a transaction of its own. Given a `Transaction`, it is part of it, and what was
written is told (log, metrics) when that has committed. No answer breaks the caller's transaction.
"""

from functools import partial
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Actor
from windrow.kv import report
from windrow.kv.entry import Envelope, Purpose, Semantics, Writer
from windrow.kv.outcome import Outcome, Replayed, Stale, Stored
from windrow.kv.value import canonical
from windrow.kv.write import Write
from windrow.postgres import Database, Transaction, load
from windrow.postgres.pool import Row

Q = load(__package__)


async def get(where: Database | Transaction, key: Key) -> Envelope | None:
    """The entry, or None if it was never there, was deleted or has run out."""
    row = await where.row(Q.read, tenant=key.scope.tenant_id, key=str(key))
    return envelope(row) if row else None


async def put(
    where: Database | Transaction,
    key: Key,
    value: Any,
    *,
    expected_version: int,
    request_id: str,
    semantics: Semantics,
    writer: Writer,
    spec_ref: str | None = None,
    actor: Actor | None = None,
) -> Outcome:
    """Write over the version that the caller has seen; 0 means that nothing may be there."""
    write = Write(
        key=key,
        value=canonical(value),
        expected_version=expected_version,
        request_id=request_id,
        semantics=semantics,
        writer=writer,
        spec_ref=spec_ref,
        actor=actor,
    )
    return await _answer(where, write)


async def delete(
    where: Database | Transaction,
    key: Key,
    *,
    expected_version: int,
    request_id: str,
    writer: Writer,
    spec_ref: str | None = None,
    actor: Actor | None = None,
) -> Outcome:
    """Remove the version that the caller has seen. A deletion makes a version too: the next writer's is above it."""
    write = Write(
        key=key,
        value=None,
        expected_version=expected_version,
        request_id=request_id,
        semantics=None,
        writer=writer,
        spec_ref=spec_ref,
        actor=actor,
    )
    return await _answer(where, write)


def envelope(row: Row) -> Envelope:
    """A row of the table as its readers know it."""
    semantics = Semantics(Purpose(row["purpose"]), row["producer"], tuple(row["consumer_hints"]), row["ttl_seconds"])
    return Envelope(
        key=Key.parse(row["key"]),
        value=row["value"],
        version=row["version"],
        last_writer=row["last_writer"],
        semantics=semantics,
        request_id=row["request_id"],
        spec_ref=row["spec_ref"],
        updated_at=row["updated_at"],
        expires_at=row["expires_at"],
    )


async def _answer(where: Database | Transaction, write: Write) -> Outcome:
    row = await where.row(Q.write, **write.parameters())
    assert row, "kv_write always answers"
    outcome = _outcome(write, row)
    tell = partial(report.answered, write, outcome, row["found_purpose"])
    if isinstance(outcome, Stored):
        if row["lapsed"]:
            where.after_commit(partial(report.expired, write.key.scope.tenant_id, row["lapsed"]))
        where.after_commit(tell)
    else:
        tell()  # what was met stays true, whatever becomes of the transaction
    return outcome


def _outcome(write: Write, row: Row) -> Outcome:
    match row["outcome"]:
        case "stored":
            return Stored(row["at_version"])
        case "replayed":
            return Replayed(row["at_version"])
        case "stale":
            return Stale(row["at_version"], row["found_value"])
    raise ValidationFailure(
        f"request {write.request_id!r} has already written something else to {write.key}, as version {row['at_version']}",
        code=Code.REQUEST_REUSED,
        hint="use a new request id for a new write",
    )
