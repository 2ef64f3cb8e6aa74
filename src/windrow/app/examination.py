"""A connector is examined as a run would use it, with the operator's permits and without a database."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from windrow.app.outside import outside
from windrow.connectors.configuration import configured
from windrow.connectors.conformance import Candidate, Limits
from windrow.connectors.permits import Permits
from windrow.connectors.registry import AnyConnector
from windrow.connectors.spec import Credential
from windrow.connectors.standalone import standalone
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.settings import Settings
from windrow.vault import Secret


@asynccontextmanager
async def candidate(
    settings: Settings,
    environment: Mapping[str, str],
    scope: Scope,
    connector: AnyConnector,
    config: Mapping[str, Any],
    *,
    credential_ref: str | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[Candidate]:
    """The connector with this configuration; its cache is gone afterwards."""
    _suits(connector, credential_ref)
    async with outside(settings, environment) as beyond:

        async def credential() -> Secret | None:
            return await beyond.vault.resolve(credential_ref, scope.tenant_id) if credential_ref else None

        with tempfile.TemporaryDirectory(prefix="windrow-check-") as cache:
            context = standalone(
                scope,
                permits=Permits.for_tenant(scope.tenant_id, settings.paths_allowed),
                cache=Path(cache),
                credential=credential,
                http=lambda policy: HttpClient(replace(policy, allow=settings.addresses_allowed)),
            )
            yield Candidate(
                connector=connector, config=configured(connector, config), context=context, limits=limits or Limits()
            )


def _suits(connector: AnyConnector, credential_ref: str | None) -> None:
    spec = connector.spec
    if spec.credential is Credential.REQUIRED and not credential_ref:
        raise ValidationFailure(
            f"{spec.name} needs a credential", hint=f"name it with --credential-ref. {spec.credential_help}".rstrip()
        )
    if spec.credential is Credential.NONE and credential_ref:
        raise ValidationFailure(f"{spec.name} takes no credential", hint="leave --credential-ref out")
