"""From a request to a linked blob: whole, once, announced; or not at all."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.integration.blobs.items import put_item
from tests.integration.blobs.quay import ACME, ANNA, BYTES, Quay, pieces, sha256, states

from windrow.blobs import State, places
from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.messages import topics
from windrow.postgres import audit


@pytest.mark.req("HV-41")
async def test_what_was_uploaded_is_linked_and_announced(quay: Quay) -> None:
    ticket = await quay.request(size=len(BYTES), sha256=sha256(BYTES), name="a.txt")

    blob = await quay.receive(ticket)

    assert (blob.state, blob.size, blob.sha256) == (State.LINKED, len(BYTES), sha256(BYTES))
    assert await quay.content(blob) == BYTES
    assert states(await quay.blobs.of_item(ACME, quay.item)) == ["linked"]
    (message,) = await quay.announced()
    assert (message["blob_id"], message["item_id"]) == (str(blob.blob_id), str(quay.item))


async def test_every_step_is_in_the_audit_trail(quay: Quay) -> None:
    ticket = await quay.request()
    await quay.receive(ticket)

    async with quay.database.tenant("acme") as tx:
        trail = await audit.history(tx, subject=f"blobs/{ticket.blob.blob_id}")

    assert [(entry.action, entry.actor) for entry in trail] == [("blobs.link", "anna"), ("blobs.request", "anna")]


async def test_other_bytes_than_announced_leave_nothing(quay: Quay) -> None:
    for announced, code in (
        ({"size": len(BYTES) - 1}, Code.TOO_LARGE),
        ({"size": len(BYTES) + 1}, Code.INVALID_VALUE),
        ({"sha256": sha256(b"other")}, Code.INVALID_VALUE),
    ):
        ticket = await quay.request(**announced)
        with pytest.raises(ValidationFailure) as refused:
            await quay.receive(ticket)
        assert refused.value.code is code
        assert (await quay.find(ticket)).state is State.REQUESTED
    assert await quay.keys() == []


async def test_an_endless_upload_is_stopped_where_it_becomes_too_large(quay: Quay) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 10_000
            yield b"x" * 10_000

    ticket = await quay.request()
    with pytest.raises(ValidationFailure) as refused:
        await quay.blobs.receive("acme", ticket.blob.blob_id, endless(), ANNA)

    assert refused.value.code is Code.TOO_LARGE
    assert sent <= quay.blobs.limits.largest + 20_000


async def test_a_url_that_allows_less_than_the_row_is_obeyed(quay: Quay) -> None:
    ticket = await quay.request()

    with pytest.raises(ValidationFailure, match="more than the 10 bytes"):
        await quay.blobs.receive("acme", ticket.blob.blob_id, pieces(BYTES), ANNA, most=10)


async def test_an_upload_that_breaks_off_leaves_nothing_and_may_be_tried_again(quay: Quay) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield BYTES
        raise ConnectionResetError

    ticket = await quay.request()
    with pytest.raises(ConnectionResetError):
        await quay.blobs.receive("acme", ticket.blob.blob_id, broken(), ANNA)
    assert await quay.keys() == []

    assert (await quay.receive(ticket)).state is State.LINKED


@pytest.mark.req("HV-41")
async def test_a_second_upload_is_refused_and_changes_nothing(quay: Quay) -> None:
    ticket = await quay.request()
    blob = await quay.receive(ticket)

    with pytest.raises(Conflict) as refused:
        await quay.receive(ticket, b"something else")

    assert refused.value.code is Code.ALREADY_EXISTS
    assert await quay.content(blob) == BYTES
    assert await quay.keys() == [blob.key]


async def test_of_uploads_at_the_same_time_one_is_the_blob_and_the_others_are_gone(quay: Quay) -> None:
    ticket = await quay.request()
    together = asyncio.Barrier(4)

    async def waiting(data: bytes) -> AsyncIterator[bytes]:
        yield data
        await together.wait()

    uploads = [quay.blobs.receive("acme", ticket.blob.blob_id, waiting(b"%d" % number), ANNA) for number in range(4)]
    done = await asyncio.gather(*uploads, return_exceptions=True)

    (winner,) = [each for each in done if not isinstance(each, BaseException)]
    assert [type(each) for each in done].count(Conflict) == 3
    assert await quay.keys() == [winner.key]
    assert len(await quay.announced()) == 1


async def test_an_item_that_is_not_there_is_refused(quay: Quay) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await quay.request(item_id=put_item(quay.database_url, "other"))

    assert refused.value.code is Code.NOT_FOUND


async def test_an_item_of_another_project_is_not_there(quay: Quay) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await quay.request(scope=Scope("acme", "elsewhere"))

    assert refused.value.code is Code.NOT_FOUND


async def test_an_item_that_is_gone_from_its_source_is_refused_with_the_reason(quay: Quay) -> None:
    put_item(quay.database_url, "acme", deleted=True)

    with pytest.raises(Conflict, match="gone from its source"):
        await quay.request()


async def test_an_item_that_goes_during_the_upload_keeps_the_bytes_until_it_comes_back(quay: Quay) -> None:
    ticket = await quay.request()
    put_item(quay.database_url, "acme", deleted=True)
    with pytest.raises(Conflict, match="gone from its source"):
        await quay.receive(ticket)
    assert (await quay.find(ticket)).state is State.UPLOADED
    async with quay.database.tenant("acme") as tx:
        assert await topics(tx) == []

    put_item(quay.database_url, "acme", deleted=False)

    assert (await quay.complete(ticket)).state is State.LINKED


async def test_more_than_is_taken_is_refused_before_it_is_sent(quay: Quay) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await quay.request(size=quay.blobs.limits.largest + 1)

    assert refused.value.code is Code.TOO_LARGE


async def test_an_empty_file_is_a_blob_too(quay: Quay) -> None:
    ticket = await quay.request(size=0)

    assert (await quay.receive(ticket, b"")).size == 0


async def test_a_blob_of_another_tenant_is_not_there(quay: Quay) -> None:
    ticket = await quay.request()
    await quay.receive(ticket)

    for scope in (Scope("other", "main"), Scope("acme", "elsewhere")):
        with pytest.raises(ValidationFailure) as refused:
            await quay.blobs.download(scope, ticket.blob.blob_id)
        assert refused.value.code is Code.NOT_FOUND


async def test_what_is_not_linked_cannot_be_downloaded(quay: Quay) -> None:
    ticket = await quay.request()

    with pytest.raises(Conflict, match="nothing was uploaded"):
        await quay.blobs.download(ACME, ticket.blob.blob_id)


async def test_blobs_are_listed_newest_first_page_by_page(quay: Quay) -> None:
    tickets = [await quay.request() for _ in range(5)]
    newest_first = [ticket.blob.blob_id for ticket in reversed(tickets)]

    first = await quay.blobs.recent(ACME, limit=3)
    rest = await quay.blobs.recent(ACME, before=first[-1].blob_id, limit=3)

    assert [blob.blob_id for blob in first + rest] == newest_first


async def test_bytes_whose_process_died_before_the_row_are_found_by_complete(quay: Quay) -> None:
    ticket = await quay.request(sha256=sha256(BYTES))
    await quay.blobs.objects.for_tenant("acme").put(places.new_attempt(ticket.blob), BYTES)

    blob = await quay.complete(ticket)

    assert (blob.state, blob.size) == (State.LINKED, len(BYTES))
    assert len(await quay.announced()) == 1


async def test_complete_any_number_of_times_links_once(quay: Quay) -> None:
    ticket = await quay.request()
    await quay.blobs.objects.for_tenant("acme").put(places.new_attempt(ticket.blob), BYTES)

    done = await asyncio.gather(*(quay.complete(ticket) for _ in range(5)))

    assert set(states(done)) == {"linked"}
    assert len(await quay.announced()) == 1


async def test_complete_while_an_upload_settles_keeps_the_bytes(quay: Quay) -> None:
    ticket = await quay.request()
    done = await asyncio.gather(
        quay.receive(ticket), *(quay.complete(ticket) for _ in range(5)), return_exceptions=True
    )

    assert isinstance(done[0], type(ticket.blob))
    assert await quay.content(await quay.find(ticket)) == BYTES


async def test_complete_before_anything_came_says_so(quay: Quay) -> None:
    with pytest.raises(Conflict, match="nothing was uploaded"):
        await quay.complete(await quay.request())
