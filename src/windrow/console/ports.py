"""What the API and the pages ask of the process around them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from windrow.console.trial import Trial
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Witness, unwitnessed
from windrow.media.announcing import Topics

if TYPE_CHECKING:
    from temporalio.client import Client


class Retry(Protocol):
    """Puts entries of one endpoint through today's connector, and persists what passes."""

    async def __call__(
        self,
        scope: Scope,
        endpoint_id: str,
        entries: Sequence[Quarantined],
        actor: Actor,
        reason: str | None,
        witness: Witness = unwitnessed,
        /,
    ) -> list[Attempt]: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """What needs settings, secrets or Temporal, and is therefore the composition root's.

    `temporal` connects when it is first needed. `attempt` tries an endpoint and shows some items of its first page,
    `preview` takes a sample, `payload_of` checks what is asked of a kind of job; `media_topics` are where changes of media
    jobs are said; `max_attempts` is how often a job is tried for which nobody has said it.
    """

    temporal: Callable[[], Awaitable["Client"]]
    attempt: Callable[[Endpoint, int], Awaitable[Trial]]
    preview: Callable[[Endpoint, Bounds], Awaitable[Preview]]
    retry: Retry
    payload_of: Callable[[str, dict[str, Any]], BaseModel]
    media_topics: Topics
    max_attempts: int = 3
