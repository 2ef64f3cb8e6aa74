"""The connectors of endpoints, opened for a run: configured, with their credentials, permits and notes."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from windrow.connectors import registry
from windrow.connectors.configuration import configured
from windrow.connectors.connector import Connector
from windrow.connectors.context import Context
from windrow.connectors.permits import Permits
from windrow.endpoints import Endpoint
from windrow.harvest.notes import StoredNotes
from windrow.http import HttpClient
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.telemetry import emit
from windrow.vault import Secret, Vault


@dataclass(frozen=True, slots=True)
class Sources:
    """Opens what the settings allow."""

    settings: Settings
    database: Database
    vault: Vault

    @asynccontextmanager
    async def open(
        self, endpoint: Endpoint, run_id: str, cancelled: Callable[[], bool]
    ) -> AsyncIterator[Connector[Any]]:
        """The endpoint's connector for one slice."""
        kind = registry.find(endpoint.connector)
        connector = kind(configured(kind, endpoint.config), self._context(endpoint, run_id, cancelled))
        try:
            yield connector
        finally:
            await connector.close()

    def _context(self, endpoint: Endpoint, run_id: str, cancelled: Callable[[], bool]) -> Context:
        scope, allowed = endpoint.scope, self.settings.addresses_allowed

        async def credential() -> Secret | None:
            if endpoint.credential_ref is None:
                return None
            return await self.vault.resolve(endpoint.credential_ref, scope.tenant_id)

        cache = self.settings.home.absolute() / "cache" / scope.tenant_id / scope.project_id / endpoint.endpoint_id
        return Context(
            scope=scope,
            endpoint_id=endpoint.endpoint_id,
            run_id=run_id,
            notes=StoredNotes(self.database, scope, endpoint.endpoint_id, endpoint.connector),
            say=emit,
            now=lambda: datetime.now(UTC),
            credential=credential,
            permits=Permits.for_tenant(scope.tenant_id, self.settings.paths_allowed),
            http=lambda policy: HttpClient(replace(policy, allow=allowed)),
            cache=cache,
            cancelled=cancelled,
        )
