"""A connector's own small memory, kept in the semantic store under its endpoint. Hints only: the cursor is elsewhere."""

import uuid
from dataclasses import dataclass
from typing import Any

from windrow import kv
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.postgres import Database

_NOTE = kv.Semantics(kv.Purpose.ANNOTATION, "connector", ("connector",))


@dataclass(frozen=True, slots=True)
class StoredNotes:
    """The notes of one endpoint's connector."""

    database: Database
    scope: Scope
    endpoint_id: str
    directive: str

    async def get(self, name: str) -> Any:
        """What was noted, or None."""
        found = await kv.get(self.database, self._key(name))
        return found.value if found else None

    async def put(self, name: str, value: Any) -> None:
        """Note it; the last writer wins, which may be another."""
        found = await kv.get(self.database, self._key(name))
        await kv.put(
            self.database,
            self._key(name),
            value,
            expected_version=found.version if found else 0,
            request_id=uuid.uuid4().hex,
            semantics=_NOTE,
            writer=kv.Writer("harvester", self.directive),
        )

    def _key(self, name: str) -> Key:
        return Key.of(self.scope, "harvest", self.endpoint_id, "notes", name)
