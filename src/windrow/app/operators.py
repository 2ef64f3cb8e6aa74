"""The operator's own credentials: those that the settings name, and no others.

They are none of the tenants'. What endpoints may name (WINDROW_CREDENTIALS_ALLOWED) need not hold them, and should not.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from windrow import notify
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.settings import PREFIX, Settings
from windrow.vault import Backend, Grants, Reference, Secret, Vault
from windrow.vault.aws import AwsSecretsManager
from windrow.vault.environment import Environment
from windrow.vault.files import Files
from windrow.vault.gcp import GcpSecretManager
from windrow.vault.grants import Grant
from windrow.vault.hashicorp import HashicorpVault
from windrow.vault.hashicorp_door import Door
from windrow.vault.hashicorp_tokens import AppRole, Identity, OwnToken, ReadOwn

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
    plain = Environment(environment), Files()
    return (
        *plain,
        HashicorpVault(
            Door(settings.vault_address, settings.vault_namespace, settings.vault_ca), _role(settings, plain)
        ),
        AwsSecretsManager(endpoint_url=settings.aws_endpoint),
        GcpSecretManager(project=settings.gcp_project, endpoint=settings.gcp_endpoint),
    )


def _role(settings: Settings, plain: Iterable[Backend]) -> Identity | None:
    """Who we are to a HashiCorp Vault. What proves it lies elsewhere: in the environment or in a file."""
    if settings.vault_token_ref:
        return OwnToken(_own(plain, "VAULT_TOKEN_REF", settings.vault_token_ref))
    if settings.vault_role_id and settings.vault_secret_id_ref:
        read = _own(plain, "VAULT_SECRET_ID_REF", settings.vault_secret_id_ref)
        return AppRole(settings.vault_role_id, read, settings.vault_role_mount)
    return None


def _own(plain: Iterable[Backend], setting: str, text: str) -> ReadOwn:
    reference = _reference(setting, text)
    keys = Vault(plain, Grants([Grant(reference.scheme, reference.name, OPERATOR)]))

    async def read(anew: bool) -> Secret:
        return await (keys.refresh(text, OPERATOR) if anew else keys.resolve(text, OPERATOR))

    return read


def operators_grants(settings: Settings) -> Grants:
    """Exactly the references in the settings."""
    named = {
        "TEMPORAL_KEY": settings.temporal_key,
        "TEMPORAL_API_KEY_REF": settings.temporal_api_key_ref,
        "PAYLOAD_KEY_REF": settings.payload_key_ref,
        "YOUTUBE_API_KEY_REF": settings.youtube_api_key_ref,
        "OIDC_CLIENT_SECRET_REF": settings.oidc_client_secret_ref,
    }
    references = [_reference(setting, text) for setting, text in named.items() if text]
    references += map(Reference.parse, notify.hooks(settings.notify).values())
    return Grants(Grant(reference.scheme, reference.name, OPERATOR) for reference in references)


def _reference(setting: str, text: str) -> Reference:
    try:
        return Reference.parse(text)
    except ValidationFailure as error:
        raise Fatal(f"{PREFIX}{setting}: {error.message}", code=Code.CONFIGURATION, hint=error.hint) from None
