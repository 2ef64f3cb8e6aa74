"""What was left undone: links that a dead process did not make, requests nobody fulfilled, objects that no row names."""

from datetime import timedelta
from uuid import UUID

from windrow.blobs import places
from windrow.blobs.blob import Blob, State
from windrow.blobs.flow import Blobs
from windrow.contracts.errors import Conflict, ValidationFailure, WindrowError
from windrow.contracts.scope import Actor
from windrow.postgres import load
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import blobs as telemetry

Q = load(__package__)

SWEEPER = Actor("sweep", "background of a process")
AGAIN = timedelta(hours=1)
# how long checked bytes wait for an item that is gone from its source
PATIENCE = timedelta(days=1)


async def sweep(blobs: Blobs, *, limit: int = 100) -> int:
    """Look after the blobs that are due; how many. A blob that cannot be tidied does not keep the others waiting."""
    async with blobs.database.system() as tx:
        due = await tx.rows(Q.untidy, again=AGAIN, limit=limit)
    for row in due:
        with bound(tenant_id=row["tenant_id"]):
            try:
                await _tidy(blobs, row["tenant_id"], row["blob_id"])
            except WindrowError as error:
                emit("blob.neglected", blob_id=str(row["blob_id"]), code=error.code, error=error)
    return len(due)


async def _tidy(blobs: Blobs, tenant_id: str, blob_id: UUID) -> None:
    blob = await blobs.find(tenant_id, blob_id)
    if blob.state is State.UPLOADED:
        blob = await _linked_if_possible(blobs, blob)
    async with blobs.database.tenant(tenant_id) as tx:
        expired = await tx.execute(Q.expire, blob_id=blob_id, patience=PATIENCE)
    # read after the change: whoever links from now on finds it expired, and whoever linked before is found here
    blob = await blobs.find(tenant_id, blob_id)
    removed = await _remove_leftovers(blobs, blob)
    async with blobs.database.tenant(tenant_id) as tx:
        await tx.execute(Q.tidied, blob_id=blob_id)
    if expired:
        telemetry.BLOBS.add(1, state=State.EXPIRED)
        emit("blob.expired", blob_id=str(blob_id), item_id=str(blob.item_id), objects=removed)


async def _linked_if_possible(blobs: Blobs, blob: Blob) -> Blob:
    try:
        return await blobs.finish(blob, SWEEPER)
    except (Conflict, ValidationFailure):  # its item is gone; what else goes wrong is no verdict
        return blob


async def _remove_leftovers(blobs: Blobs, blob: Blob) -> int:
    """Every object of the blob but the one that it is."""
    store = blobs.objects.for_tenant(blob.tenant_id)
    kept = blob.key if blob.state in (State.UPLOADED, State.LINKED) else None
    lying = [listed.key async for listed in store.list(places.attempts(blob)) if listed.key != kept]
    if await store.head(places.incoming(blob.blob_id)):
        lying.append(places.incoming(blob.blob_id))
    for key in lying:
        await store.delete(key)
    return len(lying)
