"""From a request to a linked blob. Whoever dies in between leaves what `complete`, or the sweep, can finish.

The object store and the database cannot commit together. So every attempt writes an object of its own, which no URL
can write again, and one statement makes one of them the blob. What loses is deleted, at once or by the sweep.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from windrow.blobs import places, refusals
from windrow.blobs.blob import Blob, State, Ticket, Wanted
from windrow.blobs.measure import Measure, Measured, measured
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.objects import Method, Objects, ObjectStore
from windrow.postgres import Database, Transaction, audit, load
from windrow.telemetry import emit
from windrow.telemetry.catalogue import blobs as telemetry

Q = load(__package__)

# says to others, in the transaction that links, that a blob is part of an item
Announce = Callable[[Transaction, Blob], Awaitable[object]]

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class BlobLimits:
    """How large a blob may be, how long a URL lives, and how long after that an upload may still be under way."""

    largest: int = 1 << 30
    url_lifetime: timedelta = timedelta(minutes=15)
    grace: timedelta = timedelta(hours=1)


class Blobs:
    """The flow, over one database and one storage."""

    def __init__(
        self, database: Database, objects: Objects, announce: Announce, limits: BlobLimits | None = None
    ) -> None:
        self.database, self.objects, self.limits = database, objects, limits or BlobLimits()
        self._announce = announce

    async def request(self, wanted: Wanted, actor: Actor) -> Ticket:
        """A row for what is to come, and the URL to bring it by."""
        if wanted.size is not None and wanted.size > self.limits.largest:
            raise refusals.too_large(self.limits.largest)
        blob_id = uuid4()
        async with self.database.tenant(wanted.scope.tenant_id) as tx:
            await _check_item(tx, wanted.item_id, wanted.scope.project_id)
            await tx.execute(
                Q.request,
                blob_id=blob_id,
                project_id=wanted.scope.project_id,
                item_id=wanted.item_id,
                media_type=wanted.media_type,
                name=wanted.name,
                size=wanted.size,
                sha256=wanted.sha256,
                by=actor.name,
                lifetime=self.limits.url_lifetime,
                grace=self.limits.grace,
            )
            blob = await _found(tx, blob_id)
            await audit.record(tx, actor, "blobs.request", f"blobs/{blob.blob_id}", project_id=blob.project_id)
        self._counted(blob)
        url = await self._store(blob.tenant_id).signed_url(
            places.incoming(blob.blob_id),
            method=Method.PUT,
            expires_in=self.limits.url_lifetime,
            most_bytes=self.most(blob),
        )
        return Ticket(blob, url, blob.expires_at)

    def most(self, blob: Blob) -> int:
        """How many bytes are taken for it."""
        return self.limits.largest if blob.announced_size is None else blob.announced_size

    async def receive(
        self, tenant_id: str, blob_id: UUID, chunks: AsyncIterator[bytes], actor: Actor, *, most: int | None = None
    ) -> Blob:
        """Take an upload piece by piece, check it and link it: for the stores that Windrow serves itself.

        `most` is what its URL allows, if that says less than the row.
        """
        blob = await self._open(tenant_id, blob_id)
        store, key, measure = (
            self._store(tenant_id),
            places.new_attempt(blob),
            Measure(min(self.most(blob), most if most is not None else self.limits.largest)),
        )
        async with store.open_writer(key, content_type=blob.media_type) as writer:
            async for piece in measure.pieces(chunks):
                await writer.write(piece)
            found = measure.ended(blob)
        if not await self._settle(blob, key, found):
            await store.delete(key)
            raise refusals.not_open(await self.find(tenant_id, blob_id))
        return await self._link(blob, actor)

    async def complete(self, scope: Scope, blob_id: UUID, actor: Actor) -> Blob:
        """See that what was uploaded is checked and linked. Done already, it is done; any number of callers may ask."""
        return await self.finish(await self.find(scope.tenant_id, blob_id, scope.project_id), actor)

    async def finish(self, blob: Blob, actor: Actor) -> Blob:
        """Take a blob from wherever it stands to its link."""
        if blob.state is State.LINKED:
            return blob
        if blob.state is State.EXPIRED:
            raise refusals.not_open(blob)
        if blob.state is State.REQUESTED:
            await self._adopt(blob)
        return await self._link(blob, actor)

    async def find(self, tenant_id: str, blob_id: UUID, project_id: str | None = None) -> Blob:
        """One blob, or the error that says there is none."""
        async with self.database.tenant(tenant_id) as tx:
            return await _found(tx, blob_id, project_id)

    async def of_item(self, scope: Scope, item_id: UUID) -> list[Blob]:
        """What is linked to an item or on its way to it, oldest first."""
        async with self.database.tenant(scope.tenant_id) as tx:
            if await tx.value(Q.item, item_id=item_id, project_id=scope.project_id) is None:
                raise refusals.no_item(item_id)
            rows = await tx.rows(Q.of_item, item_id=item_id, project_id=scope.project_id, limit=MOST_LISTED)
        return [Blob.of(row) for row in rows]

    async def recent(self, scope: Scope, *, before: UUID | None = None, limit: int = 50) -> list[Blob]:
        """A project's blobs, newest first; `before` one of them goes on with a page."""
        async with self.database.tenant(scope.tenant_id) as tx:
            rows = await tx.rows(Q.recent, project_id=scope.project_id, before=before, limit=limit)
        return [Blob.of(row) for row in rows]

    async def download(self, scope: Scope, blob_id: UUID) -> Ticket:
        """A URL that reads a linked blob."""
        blob = await self.find(scope.tenant_id, blob_id, scope.project_id)
        if blob.state is not State.LINKED or blob.key is None:
            raise refusals.nothing_there(blob) if blob.state is not State.EXPIRED else refusals.not_open(blob)
        expires_at = datetime.now(UTC) + self.limits.url_lifetime
        url = await self._store(scope.tenant_id).signed_url(blob.key, expires_in=self.limits.url_lifetime)
        return Ticket(blob, url, expires_at)

    async def _open(self, tenant_id: str, blob_id: UUID) -> Blob:
        blob = await self.find(tenant_id, blob_id)
        if blob.state is not State.REQUESTED:
            raise refusals.not_open(blob)
        return blob

    async def _adopt(self, blob: Blob) -> None:
        """Find what was uploaded, and name it: bytes whose process died before it could, or those that S3 was given."""
        store = self._store(blob.tenant_id)
        lying = [listed.key async for listed in store.list(places.attempts(blob))]
        for key in lying or [await self._copied(store, blob)]:
            try:
                found = await measured(store, key, blob, self.most(blob))
            except ValidationFailure:
                # nobody can change an attempt, so whoever looks at it comes to the same verdict
                await store.delete(key)
                raise
            if await self._settle(blob, key, found):
                return

    async def _copied(self, store: ObjectStore, blob: Blob) -> str:
        """What came by the URL, put where no URL can write."""
        source, target = places.incoming(blob.blob_id), places.new_attempt(blob)
        head = await store.head(source)
        if head is None:
            raise refusals.nothing_there(blob)
        if head.size > self.most(blob):
            raise refusals.too_large(self.most(blob))
        await store.copy_if_absent(source, target)
        return target

    async def _settle(self, blob: Blob, key: str, found: Measured) -> bool:
        """Whether this attempt is the blob."""
        async with self.database.tenant(blob.tenant_id) as tx:
            first = await tx.execute(Q.uploaded, blob_id=blob.blob_id, key=key, size=found.size, sha256=found.sha256)
        if first:
            return True
        # somebody may have completed with this very attempt, between our bytes and our statement
        return (await self.find(blob.tenant_id, blob.blob_id)).key == key

    async def _link(self, blob: Blob, actor: Actor) -> Blob:
        """Make it part of its item, and say so, in one transaction."""
        async with self.database.tenant(blob.tenant_id) as tx:
            first = await tx.execute(Q.linked, blob_id=blob.blob_id)
            linked = await _found(tx, blob.blob_id)
            if not first:
                return _already(linked)
            await _check_item(tx, linked.item_id, linked.project_id)
            await audit.record(
                tx, actor, "blobs.link", f"blobs/{linked.blob_id}", after=linked.sha256, project_id=linked.project_id
            )
            await self._announce(tx, linked)
        self._counted(linked)
        emit("blob.linked", blob_id=str(linked.blob_id), item_id=str(linked.item_id), bytes=linked.size, by=actor.name)
        return linked

    def _store(self, tenant_id: str) -> ObjectStore:
        return self.objects.for_tenant(tenant_id)

    def _counted(self, blob: Blob) -> None:
        telemetry.BLOBS.add(1, state=blob.state)
        if blob.state is State.LINKED and blob.size is not None:
            telemetry.BYTES.add(blob.size)


async def _found(tx: Transaction, blob_id: UUID, project_id: str | None = None) -> Blob:
    row = await tx.row(Q.find, blob_id=blob_id, project_id=project_id)
    if row is None:
        raise refusals.no_blob(blob_id)
    return Blob.of(row)


def _already(blob: Blob) -> Blob:
    """What somebody else has linked, or why there was nothing to link."""
    if blob.state is State.EXPIRED:
        raise refusals.not_open(blob)
    if blob.state is not State.LINKED:
        raise refusals.nothing_there(blob)
    return blob


async def _check_item(tx: Transaction, item_id: UUID, project_id: str) -> None:
    deleted = await tx.value(Q.item, item_id=item_id, project_id=project_id)
    if deleted is None:
        raise refusals.no_item(item_id)
    if deleted:
        raise refusals.item_gone(item_id)
