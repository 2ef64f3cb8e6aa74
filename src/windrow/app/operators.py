"""The operator's own credentials: those that the settings name, and no others.

They are none of the tenants'. What endpoints may name (WINDROW_CREDENTIALS_ALLOWED) need not hold them, and should not.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from windrow import notify
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.settings import PREFIX, Settings
from windrow.vault import Backend, Grants, Reference, Secret, Vault
from windrow.vault.aws import AwsSecretsManager
from windrow.vault.environment import Environment
from windrow.vault.files import Files
from windrow.vault.grants import Grant

# in whose name they are read; no tenant's grants apply
OPERATOR = "operator"


class OperatorsVault:
    """Reads what the settings refer to."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def resolve(self, credential_ref: str) -> Secret:
        """The credential, read less than a minute ago."""
        return await self._vault.resolve(credential_ref, OPERATOR)


@asynccontextmanager
async def own_credentials(settings: Settings, environment: Mapping[str, str]) -> AsyncIterator[OperatorsVault]:
    """Open for as long as they are needed."""
    async with Vault(backends(settings, environment), operators_grants(settings)) as vault:
        yield OperatorsVault(vault)


def backends(settings: Settings, environment: Mapping[str, str]) -> tuple[Backend, ...]:
    """Where credentials are kept; the environment is where `env:` ones come from."""
    return Environment(environment), Files(), AwsSecretsManager(endpoint_url=settings.aws_endpoint)


def operators_grants(settings: Settings) -> Grants:
    """Exactly the references in the settings."""
    named = {
        "TEMPORAL_KEY": settings.temporal_key,
        "TEMPORAL_API_KEY_REF": settings.temporal_api_key_ref,
        "PAYLOAD_KEY_REF": settings.payload_key_ref,
    }
    references = [_reference(setting, text) for setting, text in named.items() if text]
    references += map(Reference.parse, notify.hooks(settings.notify).values())
    return Grants(Grant(reference.scheme, reference.name, OPERATOR) for reference in references)


def _reference(setting: str, text: str) -> Reference:
    try:
        return Reference.parse(text)
    except ValidationFailure as error:
        raise Fatal(f"{PREFIX}{setting}: {error.message}", code=Code.CONFIGURATION, hint=error.hint) from None
