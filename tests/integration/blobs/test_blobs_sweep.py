"""What was left undone is finished or taken away, and nothing else is."""

import pytest
from tests.conftest import Said
from tests.integration.blobs.items import put_item
from tests.integration.blobs.quay import ACME, ANNA, BYTES, Quay, pieces

from windrow.blobs import Blob, Blobs, State, Ticket, Wanted, places, sweep
from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Transaction


async def test_a_request_that_nobody_fulfilled_expires(quay: Quay, said: Said) -> None:
    ticket = await quay.request()
    await quay.age(ticket, hours=2)

    assert await sweep(quay.blobs) == 1

    assert (await quay.find(ticket)).state is State.EXPIRED
    assert [line["blob_id"] for line in said.events("blob.expired")] == [str(ticket.blob.blob_id)]
    assert await sweep(quay.blobs) == 0


@pytest.mark.req("HV-41")
async def test_what_has_expired_takes_no_upload_any_more(quay: Quay) -> None:
    ticket = await quay.request()
    await quay.age(ticket, hours=2)
    await sweep(quay.blobs)

    for attempt in (quay.receive(ticket), quay.complete(ticket)):
        with pytest.raises(ValidationFailure) as refused:
            await attempt
        assert refused.value.code is Code.GONE
    assert await quay.keys() == []


async def test_an_upload_under_way_is_left_in_peace_for_an_hour(quay: Quay) -> None:
    ticket = await quay.request()
    await quay.age(ticket, hours=0.5)

    assert await sweep(quay.blobs) == 0
    assert (await quay.receive(ticket)).state is State.LINKED


async def test_bytes_that_no_row_names_are_deleted(quay: Quay) -> None:
    ticket = await quay.request()
    blob = await quay.receive(ticket)
    store = quay.blobs.objects.for_tenant("acme")
    await store.put(places.new_attempt(blob), b"of a process that died")
    await store.put(places.incoming(blob.blob_id), b"written by a URL that was used again")
    await quay.age(ticket, hours=2)

    await sweep(quay.blobs)

    assert await quay.keys() == [blob.key]
    assert await quay.content(blob) == BYTES


async def test_a_link_that_a_dead_process_did_not_make_is_made(quay: Quay) -> None:
    ticket = await uploaded_for_an_item_that_is_gone(quay)
    put_item(quay.database_url, "acme", deleted=False)
    await quay.age(ticket, hours=2)

    await sweep(quay.blobs)

    assert (await quay.find(ticket)).state is State.LINKED
    assert len(await quay.announced()) == 1


async def test_bytes_wait_a_day_for_an_item_that_is_gone(quay: Quay) -> None:
    ticket = await uploaded_for_an_item_that_is_gone(quay)
    await quay.age(ticket, hours=2)
    await sweep(quay.blobs)
    assert (await quay.find(ticket)).state is State.UPLOADED

    await quay.age(ticket, hours=23)
    await sweep(quay.blobs)

    assert (await quay.find(ticket)).state is State.EXPIRED
    assert await quay.keys() == []


async def test_a_blob_that_cannot_be_tidied_does_not_hold_up_the_others(quay: Quay, said: Said) -> None:
    async def unheard(tx: Transaction, blob: Blob) -> None:
        raise RetryableTransient("nobody listens")

    stuck = await uploaded_for_an_item_that_is_gone(quay)
    put_item(quay.database_url, "acme", deleted=False)
    other = await quay.request()
    for ticket in (stuck, other):
        await quay.age(ticket, hours=2)

    await sweep(Blobs(quay.database, quay.blobs.objects, unheard))

    assert (await quay.find(other)).state is State.EXPIRED
    assert [line["blob_id"] for line in said.events("blob.neglected")] == [str(stuck.blob.blob_id)]
    assert (await quay.find(stuck)).state is State.UPLOADED


async def test_every_tenant_is_swept(quay: Quay) -> None:
    other = Scope("other", "main")
    wanted = Wanted(scope=other, item_id=put_item(quay.database_url, "other"), media_type="text/plain")
    theirs = await quay.blobs.request(wanted, ANNA)
    ours = await quay.request()
    async with quay.database.system() as tx:
        await tx.connection.execute("UPDATE windrow.blobs SET tidy_at = now()")

    assert await sweep(quay.blobs) == 2

    assert (await quay.blobs.find("other", theirs.blob.blob_id)).state is State.EXPIRED
    assert (await quay.find(ours)).state is State.EXPIRED


async def uploaded_for_an_item_that_is_gone(quay: Quay) -> Ticket:
    ticket = await quay.request()
    put_item(quay.database_url, "acme", deleted=True)
    with pytest.raises(Exception, match="gone from its source"):
        await quay.blobs.receive(ACME.tenant_id, ticket.blob.blob_id, pieces(BYTES), ANNA)
    return ticket
