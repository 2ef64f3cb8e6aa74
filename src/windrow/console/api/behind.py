"""What the operations stand on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from windrow.blobs import Blobs
from windrow.console.api.paging import PageTokens
from windrow.console.ports import Ports
from windrow.objects.signing import SigningKey
from windrow.postgres import Database
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.pace import PaceLimits

# where the application leaves it for the operations
BEHIND = "windrow.api"


@dataclass(frozen=True, slots=True)
class Api:
    """What whoever serves the API brings along. The first of the `keys` signs the tokens of pages, all are accepted."""

    ports: Ports
    keys: Sequence[SigningKey]
    pace: PaceLimits = field(default_factory=PaceLimits)


@dataclass(frozen=True, slots=True)
class Behind:
    """What one application's operations work with."""

    blobs: Blobs
    door: Doorkeeper
    limits: ServerLimits
    tokens: PageTokens
    ports: Ports

    @property
    def database(self) -> Database:
        return self.blobs.database


def _behind(request: Request) -> Behind:
    behind: Behind = request.scope[BEHIND]
    return behind


Here = Annotated[Behind, Depends(_behind)]
