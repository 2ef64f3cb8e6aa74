"""The outside world as the settings allow it: outgoing HTTP, credentials, objects, webhooks."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from windrow.app import notifying, pubsub
from windrow.app.operators import OperatorsVault, backends, own_credentials
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import checked_name
from windrow.http import HttpClient, HttpPolicy
from windrow.messages import Sink, Webhook
from windrow.objects import Objects, open_objects
from windrow.objects.signing import UrlSigner
from windrow.settings import Settings
from windrow.vault import Grants, Secret, Vault


@dataclass(frozen=True, slots=True)
class Outside:
    """What leads out of the process. `own` holds the operator's credentials, `vault` those of the tenants."""

    vault: Vault
    own: OperatorsVault
    objects: Objects
    sinks: Mapping[str, Sink]


@asynccontextmanager
async def outside(settings: Settings, environment: Mapping[str, str]) -> AsyncIterator[Outside]:
    """Opened for the length of a process; the environment is where `env:` credentials come from."""
    async with AsyncExitStack() as kept:
        grants = Grants.parse(settings.credentials_allowed)
        vault = await kept.enter_async_context(Vault(backends(settings, environment), grants))
        policy = HttpPolicy(source="webhook", allow=settings.addresses_allowed)
        client = await kept.enter_async_context(HttpClient(policy))
        own = await kept.enter_async_context(own_credentials(settings, environment))
        chats = await kept.enter_async_context(notifying.client(settings))
        beyond = await kept.enter_async_context(pubsub.sinks(settings))
        sinks = {**webhooks(settings, client), **notifying.sinks(settings, chats, own.resolve), **beyond}
        yield Outside(vault, own, objects(settings), sinks)


def objects(settings: Settings, signer: UrlSigner | None = None) -> Objects:
    """The object store of the settings."""
    return open_objects(store_url(settings), signer=signer, endpoint=settings.object_store_endpoint)


def store_url(settings: Settings) -> str:
    """Where objects are kept: below the home directory when the settings do not say."""
    return settings.object_store or f"file:{settings.home.absolute() / 'objects'}"


def webhooks(settings: Settings, client: HttpClient) -> dict[str, Sink]:
    """The sinks that subscriptions may name, from `NAME=URL` words."""
    secret = Secret(settings.webhook_secret.get_secret_value()) if settings.webhook_secret else None
    sinks: dict[str, Sink] = {}
    for word in settings.webhooks:
        name, _, url = word.partition("=")
        if not url:
            raise Fatal(
                "WINDROW_WEBHOOKS holds a word that is not NAME=URL",
                code=Code.CONFIGURATION,
                hint="see docs/reference/settings.md",
            )
        sinks[checked_name("sink", name)] = Webhook(client, url, secret=secret)
    return sinks
