"""`/api/v1/kv`: the semantic store, to be read; cursors and checkpoints as fingerprints (OR-51)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel

from windrow import kv
from windrow.console.api.access import Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.telemetry.redaction import PROCESS

router = resource("kv")

# what may hold a source's token is shown as a fingerprint
HIDDEN = (kv.Purpose.CURSOR, kv.Purpose.CHECKPOINT)
_PATH = r"^[a-z0-9._:@=+~/-]*$"


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
            value=fingerprints.of(entry.value) if purpose in HIDDEN else PROCESS.value(entry.value),
            last_writer=entry.last_writer,
            spec_ref=entry.spec_ref,
            updated_at=entry.updated_at,
            expires_at=entry.expires_at,
        )


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
async def shown(
    caller: Reader, here: Here, path: Annotated[str, Path(max_length=256, pattern=_PATH, description="Its path.")]
) -> KvEntry:
    """One entry."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await kv.get(tx, Key(caller.scope, path))
        if found is None:
            raise ValidationFailure(f"{path} is not there", code=Code.NOT_FOUND, hint="GET /api/v1/kv")
        return KvEntry.of(found, await kv.Fingerprints.load(tx, caller.scope.tenant_id))
