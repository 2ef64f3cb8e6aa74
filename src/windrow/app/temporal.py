"""The Temporal of the settings: where, how secured, and what histories are sealed with."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from windrow.app.operators import OperatorsVault, own_credentials
from windrow.contracts.errors import Code, Fatal
from windrow.orchestration.connect import TemporalTarget
from windrow.orchestration.payload_keys import PayloadKeys
from windrow.settings import Settings
from windrow.vault import Secret


async def temporal_target(
    settings: Settings, environment: Mapping[str, str], address: str, *, namespace: str | None = None
) -> TemporalTarget:
    """Everything needed to connect; secrets are read here. TLS is for a server of your own: the embedded one has none."""
    async with own_credentials(settings, environment) as own:
        within = namespace or settings.temporal_namespace
        keys = await _resolved(own, settings.payload_key_ref)
        payload_keys = PayloadKeys.parse(keys) if keys else None
        if address != settings.temporal_address:
            return TemporalTarget(
                address=address, namespace=within, payload_keys=payload_keys, unsealed=settings.payload_unsealed
            )
        return TemporalTarget(
            address=address,
            namespace=within,
            tls=uses_tls(settings),
            server_ca=await _read(settings.temporal_ca),
            server_name=settings.temporal_server_name,
            client_cert=await _read(settings.temporal_cert),
            client_key=await _resolved(own, settings.temporal_key),
            api_key=await _resolved(own, settings.temporal_api_key_ref),
            payload_keys=payload_keys,
            unsealed=settings.payload_unsealed,
        )


def uses_tls(settings: Settings) -> bool:
    """As it is set; else, whenever something is set that makes no sense without."""
    if settings.temporal_tls is not None:
        return settings.temporal_tls
    return any((settings.temporal_ca, settings.temporal_cert, settings.temporal_api_key_ref))


async def _resolved(own: OperatorsVault, credential_ref: str | None) -> Secret | None:
    return await own.resolve(credential_ref) if credential_ref else None


async def _read(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise Fatal(
            f"{path} cannot be read: {error.strerror}",
            code=Code.CONFIGURATION,
            hint="check WINDROW_TEMPORAL_CA and WINDROW_TEMPORAL_CERT",
        ) from error
