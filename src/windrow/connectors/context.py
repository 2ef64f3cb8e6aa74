"""What a connector is given of the world. It never sees the database, the settings, or anybody else's endpoint."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from windrow.connectors.permits import Permits
from windrow.contracts.scope import Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.vault import Secret


class Notes(Protocol):
    """A small memory of the connector's own, for one endpoint: hints that may be lost, never the cursor."""

    async def get(self, name: str) -> Any:
        """What was noted, or None."""

    async def put(self, name: str, value: Any) -> None:
        """Note it; the last writer wins."""


class Say(Protocol):
    """Log events of the taxonomy: `say("connector.skipped", position=…, reason=…)`."""

    def __call__(self, event: str, *, error: BaseException | None = None, **fields: Any) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything that one endpoint's connector may use."""

    scope: Scope
    endpoint_id: str
    run_id: str
    notes: Notes
    say: Say
    now: Callable[[], datetime]
    # the endpoint's credential, read at each use and never kept; None where it names none
    credential: Callable[[], Awaitable[Secret | None]]
    permits: Permits
    # a client for the source, with its addresses checked and its limits kept
    http: Callable[[HttpPolicy], HttpClient]
    # a directory that outlives the run, on this machine only: clones and the like
    cache: Path
    # whether the run was asked to end: no new call begins after that
    cancelled: Callable[[], bool]
    # told of each call of the source: entered when the call begins, left when it has ended
    watch: Callable[[str], AbstractContextManager[object]] = nullcontext
