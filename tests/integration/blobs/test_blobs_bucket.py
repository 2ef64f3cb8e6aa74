"""Uploads that pass us by: what the client wrote is copied to where no URL writes, looked at, and only then named."""

import asyncio

import pytest
from tests.integration.blobs.quay import BYTES, Quay, sha256

from windrow.blobs import State, Ticket, places
from windrow.contracts.errors import Code, Conflict, ValidationFailure


async def client_writes(bucket: Quay, ticket: Ticket, data: bytes = BYTES) -> None:
    await bucket.blobs.objects.for_tenant("acme").put(places.incoming(ticket.blob.blob_id), data)


@pytest.mark.req("HV-41")
async def test_what_the_client_wrote_is_checked_and_linked(bucket: Quay) -> None:
    ticket = await bucket.request(size=len(BYTES), sha256=sha256(BYTES))
    await client_writes(bucket, ticket)

    blob = await bucket.complete(ticket)

    assert (blob.state, blob.sha256) == (State.LINKED, sha256(BYTES))
    assert await bucket.content(blob) == BYTES


@pytest.mark.req("HV-41")
async def test_a_url_used_again_after_the_link_changes_nothing(bucket: Quay) -> None:
    ticket = await bucket.request()
    await client_writes(bucket, ticket)
    blob = await bucket.complete(ticket)

    await client_writes(bucket, ticket, b"other bytes")

    assert await bucket.complete(ticket) == blob
    assert await bucket.content(blob) == BYTES


@pytest.mark.parametrize(
    ("announced", "code"),
    [
        ({"size": len(BYTES) - 1}, Code.TOO_LARGE),
        ({"size": len(BYTES) + 1}, Code.INVALID_VALUE),
        ({"sha256": sha256(b"other")}, Code.INVALID_VALUE),
    ],
)
async def test_other_bytes_than_announced_are_refused_and_may_be_sent_right(
    bucket: Quay, announced: dict[str, object], code: Code
) -> None:
    ticket = await bucket.request(**announced)
    await client_writes(bucket, ticket)
    with pytest.raises(ValidationFailure) as refused:
        await bucket.complete(ticket)
    assert refused.value.code is code
    assert await bucket.keys() == [places.incoming(ticket.blob.blob_id)]

    right = {"size": lambda n: b"x" * int(n), "sha256": lambda _: b"other"}
    ((what, value),) = announced.items()
    await client_writes(bucket, ticket, right[what](value))

    assert (await bucket.complete(ticket)).state is State.LINKED


async def test_of_completions_at_the_same_time_one_links(bucket: Quay) -> None:
    ticket = await bucket.request()
    await client_writes(bucket, ticket)

    done = await asyncio.gather(*(bucket.complete(ticket) for _ in range(5)))

    assert len({blob.key for blob in done}) == 1
    assert await bucket.content(done[0]) == BYTES
    assert len(await bucket.announced()) == 1


async def test_nothing_written_is_nothing_to_complete(bucket: Quay) -> None:
    with pytest.raises(Conflict, match="nothing was uploaded"):
        await bucket.complete(await bucket.request())
