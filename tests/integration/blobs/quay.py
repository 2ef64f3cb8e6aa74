"""The flow with everything real but HTTP: a database, objects on the disk, an item to link to."""

import hashlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from windrow.blobs import Blob, Blobs, Ticket, Wanted
from windrow.contracts.scope import Actor, Scope
from windrow.messages import peek, route
from windrow.postgres import Database

ACME = Scope("acme", "main")
ANNA = Actor("anna", "test")
BYTES = b"the content of a file\n" * 100


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def pieces(data: bytes, size: int = 700) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@dataclass
class Quay:
    """Where uploads come in."""

    blobs: Blobs
    item: UUID
    database_url: str

    @property
    def database(self) -> Database:
        return self.blobs.database

    async def request(self, **more: Any) -> Ticket:
        wanted = {"scope": ACME, "item_id": self.item, "media_type": "text/plain", **more}
        return await self.blobs.request(Wanted(**wanted), ANNA)

    async def receive(self, ticket: Ticket, data: bytes = BYTES) -> Blob:
        return await self.blobs.receive("acme", ticket.blob.blob_id, pieces(data), ANNA)

    async def complete(self, ticket: Ticket) -> Blob:
        return await self.blobs.complete(ACME, ticket.blob.blob_id, ANNA)

    async def find(self, ticket: Ticket) -> Blob:
        return await self.blobs.find("acme", ticket.blob.blob_id)

    async def keys(self, tenant: str = "acme") -> list[str]:
        return [listed.key async for listed in self.blobs.objects.for_tenant(tenant).list()]

    async def content(self, blob: Blob) -> bytes:
        assert blob.key
        return await self.blobs.objects.for_tenant(blob.tenant_id).get(blob.key)

    async def announced(self) -> list[dict[str, Any]]:
        while await route(self.database):
            pass
        async with self.database.tenant("acme") as tx:
            return [message.payload for message in await peek(tx, "catalog.blobs")]

    async def age(self, ticket: Ticket, hours: float) -> None:
        """Let time pass for one blob."""
        async with self.database.tenant("acme") as tx:
            await tx.connection.execute(
                "UPDATE windrow.blobs SET expires_at = expires_at - %(by)s, uploaded_at = uploaded_at - %(by)s,"
                " tidy_at = tidy_at - %(by)s WHERE blob_id = %(id)s",
                {"by": timedelta(hours=hours), "id": ticket.blob.blob_id},
            )


def states(blobs: Iterable[Blob]) -> list[str]:
    return [str(blob.state) for blob in blobs]
