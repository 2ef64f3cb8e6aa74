"""An endpoint is tried: can its source be read, and what would come of it? Nothing is written anywhere."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec

from windrow.app.outside import outside
from windrow.app.sources import aside, connected
from windrow.connectors import registry
from windrow.connectors.configuration import configured
from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.spec import Credential
from windrow.contracts.errors import WindrowError, classify
from windrow.contracts.identity import Identity
from windrow.contracts.page import Page
from windrow.endpoints import Endpoint
from windrow.harvest.refine import refine
from windrow.settings import Settings
from windrow.telemetry.redaction import PROCESS
from windrow.vault import Vault

_SHOWN = ("entity_type", "external_id", "display_name", "url", "canonical_path", "deleted")


@dataclass(slots=True)
class Trial:
    """What was found, in order; of the first page, how many records there are, some items, and what would be refused."""

    findings: list[Finding] = field(default_factory=list)
    records: int | None = None
    refused: int | None = None
    items: list[dict[str, Any]] = field(default_factory=list)

    @property
    def well(self) -> bool:
        return all(finding.well for finding in self.findings)


async def attempt(settings: Settings, environment: Mapping[str, str], endpoint: Endpoint, *, preview: int) -> Trial:
    """Look at everything up to the first thing that is not well; then at a page, if a preview of it is asked for. Whoever
    shows it need not look for secrets: there are none in it."""
    # at the end: a secret is known once somebody has read it
    return _without_secrets(await _looked(settings, environment, endpoint, preview))


async def _looked(settings: Settings, environment: Mapping[str, str], endpoint: Endpoint, preview: int) -> Trial:
    trial = Trial()
    async with AsyncExitStack() as kept:
        beyond = await kept.enter_async_context(outside(settings, environment))
        opening = _opened(settings, beyond.vault, endpoint, trial)
        connector = await _told(trial, "connector", lambda: kept.enter_async_context(opening))
        if connector is None:
            return trial
        found = await _told(trial, "source", connector.prepare)
        trial.findings += found or []
        if preview and trial.well:
            await _told(trial, "first page", lambda: _preview(connector, endpoint, trial, preview))
    return trial


async def _told(trial: Trial, name: str, look: Callable[[], Awaitable[Any]]) -> Any:
    """What it came to; None where it failed, and then the failure is a finding."""
    try:
        return await look()
    except Exception as raised:
        error = raised if isinstance(raised, WindrowError) else classify(raised)
        trial.findings.append(Finding(name, False, error.message, error.hint))
        return None


@asynccontextmanager
async def _opened(settings: Settings, vault: Vault, endpoint: Endpoint, trial: Trial) -> AsyncIterator[Connector[Any]]:
    """The endpoint's connector, as a run would have it but for its memory."""
    kind = registry.find(endpoint.connector)
    configured(kind, endpoint.config)
    trial.findings.append(Finding("configuration", True, f"{kind.spec.title}, connector version {kind.spec.version}"))
    with aside(
        settings,
        vault,
        endpoint.scope,
        endpoint_id=endpoint.endpoint_id,
        credential_ref=endpoint.credential_ref,
    ) as context:
        await _look_for_credential(context, endpoint, kind.spec.credential, trial)
        async with connected(endpoint, context) as connector:
            yield connector


async def _look_for_credential(context: Context, endpoint: Endpoint, wanted: Credential, trial: Trial) -> None:
    if await context.credential():
        trial.findings.append(Finding("credential", True, f"{endpoint.credential_ref} can be read"))
    elif wanted is Credential.REQUIRED:
        hint = f"`windrow endpoint edit {endpoint.endpoint_id} --credential-ref env:NAME` (docs/how-to/credentials.md)"
        trial.findings.append(Finding("credential", False, "this connector needs one, and none is named", hint))


async def _preview(connector: Connector[Any], endpoint: Endpoint, trial: Trial, preview: int) -> None:
    size = endpoint.page_size or connector.spec.page_sizes.standard
    async with aclosing(connector.fetch_pages(None, size)) as pages:  # type: ignore[type-var]
        page: Page | None = await anext(aiter(pages), None)
    if page is None:
        trial.records, trial.refused = 0, 0
        return
    refined = refine(connector.transform(page), Identity(endpoint.scope, endpoint.endpoint_id))
    rows = [msgspec.json.decode(row) for row in refined.rows[:preview]]
    trial.records, trial.refused = len(page.records), len(refined.refused)
    trial.items = [{name: row[name] for name in _SHOWN if name in row} for row in rows]


def _without_secrets(trial: Trial) -> Trial:
    findings = [Finding(**PROCESS.value(asdict(finding))) for finding in trial.findings]
    return replace(trial, findings=findings, items=PROCESS.value(trial.items))
