"""A connector's context outside of a run: for checks, previews and conformance. Nothing of it reaches the database."""

import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from windrow.connectors.context import Context, Say
from windrow.connectors.permits import Permits
from windrow.contracts.scope import Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.telemetry import emit
from windrow.vault import Secret

STANDALONE = "standalone"


class MemoryNotes:
    """Notes that are gone with the process; what is noted comes back as JSON would bring it."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def get(self, name: str) -> Any:
        return json.loads(self.kept.get(name, "null"))

    async def put(self, name: str, value: Any) -> None:
        self.kept[name] = json.dumps(value)


async def no_credential() -> Secret | None:
    """For an endpoint that names none."""
    return None


def standalone(
    scope: Scope,
    *,
    permits: Permits,
    cache: Path,
    endpoint_id: str = STANDALONE,
    credential: Callable[[], Awaitable[Secret | None]] = no_credential,
    http: Callable[[HttpPolicy], HttpClient] = HttpClient,
    say: Say = emit,
    notes: MemoryNotes | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    cancelled: Callable[[], bool] = lambda: False,
    watch: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Context:
    """A context with notes of its own, and what else it is given."""
    return Context(
        scope=scope,
        endpoint_id=endpoint_id,
        run_id=STANDALONE,
        notes=MemoryNotes() if notes is None else notes,
        say=say,
        now=now,
        credential=credential,
        permits=permits,
        http=http,
        cache=cache,
        cancelled=cancelled,
        watch=watch,
    )
