"""What a handler is given: a job in hand, and all that may be said about it.

Every word of it is fenced by the lease epoch. Once the lease is lost, or the job cancelled, the next word raises
`Stopped`, and so does the handler's wait: its task is cancelled. A handler lets both pass.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from windrow.contracts.scope import Scope


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a job has made, as the job's row names it: readers trust this hash and nothing else."""

    key: str
    size: int
    sha256: str
    details: dict[str, Any] = field(default_factory=dict)


class Stopped(Exception):
    """The handler has to end here. Not of the error family: nobody retries it, and nothing is written for it."""


class LeaseLost(Stopped):
    """The job is not ours any more: whoever has it now does the work."""


class Cancelled(Stopped):
    """Somebody has asked that the job end."""


class HandedBack(Stopped):
    """The worker is shutting down, and the handler is at a point from which another can go on."""


class Running(Protocol):
    """A job in hand."""

    @property
    def job_id(self) -> str: ...

    @property
    def scope(self) -> Scope: ...

    @property
    def attempt(self) -> int:
        """Which execution this is, from 1; it counts those that failed or went stale."""

    @property
    def epoch(self) -> int:
        """Which acquisition this is: the fence, and a part of the key of what an attempt writes."""

    @property
    def earlier(self) -> Artifact | None:
        """What an earlier try of this job has named. Once its bytes are checked, there is nothing left to do."""

    @property
    def scratch(self) -> Path:
        """A directory of this try's own, empty when first asked for."""

    async def source_ready(self, **details: Any) -> None:
        """The input is here and is worth working on."""

    async def progress(self, percent: float) -> None:
        """How far it is, 0 to 100. May be called as often as one likes: what is not worth telling is not told."""

    async def upload(self, artifact: Artifact) -> None:
        """Name the artifact, whose bytes are in their place and checked. Only what the row names may be published."""

    def checkpoint(self) -> None:
        """A safe point: raises HandedBack if the worker is shutting down, and then the job loses no attempt."""
