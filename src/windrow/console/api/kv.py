"""`/api/v1/kv`: the semantic store. Cursors and checkpoints are shown as fingerprints (OR-51), and not written here."""

import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from windrow import kv
from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.once import Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.versions import IfMatch, IfNoneMatch, expected_or_new, expected_version, tagged
from windrow.console.api.wording import Word
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.postgres import Transaction
from windrow.telemetry.redaction import PROCESS

router = resource("kv")

_PATH = r"^[a-z0-9._:@=+~/-]*$"
_WRITER = kv.Writer("meta-api", "kv")

Named = Annotated[str, Path(max_length=256, pattern=_PATH, description="Its path.")]


class KvEntry(BaseModel):
    """An entry: its value or, of a cursor or checkpoint, the fingerprint of it; what it is for, and who wrote it."""

    path: str
    version: int
    purpose: kv.Purpose
    producer: str
    value: Any
    last_writer: str
    spec_ref: str | None
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, entry: kv.Envelope, fingerprints: kv.Fingerprints) -> "KvEntry":
        purpose = entry.semantics.purpose
        return cls(
            path=entry.key.path,
            version=entry.version,
            purpose=purpose,
            producer=entry.semantics.producer,
            value=fingerprints.of(entry.value) if purpose in kv.HIDDEN else PROCESS.value(entry.value),
            last_writer=entry.last_writer,
            spec_ref=entry.spec_ref,
            updated_at=entry.updated_at,
            expires_at=entry.expires_at,
        )


class KvWish(BaseModel):
    """What is to be there, and what it is for; `ttl_seconds` is how long after this write it holds."""

    model_config = ConfigDict(extra="forbid")

    value: Any = Field(description="Any JSON, up to a megabyte.")
    purpose: Literal["annotation", "feature_flag", "lock", "latch"] = "annotation"
    ttl_seconds: int | None = Field(None, ge=1, le=10 * 366 * 24 * 3600)
    spec_ref: Annotated[Word, Field(max_length=200)] | None = Field(None, description="The spec that it follows.")


class KvDeleted(BaseModel):
    """It is gone. The deletion made a version too: that of the next write is above it."""

    path: str
    version: int


@router.get("/kv")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    prefix: Annotated[str, Query(max_length=200, pattern=_PATH, description="Only paths that begin with this.")] = "",
) -> Page[KvEntry]:
    """The entries of the project, by path."""
    turn = asked.about("kv", str, prefix=prefix)
    after = Key(caller.scope, turn.after) if turn.after else None
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        fingerprints = await kv.Fingerprints.load(tx, caller.scope.tenant_id)
        found = await kv.entries(tx, caller.scope, prefix, after=after, limit=turn.limit)
    shown = [KvEntry.of(entry, fingerprints) for entry in found.entries]
    return Page(items=shown, next=turn.behind(found.next.path if found.next else None))


@router.get("/kv/{path:path}")
async def shown(caller: Reader, here: Here, path: Named, response: Response) -> KvEntry:
    """One entry."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return tagged(response, await _shown(tx, Key(caller.scope, path)))


@router.put("/kv/{path:path}", responses={201: {"model": KvEntry, "description": "It is new."}})
async def written(
    caller: Writer,
    here: Here,
    once: Repeatable,
    path: Named,
    said: KvWish,
    response: Response,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> KvEntry:
    """Write over the version that was seen (`If-Match`), or where nothing is (`If-None-Match: *`)."""
    key, purpose = Key(caller.scope, path), kv.Purpose(said.purpose)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> KvEntry:
            before = await kv.get(tx, key)
            kv.check_by_hand(key, before, purpose)
            outcome = await kv.put(
                tx,
                key,
                said.value,
                expected_version=expected_or_new(if_match, if_none_match, before.version if before else 0),
                request_id=uuid.uuid4().hex,
                semantics=kv.Semantics(purpose, producer="api", ttl_seconds=said.ttl_seconds),
                writer=_WRITER,
                spec_ref=said.spec_ref,
                actor=caller.actor,
            )
            _first(key, outcome)
            return await _shown(tx, key)

        done = await once.within(tx, KvEntry, act)
    response.status_code = 200 if if_none_match is None else 201
    return tagged(response, done)


@router.delete("/kv/{path:path}")
async def deleted(caller: Writer, here: Here, once: Repeatable, path: Named, if_match: IfMatch = None) -> KvDeleted:
    """Delete the version that was seen (`If-Match`)."""
    key = Key(caller.scope, path)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> KvDeleted:
            before = await kv.get(tx, key)
            if before is None:
                raise _missing(path)
            kv.check_by_hand(key, before)
            outcome = await kv.delete(
                tx,
                key,
                expected_version=expected_version(if_match, before.version),
                request_id=uuid.uuid4().hex,
                writer=_WRITER,
                actor=caller.actor,
            )
            return KvDeleted(path=path, version=_first(key, outcome))

        return await once.within(tx, KvDeleted, act)


async def _shown(tx: Transaction, key: Key) -> KvEntry:
    found = await kv.get(tx, key)
    if found is None:
        raise _missing(key.path)
    return KvEntry.of(found, await kv.Fingerprints.load(tx, key.scope.tenant_id))


def _first(key: Key, outcome: kv.Outcome) -> int:
    """The version that it made; an error where somebody else wrote between the look and this."""
    if isinstance(outcome, kv.Stale):
        raise outcome.conflict(key)
    return outcome.version


def _missing(path: str) -> ValidationFailure:
    return ValidationFailure(f"{path} is not there", code=Code.NOT_FOUND, hint="GET /api/v1/kv")
