"""A console and an API, wired from settings as they are served, beside an issuer on loopback; and browsers that walk between."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, OidcIssuer

from windrow.app.serving import served
from windrow.postgres import Database, audit
from windrow.settings import Settings
from windrow.vault import Grants, Vault

HTML = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
CALLBACK = "/login/oidc/callback"


@dataclass
class Realm:
    """Where the console answers, and who vouches for people there."""

    url: str
    database: Database
    issuer: OidcIssuer

    @asynccontextmanager
    async def browser(self) -> AsyncIterator["Browser"]:
        async with httpx2.AsyncClient(trust_env=False, headers=HTML, timeout=60) as client:
            yield Browser(self, client)

    async def trail(self, tenant: str = "acme") -> list[tuple[str, str, str, str | None]]:
        async with self.database.tenant(tenant) as tx:
            return [(line.actor, line.authority, line.action, line.reason) for line in await audit.history(tx)]


@dataclass
class Browser:
    """Follows redirects one by one, with the cookies of one profile."""

    realm: Realm
    client: httpx2.AsyncClient

    async def get(self, url: str) -> httpx2.Response:
        return await self.client.get(url if "://" in url else self.realm.url + url)

    async def sent_back(self, wanted: str = "") -> str:
        """Off to the issuer and, where that is agreed, the address to which it sends the browser."""
        off = await self.get(f"/login/oidc{wanted}")
        assert off.status_code == 303, off.text
        back = await self.get(off.headers["location"])
        assert back.status_code == 302, back.text
        return str(back.headers["location"])

    async def log_in(self, wanted: str = "") -> httpx2.Response:
        return await self.get(await self.sent_back(wanted))

    async def refused(self) -> str | None:
        """Why a login came to nothing; None if it did not."""
        return why(await self.log_in())

    async def log_out(self, **fields: str) -> httpx2.Response:
        """By the form on the page *You*."""
        found = re.search(r'name="form_token" value="([^"]+)"', (await self.get("/you")).text)
        assert found
        return await self.client.post(f"{self.realm.url}/logout", data={"form_token": found[1], **fields})

    async def is_in(self) -> bool:
        return (await self.get("/you")).status_code == 200


def why(answered: httpx2.Response) -> str | None:
    assert answered.status_code == 303, answered.text
    return parse_qs(urlsplit(answered.headers["location"]).query).get("refused", [None])[0]


@asynccontextmanager
async def realm(database: Database, home: Path, issuer: OidcIssuer, **more: Any) -> AsyncIterator[Realm]:
    """Served from here to the end of the block. The client's secret is in OIDC_SECRET."""
    known = {
        "oidc_issuer": issuer.name,
        "oidc_name": "Acme <b>ID</b>",
        "oidc_client_id": CLIENT,
        "oidc_client_secret_ref": "env:OIDC_SECRET",
        "oidc_audience": AUDIENCE,
        "oidc_roles_claim": "realm_access.roles",
        "oidc_operators": "windrow-operator",
    }
    settings = Settings(home=home, addresses_allowed=(issuer.door,), **(known | more))
    async with Vault((), Grants(())) as vault, served(settings, database, vault) as web:
        issuer.redirect_uris.add(web.url + CALLBACK)
        yield Realm(web.url, database, issuer)
