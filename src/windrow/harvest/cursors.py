"""The harvest cursor: how far a source has been read and published, in the semantic store (HV-30)."""

import uuid
from dataclasses import asdict, dataclass
from typing import Any

from windrow import kv
from windrow.contracts.keys import Key
from windrow.contracts.page import Cursor
from windrow.outbox.lane import LIVE, Lane
from windrow.postgres import Database, Transaction

_PARTIAL_DAYS = 7
_CURSOR = kv.Semantics(kv.Purpose.CURSOR, "harvester", ("subscriber", "operator"))
_PARTIAL = kv.Semantics(
    kv.Purpose.CHECKPOINT, "harvester", ("subscriber", "operator"), ttl_seconds=_PARTIAL_DAYS * 86400
)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A snapshot that is being read, and the observation of its first page: all of its pages count as asked for then."""

    snapshot: str
    observation: int


@dataclass(frozen=True, slots=True)
class Position:
    """A cursor and the version that it has; version 0: the source was never read. In the midst of a snapshot, which."""

    cursor: Cursor
    version: int
    pinned: Pinned | None = None


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursor of one lane."""

    lane: Lane
    directive: str

    @property
    def key(self) -> Key:
        if self.lane.name == LIVE:
            return Key.of(self.lane.scope, "harvest", self.lane.endpoint_id, "cursor")
        return Key.of(self.lane.scope, "harvest", self.lane.endpoint_id, "lanes", self.lane.name, "cursor")

    @property
    def semantics(self) -> kv.Semantics:
        return _CURSOR

    @property
    def partial_key(self) -> Key:
        return self.key.child("partial")

    async def load(self, where: Database | Transaction) -> Position:
        """Where the last page ended."""
        found = await kv.get(where, self.key)
        if found is None:
            return Position(None, 0)
        pinned = found.value.get("pinned")
        return Position(found.value["cursor_token"], found.version, Pinned(**pinned) if pinned else None)

    async def advance(
        self,
        tx: Transaction,
        expected: int,
        cursor: Cursor,
        *,
        batch_id: str,
        item_count: int,
        spec_ref: str,
        request_id: str,
        pinned: Pinned | None = None,
    ) -> kv.Outcome:
        """Move it, if it is where we left it."""
        return await kv.put(
            tx,
            self.key,
            {"cursor_token": cursor, "batch_id": batch_id, "item_count": item_count, "spec_ref": spec_ref}
            | ({"pinned": asdict(pinned)} if pinned else {}),
            expected_version=expected,
            request_id=request_id,
            semantics=_CURSOR,
            writer=self._writer,
            spec_ref=spec_ref,
        )

    async def leave_partial(self, tx: Transaction, snapshot: dict[str, Any]) -> None:
        """How far a run came that did not end well, for people to look at; the cursor stays where it is."""
        before = await kv.get(tx, self.partial_key)
        await kv.put(
            tx,
            self.partial_key,
            snapshot,
            expected_version=before.version if before else 0,
            request_id=uuid.uuid4().hex,
            semantics=_PARTIAL,
            writer=self._writer,
        )

    async def clear_partial(self, database: Database) -> None:
        """A run ended well: what an earlier one left is of no use any more."""
        if before := await kv.get(database, self.partial_key):
            await kv.delete(
                database,
                self.partial_key,
                expected_version=before.version,
                request_id=uuid.uuid4().hex,
                writer=self._writer,
            )

    @property
    def _writer(self) -> kv.Writer:
        return kv.Writer("harvester", self.directive)
