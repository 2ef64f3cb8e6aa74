"""A connector is examined as a run would use it, with the operator's permits and without a database."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from windrow.app.outside import outside
from windrow.app.sources import aside
from windrow.connectors.configuration import configured
from windrow.connectors.conformance import Candidate, Limits
from windrow.connectors.demands import must_suit
from windrow.connectors.registry import AnyConnector
from windrow.contracts.scope import Scope
from windrow.settings import Settings


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
    must_suit(connector.spec, credential_ref=credential_ref)
    async with outside(settings, environment) as beyond:
        with aside(settings, beyond.vault, scope, credential_ref=credential_ref) as context:
            typed = configured(connector, config)
            yield Candidate(
                connector=connector.suited(typed, context), config=typed, context=context, limits=limits or Limits()
            )
