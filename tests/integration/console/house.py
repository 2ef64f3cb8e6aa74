"""The HTTP application as it runs: real uvicorn on a free port, real Postgres, objects on the disk, two tenants."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx2
import prometheus_client
from tests.integration.blobs.items import put_item

from windrow.app.jobs import payload_of
from windrow.blobs import BlobLimits, Blobs
from windrow.console.api.behind import Api
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.console.ports import Ports
from windrow.console.webhooks import Resolve
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Scope
from windrow.media.announcing import Topics
from windrow.objects.local import LocalObjects
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import Database
from windrow.web.limits import ServerLimits
from windrow.web.pace import PaceLimits
from windrow.web.principal import Principal, Role
from windrow.web.server import bind, door_of, names_of, serving

BYTES = b"the content of a file\n" * 100
HASTE = ServerLimits(
    head_seconds=0.3,
    idle_seconds=0.3,
    json_seconds=0.6,
    upload_seconds=5,
    keep_alive_seconds=0.3,
    shutdown_seconds=0.3,
    linger_seconds=0.3,
)
KEYS = [SigningKey("k", b"thirty-two bytes of a signing key")]
TOKENS = {
    "token-of-acme": Principal(Scope("acme", "main"), (Role.ADMIN,), "anna", "test"),
    "token-of-other": Principal(Scope("other", "main"), (Role.WRITER,), "oscar", "test"),
    "token-of-a-reader": Principal(Scope("acme", "main"), (Role.READER,), "rita", "test"),
    "token-of-a-writer": Principal(Scope("acme", "main"), (Role.WRITER,), "walt", "test"),
    "token-of-elsewhere": Principal(Scope("acme", "elsewhere"), (Role.ADMIN,), "elsa", "test"),
}


class Passport:
    """Knows the tokens of a test, unless it is told to fail."""

    def __init__(self) -> None:
        self.failing: Exception | None = None

    async def principal_of(self, token: str) -> Principal | None:
        if self.failing:
            raise self.failing
        return TOKENS.get(token)


class Clock:
    """The signer's time, which a test moves."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class House:
    """Where it answers, and a client for it."""

    door: str
    client: httpx2.AsyncClient
    blobs: Blobs
    signer: UrlSigner
    clock: Clock
    item: UUID
    objects: Path
    database_url: str
    passport: Passport

    async def call(self, method: str, path: str, token: str = "token-of-acme", **more: Any) -> httpx2.Response:
        headers = {"authorization": f"Bearer {token}", **more.pop("headers", {})}
        return await self.client.request(method, path, headers=headers, **more)

    async def request(self, token: str = "token-of-acme", **more: Any) -> dict[str, Any]:
        wanted = {"item": str(self.item), "media_type": "text/plain", **more}
        answered = await self.call("POST", "/v1/blobs", token, json=wanted)
        assert answered.status_code == 201, answered.text
        return dict(answered.json())

    async def put(self, url: str, data: bytes = BYTES, **headers: str) -> httpx2.Response:
        return await self.client.put(url, content=data, headers=headers)

    async def uploaded(self, data: bytes = BYTES, **more: Any) -> dict[str, Any]:
        ticket = await self.request(**more)
        answered = await self.put(ticket["upload"]["url"], data)
        assert answered.status_code == 200, answered.text
        return ticket

    async def state(self, ticket: dict[str, Any]) -> str:
        return str((await self.call("GET", f"/v1/blobs/{ticket['blob_id']}")).json()["state"])

    async def keys(self, tenant: str = "acme") -> list[str]:
        return [listed.key async for listed in self.blobs.objects.for_tenant(tenant).list()]

    def drafts(self) -> list[Path]:
        folder = self.objects / "acme" / ".drafts"
        return list(folder.iterdir()) if folder.exists() else []

    @asynccontextmanager
    async def wire(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A plain connection, to say what no client library would."""
        host, _, port = self.door.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def say(self, data: bytes) -> "Raw":
        """Send bytes as they are; what came back until the other side closed."""
        async with self.wire() as (reader, writer):
            writer.write(data)
            await writer.drain()
            received = bytearray()
            async with asyncio.timeout(60):
                # an end is an end, polite or not
                with suppress(ConnectionResetError):
                    while piece := await reader.read(65_536):
                        received += piece
            return Raw(bytes(received))

    def head(self, method: str, target: str, *lines: str, host: str | None = None) -> bytes:
        """The head of a request, with the token and `connection: close`."""
        said = [f"{method} {target} HTTP/1.1", f"Host: {host or self.door}", *lines]
        return ("\r\n".join(said) + "\r\n\r\n").encode("latin-1")


class Raw:
    """An answer as it came over the wire."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(first.split(" ")[1]) if first else 0
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def problem(self) -> dict[str, Any]:
        assert self.headers["content-type"] == "application/problem+json", self.data
        return dict(json.loads(self.body))


@asynccontextmanager
async def house(
    database: Database,
    directory: Path,
    limits: ServerLimits | None = None,
    largest: int = 5_000_000,
    temporal: Callable[[], Awaitable[Any]] | None = None,
    resolve: Resolve | None = None,
    ports: Ports | None = None,
    pace: PaceLimits | None = None,
) -> AsyncIterator[House]:
    """Open from here to the end of the block."""
    listening = bind("127.0.0.1", 0)
    door, clock = door_of(listening), Clock()
    signer = UrlSigner(f"http://{door}/objects", KEYS, clock=clock)
    blobs = Blobs(
        database, LocalObjects(directory, signer), announce, BlobLimits(largest, url_lifetime=timedelta(minutes=5))
    )
    passport = Passport()
    hosts = names_of(listening)
    api = Api(ports or outward(temporal), KEYS, pace or PaceLimits())
    app = application(blobs, passport, hosts=hosts, signer=signer, api=api, resolve=resolve, limits=limits)
    item = put_item(database.url, "acme")
    async with (
        httpx2.AsyncClient(base_url=f"http://{door}", trust_env=False, timeout=60) as client,
        serving(app, listening, limits or ServerLimits(shutdown_seconds=5)),
    ):
        yield House(door, client, blobs, signer, clock, item, directory, database.url, passport)


def outward(temporal: Callable[[], Awaitable[Any]] | None = None) -> Ports:
    """What the API asks of its process, where a test needs none of it but perhaps Temporal."""

    async def away(*_: Any) -> Any:
        raise RetryableTransient("nothing of the kind in this test", code=Code.UNAVAILABLE)

    return Ports(
        temporal=temporal or away,
        attempt=away,
        preview=away,
        retry=away,
        payload_of=payload_of,
        media_topics=Topics(),
    )


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def counted(name: str, **labels: str) -> float:
    """The value of a metric now."""
    samples = (sample for family in prometheus_client.REGISTRY.collect() for sample in family.samples)
    return sum(sample.value for sample in samples if sample.name == name and labels.items() <= sample.labels.items())
