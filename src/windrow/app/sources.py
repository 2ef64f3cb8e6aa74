"""The connectors of endpoints, opened: configured, and with as much of the world as the settings allow them.

`Sources.open` is for a run, which has a memory; `aside` is for everything that must leave nothing behind.
"""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from windrow.connectors import registry
from windrow.connectors.configuration import configured
from windrow.connectors.connector import Connector
from windrow.connectors.context import Context, Notes
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import STANDALONE, MemoryNotes
from windrow.connectors.taps import Taps
from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.harvest.notes import StoredNotes
from windrow.http import HttpClient
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.telemetry import emit
from windrow.vault import Secret, Vault


@dataclass(frozen=True, slots=True)
class Sources:
    """Opens what the settings allow, for runs."""

    settings: Settings
    database: Database
    vault: Vault

    @asynccontextmanager
    async def open(
        self, endpoint: Endpoint, run_id: str, cancelled: Callable[[], bool]
    ) -> AsyncIterator[Connector[Any]]:
        """The endpoint's connector for one slice: its notes and its cache are there again in the next one."""
        scope = endpoint.scope
        context = surroundings(
            self.settings,
            self.vault,
            scope,
            self.settings.home.absolute() / "cache" / scope.tenant_id / scope.project_id / endpoint.endpoint_id,
            endpoint_id=endpoint.endpoint_id,
            run_id=run_id,
            credential_ref=endpoint.credential_ref,
            notes=StoredNotes(self.database, scope, endpoint.endpoint_id, endpoint.connector),
            cancelled=cancelled,
        )
        used: list[Secret | None] = []

        async def noted() -> Secret | None:
            used[:] = [await context.credential()]
            return used[0]

        try:
            async with connected(endpoint, replace(context, credential=noted)) as connector:
                yield connector
        except Fatal as error:
            if error.code is Code.UNAUTHORIZED and await self._is_replaced(endpoint, used):
                raise RetryableTransient(
                    f"the source refused a credential that was replaced meanwhile: {error.message}",
                    code=Code.UNAUTHORIZED,
                    hint="nothing: it goes on with the new one",
                ) from error
            raise

    async def _is_replaced(self, endpoint: Endpoint, used: list[Secret | None]) -> bool:
        """Whether what was refused is not what lies in its place now: it was read up to a minute ago."""
        if not endpoint.credential_ref or not used:
            return False
        try:
            return await self.vault.refresh(endpoint.credential_ref, endpoint.scope.tenant_id) != used[0]
        except WindrowError:
            return False  # and what the source said is told


@asynccontextmanager
async def connected(endpoint: Endpoint, context: Context) -> AsyncIterator[Connector[Any]]:
    """The endpoint's connector in these surroundings, until it is closed."""
    kind = registry.find(endpoint.connector)
    connector = kind(configured(kind, endpoint.config), context)
    try:
        yield connector
    finally:
        await connector.close()


@contextmanager
def aside(
    settings: Settings,
    vault: Vault,
    scope: Scope,
    *,
    endpoint_id: str = STANDALONE,
    credential_ref: str | None = None,
) -> Iterator[Context]:
    """Surroundings that leave nothing behind: notes are forgotten, and the cache is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="windrow-aside-") as cache:
        yield surroundings(settings, vault, scope, Path(cache), endpoint_id=endpoint_id, credential_ref=credential_ref)


def surroundings(
    settings: Settings,
    vault: Vault,
    scope: Scope,
    cache: Path,
    *,
    endpoint_id: str = STANDALONE,
    run_id: str = STANDALONE,
    credential_ref: str | None = None,
    notes: Notes | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Context:
    """What the settings let a connector of this tenant reach."""

    async def credential() -> Secret | None:
        return await vault.resolve(credential_ref, scope.tenant_id) if credential_ref else None

    return Context(
        scope=scope,
        endpoint_id=endpoint_id,
        run_id=run_id,
        notes=MemoryNotes() if notes is None else notes,
        say=emit,
        now=lambda: datetime.now(UTC),
        credential=credential,
        permits=Permits.for_tenant(
            scope.tenant_id,
            settings.paths_allowed,
            taps=Taps.for_tenant(scope.tenant_id, settings.taps_allowed, memory=settings.tap_memory_bytes),
        ),
        http=lambda policy: HttpClient(replace(policy, allow=settings.addresses_allowed)),
        cache=cache,
        cancelled=cancelled,
    )
