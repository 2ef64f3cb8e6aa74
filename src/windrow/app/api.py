"""What the JSON API asks of this process: what needs the settings, the credentials or Temporal."""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from windrow.app.jobs import payload_of
from windrow.app.media import topics_of
from windrow.app.outside import outside
from windrow.app.previewing import previewed
from windrow.app.quarantine import retried
from windrow.app.sources import Sources
from windrow.app.trial import attempt
from windrow.console.api.behind import Api
from windrow.console.ports import Ports
from windrow.console.trial import Trial
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Witness, unwitnessed
from windrow.objects.signing import SigningKey
from windrow.postgres import Database
from windrow.settings import Settings

if TYPE_CHECKING:
    from temporalio.client import Client


def api(settings: Settings, database: Database, keys: Sequence[SigningKey]) -> Api:
    """The API of this machine."""

    async def tried(endpoint: Endpoint, preview: int) -> Trial:
        return Trial.model_validate(await attempt(settings, os.environ, endpoint, preview=preview))

    async def sampled(endpoint: Endpoint, bounds: Bounds) -> Preview:
        return await previewed(settings, os.environ, endpoint, bounds)

    async def retry(
        scope: Scope,
        endpoint_id: str,
        entries: Sequence[Quarantined],
        actor: Actor,
        reason: str | None,
        witness: Witness = unwitnessed,
    ) -> list[Attempt]:
        async with outside(settings, os.environ) as beyond:
            sources = Sources(settings, database, beyond.vault)
            return await retried(
                database, sources, scope, endpoint_id, entries, actor=actor, reason=reason, witness=witness
            )

    ports = Ports(
        temporal=_temporal(settings),
        attempt=tried,
        preview=sampled,
        retry=retry,
        payload_of=payload_of,
        media_topics=topics_of(settings),
        max_attempts=settings.max_attempts,
    )
    return Api(ports, keys)


def _temporal(settings: Settings) -> "Callable[[], Awaitable[Client]]":
    """A client of the harvesters' namespace, connected when it is first needed."""
    found: list[Client] = []

    async def client() -> "Client":
        from windrow.app.orchestrating import HARVESTERS, connected  # Temporal's client takes a while to load

        if not found:
            found.append((await connected(settings, (HARVESTERS,))).harvesters)
        return found[0]

    return client
