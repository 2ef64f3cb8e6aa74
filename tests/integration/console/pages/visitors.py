"""The console as it runs, for tests: a server on a free port, and visitors with the cookies of a browser."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
from tests.integration.console.house import KEYS, Passport, outward

from windrow.blobs import BlobLimits, Blobs
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.console.pages.site import Site
from windrow.console.session import Guest, SessionLimits, invite
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Actor, Scope
from windrow.objects.local import LocalObjects
from windrow.objects.signing import UrlSigner
from windrow.postgres import Database, Query, Transaction
from windrow.web.limits import ServerLimits
from windrow.web.principal import Role
from windrow.web.server import bind, door_of, names_of, serving

SHELL = Actor("cli:olga", "shell of this machine")
HTML = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


async def no_temporal() -> Any:
    raise RetryableTransient("no Temporal is known", code=Code.TEMPORAL_UNREACHABLE)


class Answering:
    """A Temporal that is there, and takes no orders."""

    @property
    def service_client(self) -> "Answering":
        return self

    async def check_health(self) -> bool:
        return True

    def __getattr__(self, name: str) -> object:
        raise RetryableTransient(f"this Temporal knows no {name}", code=Code.TEMPORAL_UNREACHABLE)


async def answering() -> Any:
    return Answering()


@dataclass
class Console:
    """Where it answers, and how to get in."""

    url: str
    database: Database
    site: Site
    objects: LocalObjects
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    async def link(self, role: Role = Role.ADMIN, **more: Any) -> str:
        guest = Guest(
            more.pop("scope", Scope("acme", "main")), role, more.pop("subject", "anna"), more.pop("anywhere", False)
        )
        return (await invite(self.database, self.url, guest, SHELL, **more)).link

    def stranger(self) -> httpx2.AsyncClient:
        client = httpx2.AsyncClient(base_url=self.url, trust_env=False, headers=HTML, timeout=60)
        self.clients.append(client)
        return client

    async def visitor(self, role: Role = Role.ADMIN, **more: Any) -> "Visitor":
        client = self.stranger()
        answered = await client.get(await self.link(role, **more))
        assert answered.status_code == 303, answered.text
        return Visitor(client)


@dataclass
class Visitor:
    """Somebody who is logged in."""

    client: httpx2.AsyncClient

    async def see(self, path: str) -> str:
        answered = await self.client.get(path)
        assert answered.status_code == 200, f"{path}: {answered.status_code} {answered.text[:600]}"
        return answered.text

    async def form_token(self) -> str:
        found = re.search(r'name="form_token" value="([0-9a-f]{64})"', await self.see("/you"))
        assert found
        return found[1]

    async def send(self, path: str, **fields: str) -> httpx2.Response:
        """A form, as a browser sends one from our own page."""
        fields.setdefault("form_token", await self.form_token())
        return await self.client.post(path, data=fields, headers={"sec-fetch-site": "same-origin"})


class CountedTransaction(Transaction):
    """Counts what it asks."""

    def __init__(self, inner: Transaction, asked: list[str]) -> None:
        super().__init__(inner.connection)
        self.afterwards, self._asked = inner.afterwards, asked

    async def _run(self, query: Query, parameters: Any) -> Any:
        self._asked.append(query.name)
        return await super()._run(query, parameters)

    async def into(self, kind: type[Any], query: Query, **parameters: Any) -> list[Any]:
        self._asked.append(query.name)
        return await super().into(kind, query, **parameters)


class CountedDatabase(Database):
    """Knows every query that was asked of it."""

    def __init__(self, url: str) -> None:
        super().__init__(url, size=10)
        self.asked: list[str] = []

    @asynccontextmanager
    async def tenant(self, tenant_id: str) -> AsyncIterator[Transaction]:
        async with super().tenant(tenant_id) as tx:
            yield CountedTransaction(tx, self.asked)


@asynccontextmanager
async def console(
    database: Database,
    directory: Path,
    *,
    temporal: Callable[[], Awaitable[Any]] = no_temporal,
    sessions: SessionLimits | None = None,
    url: str | None = None,
    every: float = 0.05,
    **more: Any,
) -> AsyncIterator[Console]:
    """Open from here to the end of the block. What more is named are ports, where a page needs them."""
    listening = bind("127.0.0.1", 0)
    here = f"http://{door_of(listening)}"
    signer = UrlSigner(f"{here}/objects", KEYS)
    objects = LocalObjects(directory, signer)
    blobs = Blobs(database, objects, announce, BlobLimits())
    site = Site(
        blobs,
        url or here,
        replace(outward(temporal), **more),
        temporal_pages="http://127.0.0.1:8233/namespaces/x",
        sessions=sessions,
        every=every,
    )
    app = application(blobs, Passport(), hosts=names_of(listening), site=site)
    opened = Console(here, database, site, objects)
    try:
        async with serving(app, listening, ServerLimits(shutdown_seconds=5)):
            try:
                yield opened
            finally:
                site.close()
    finally:
        for client in opened.clients:
            await client.aclose()
