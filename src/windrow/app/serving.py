"""The HTTP application of this machine, wired from the settings."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from windrow.app.api import api
from windrow.app.console import temporal_pages
from windrow.app.doorplate import TOKEN, doorplate, last_port
from windrow.app.oidc import known_by_issuer
from windrow.app.outside import objects
from windrow.blobs import BlobLimits, Blobs
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.console.objects import PATH
from windrow.console.pages.site import Site
from windrow.contracts.scope import Scope
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.stack.ports import choose
from windrow.vault import Vault
from windrow.web.kept_secret import kept_secret
from windrow.web.limits import ServerLimits
from windrow.web.local_token import LocalToken
from windrow.web.principal import Principal, Role
from windrow.web.server import bind, check_loopback, door_of, names_of, serving

SIGNING_KEY = "signing.key"


@dataclass(frozen=True, slots=True)
class Served:
    """Where it answers, and the flow behind it."""

    url: str
    blobs: Blobs


@asynccontextmanager
async def served(settings: Settings, database: Database, vault: Vault) -> AsyncIterator[Served]:
    """Answer HTTP as long as the block lasts: to whoever has the token of this machine, to whom the issuer of the settings
    vouches for, and to sources that sign."""
    home = settings.home.absolute()
    check_loopback(settings.http_host)
    token = kept_secret(home / TOKEN)
    port = settings.http_port or choose({"http": None}, last_port(home))["http"]
    listening = bind(settings.http_host, port)
    async with AsyncExitStack() as kept:
        kept.callback(listening.close)
        url = (settings.http_url or f"http://{door_of(listening)}").rstrip("/")
        key = signing_key(home)
        signer = UrlSigner(url + PATH, [key])
        blobs = Blobs(database, objects(settings, signer), announce, BlobLimits(largest=settings.blob_bytes))
        limits = ServerLimits(shutdown_seconds=settings.shutdown_timeout_sec)
        principal = Principal(Scope(settings.tenant, settings.project), (Role.ADMIN,), "local", "token of this machine")
        hosts = names_of(listening) | {urlsplit(url).netloc}
        known = await kept.enter_async_context(known_by_issuer(settings, url, key))
        asked = api(settings, database, [key])
        site = Site(blobs, url, asked.ports, temporal_pages=temporal_pages(settings), issuer=known.login)
        app = application(
            blobs,
            known.beside(LocalToken(token, principal)),
            hosts=hosts,
            signer=signer,
            api=asked,
            site=site,
            resolve=vault.resolve,
            limits=limits,
        )
        async with serving(app, listening, limits), doorplate(home, f"http://{door_of(listening)}"):
            # before the server ends: it waits for what is in hand, and a page that follows something never lets go
            with closing(site):
                yield Served(url, blobs)


def signing_key(home: Path) -> SigningKey:
    """What this machine signs URLs with. Its id follows from it: another key is another id."""
    secret = kept_secret(home / SIGNING_KEY).reveal().encode()
    return SigningKey(hashlib.sha256(secret).hexdigest()[:8], secret)
