"""Enqueue, in the caller's transaction: the job is there if, and only if, the change that asked for it is.

    async with database.tenant(tenant) as tx:
        await orders.place(tx, order)
        await jobs.enqueue(tx, scope, "clip", ClipRequest(…))

Many at once are one statement and one wake-up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.contracts.scope import Scope, checked_name
from windrow.postgres import Transaction, load
from windrow.telemetry import context
from windrow.telemetry.catalogue import jobs as told

Q = load(__package__)

MAX_ATTEMPTS = 3
MOST_ATTEMPTS = 100
# higher is sooner; tenants take turns whatever the priorities of their jobs
PRIORITIES = range(-100, 101)
LARGEST_PAYLOAD = 256 * 1024
LONGEST_KEY = 200
_ROUNDS = 5


class Unique(StrEnum):
    """How long a dedupe key stays taken."""

    WHILE_UNFINISHED = "while_unfinished"
    WHILE_KEPT = "while_kept"  # until the row is pruned, however the job has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On which terms a job is taken. `run_at` is when it may begin at the earliest."""

    priority: int = 0
    run_at: datetime | None = None
    max_attempts: int = MAX_ATTEMPTS
    unique: Unique = Unique.WHILE_UNFINISHED

    def __post_init__(self) -> None:
        if self.priority not in PRIORITIES:
            raise _refusal(f"priority {self.priority} is not between {PRIORITIES[0]} and {PRIORITIES[-1]}")
        if not 1 <= self.max_attempts <= MOST_ATTEMPTS:
            raise _refusal(f"{self.max_attempts} attempts are not between 1 and {MOST_ATTEMPTS}")
        if self.run_at is not None and self.run_at.tzinfo is None:
            raise _refusal("a time without its zone is no time")


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The job's id, and whether it is a new one: with a dedupe key it may be the one that is there already."""

    job_id: str
    fresh: bool


NORMAL = Terms()


async def enqueue(
    tx: Transaction,
    scope: Scope,
    kind: str,
    payload: BaseModel,
    *,
    terms: Terms = NORMAL,
    dedupe_key: str | None = None,
) -> Enqueued:
    """Add a job, or find the one that has the dedupe key."""
    keys = None if dedupe_key is None else [dedupe_key]
    return (await enqueue_many(tx, scope, kind, [payload], terms=terms, dedupe_keys=keys))[0]


async def enqueue_many(
    tx: Transaction,
    scope: Scope,
    kind: str,
    payloads: Sequence[BaseModel],
    *,
    terms: Terms = NORMAL,
    dedupe_keys: Sequence[str] | None = None,
) -> list[Enqueued]:
    """Add jobs of one kind, in this order, with a dedupe key each or with none; what became of each."""
    checked_name("kind", kind)
    texts = [_text(payload) for payload in payloads]
    if not texts:
        return []
    if dedupe_keys is not None:
        named = list(zip(map(_checked, dedupe_keys), texts, strict=True))
        return await _unique(tx, scope, kind, terms, dict(reversed(named)), dedupe_keys)
    row = await tx.row(Q.enqueue, payloads="\n".join(texts), **_asked(scope, kind, terms))
    assert row, "an aggregate always answers"
    tx.after_commit(lambda: told.ENQUEUED.add(len(texts), kind=kind))
    return [Enqueued(job_id, fresh=True) for job_id in row["ids"]]


async def _unique(
    tx: Transaction, scope: Scope, kind: str, terms: Terms, texts: dict[str, str], keys: Sequence[str]
) -> list[Enqueued]:
    found: dict[str, Enqueued] = {}
    for _ in range(_ROUNDS):
        open_keys = [key for key in dict.fromkeys(keys) if key not in found]
        if not open_keys:
            break
        lines = "\n".join(texts[key] for key in open_keys)
        kept = terms.unique is Unique.WHILE_KEPT
        made = await tx.rows(Q.enqueue_unique, payloads=lines, keys=open_keys, kept=kept, **_asked(scope, kind, terms))
        # whoever has a key may end, and free it, before it is looked for: then the next round takes it
        there = await tx.rows(Q.keyed, kind=kind, keys=open_keys) if len(made) < len(open_keys) else []
        found |= {row["key"]: Enqueued(row["id"], fresh=False) for row in there}
        found |= {row["key"]: Enqueued(row["id"], fresh=True) for row in made}
    if len(found) < len(texts):
        raise Conflict("dedupe keys are taken and freed faster than they can be read", code=Code.CONTENTION)
    fresh = sum(one.fresh for one in found.values())
    tx.after_commit(lambda: told.ENQUEUED.add(fresh, kind=kind))
    return _in_order(keys, found)


def _in_order(keys: Sequence[str], found: dict[str, Enqueued]) -> list[Enqueued]:
    """As asked for; of a key that was given twice, only the first made the job."""
    answered: list[Enqueued] = []
    seen: set[str] = set()
    for key in keys:
        answered.append(replace(found[key], fresh=found[key].fresh and key not in seen))
        seen.add(key)
    return answered


def _asked(scope: Scope, kind: str, terms: Terms) -> dict[str, object]:
    return {
        "project": scope.project_id,
        "kind": kind,
        "priority": terms.priority,
        "run_at": terms.run_at,
        "max_attempts": terms.max_attempts,
        "correlation": context.current().get("correlation_id"),
    }


def _text(payload: BaseModel) -> str:
    """As JSON on one line: no encoder leaves a line break in a string."""
    try:
        text = payload.model_dump_json()
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise _refusal(f"the payload cannot be written as JSON: {error}") from error
    if len(text) > LARGEST_PAYLOAD:
        raise ValidationFailure(
            f"the payload is larger than {LARGEST_PAYLOAD >> 10} KiB as JSON",
            code=Code.TOO_LARGE,
            hint="keep it as an object, and name its key in the payload",
        )
    if "\\u0000" in text and "\0" in str(payload.model_dump()):
        raise _refusal("the payload holds a NUL character, which Postgres cannot hold")
    return text


def _checked(key: str) -> str:
    if not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise _refusal(f"a dedupe key is 1 to {LONGEST_KEY} printable characters, not {key[:80]!r}")
    return key


def _refusal(why: str) -> ValidationFailure:
    return ValidationFailure(f"the job is refused: {why}", code=Code.INVALID_VALUE)
