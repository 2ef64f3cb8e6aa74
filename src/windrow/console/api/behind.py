"""What the operations stand on, and what they ask of the process around them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends
from pydantic import BaseModel
from starlette.requests import Request

from windrow.blobs import Blobs
from windrow.console.api.pace import PaceLimits
from windrow.console.api.paging import PageTokens
from windrow.console.api.trial import Trial
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt
from windrow.objects.signing import SigningKey
from windrow.postgres import Database
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits

if TYPE_CHECKING:
    from temporalio.client import Client

# where the application leaves it for the operations
BEHIND = "windrow.api"


@dataclass(frozen=True, slots=True)
class Ports:
    """What needs settings, secrets or Temporal, and is therefore the composition root's.

    `temporal` connects when it is first needed. `attempt` tries an endpoint and shows some items of its first page,
    `preview` takes a sample, `retry` puts entries of one endpoint through today's connector and persists what passes,
    `payload_of` checks what is asked of a kind of job.
    """

    temporal: Callable[[], Awaitable["Client"]]
    attempt: Callable[[Endpoint, int], Awaitable[Trial]]
    preview: Callable[[Endpoint, Bounds], Awaitable[Preview]]
    retry: Callable[[Scope, str, Sequence[Quarantined], Actor, str | None], Awaitable[list[Attempt]]]
    payload_of: Callable[[str, dict[str, Any]], BaseModel]


@dataclass(frozen=True, slots=True)
class Api:
    """What whoever serves the API brings along. The first of the `keys` signs the tokens of pages, all are accepted."""

    ports: Ports
    keys: Sequence[SigningKey]
    pace: PaceLimits = field(default_factory=PaceLimits)
    max_attempts: int = 3


@dataclass(frozen=True, slots=True)
class Behind:
    """What one application's operations work with."""

    blobs: Blobs
    door: Doorkeeper
    limits: ServerLimits
    tokens: PageTokens
    ports: Ports
    max_attempts: int

    @property
    def database(self) -> Database:
        return self.blobs.database


def _behind(request: Request) -> Behind:
    behind: Behind = request.scope[BEHIND]
    return behind


Here = Annotated[Behind, Depends(_behind)]
