"""An endpoint: one source that is harvested."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windrow.contracts.identity import canonical
from windrow.contracts.scope import Scope

# what an edit may change; another connector would be another source, whose items are not these
EDITABLE = ("config", "credential_ref", "schedule", "page_size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Connector, configuration, the name of its credential, schedule. The times are the database's."""

    scope: Scope
    endpoint_id: str
    connector: str
    config: dict[str, Any] = field(default_factory=dict)
    credential_ref: str | None = None
    schedule: str | None = None
    page_size: int | None = None
    version: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_checked_at: datetime | None = None
    removed_at: datetime | None = None

    @property
    def filters(self) -> str:
        """What decides which things the source shows, in short; a listing under other filters says nothing about these."""
        return hashlib.sha256(canonical([self.connector, self.config])).hexdigest()[:16]

    def settings(self) -> dict[str, Any]:
        """What its author decides, without what the database adds: what the audit trail compares."""
        return {"connector": self.connector} | {name: getattr(self, name) for name in EDITABLE}

    def __str__(self) -> str:
        return f"{self.scope.project_id}/{self.endpoint_id}"
