"""Request, upload, link, download, over HTTP; and every link that must not work."""

import asyncio
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from tests.integration.blobs.items import put_item
from tests.integration.console.house import BYTES, House, path_of, sha256

from windrow.messages import peek, route
from windrow.objects import Method
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import audit


@pytest.mark.req("HV-41")
async def test_content_is_requested_uploaded_linked_and_downloaded(open_house: House) -> None:
    ticket = await open_house.request(size=len(BYTES), sha256=sha256(BYTES), name="größe.txt")

    put = await open_house.put(ticket["upload"]["url"], **ticket["upload"]["headers"])

    assert (put.status_code, put.json()["state"]) == (200, "linked")
    (listed,) = (await open_house.call("GET", f"/v1/items/{open_house.item}/blobs")).json()["blobs"]
    assert (listed["state"], listed["size"], listed["sha256"]) == ("linked", len(BYTES), sha256(BYTES))
    fetch = (await open_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]
    got = await open_house.client.get(fetch["url"])
    assert got.content == BYTES
    assert got.headers["content-type"] == "text/plain"
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt"


async def test_the_url_lives_a_quarter_of_an_hour_at_the_most(open_house: House) -> None:
    ticket = await open_house.request()

    left = datetime.fromisoformat(ticket["upload"]["expires_at"]) - datetime.now(UTC)

    assert timedelta(0) < left <= timedelta(minutes=15)


async def test_the_item_may_be_named_as_its_source_names_it(open_house: House) -> None:
    ticket = await open_house.request(item={"endpoint": "repo", "external_id": "a.txt"})

    assert ticket["item_id"] == str(open_house.item)


async def test_the_link_is_announced_once(open_house: House) -> None:
    ticket = await open_house.uploaded()
    for _ in range(2):
        done = await open_house.call("POST", ticket["complete"])
        assert (done.status_code, done.json()["state"]) == (200, "linked")

    while await route(open_house.blobs.database):
        pass
    async with open_house.blobs.database.tenant("acme") as tx:
        (message,) = await peek(tx, "catalog.blobs")
    assert (message.payload["blob_id"], message.key) == (ticket["blob_id"], str(open_house.item))


@pytest.mark.req("HV-41")
async def test_a_replayed_upload_is_refused_and_audited(open_house: House) -> None:
    ticket = await open_house.uploaded()

    again = await open_house.put(ticket["upload"]["url"], b"other bytes")

    assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")
    async with open_house.blobs.database.tenant("acme") as tx:
        (refusal,) = [entry for entry in await audit.history(tx) if entry.action == "access.refuse"]
    assert refusal.reason == "the signed URL was used before"
    assert "token" not in refusal.subject


@pytest.mark.req("HV-41")
async def test_an_expired_upload_url_is_refused(open_house: House) -> None:
    ticket = await open_house.request()
    open_house.clock.ahead = 5 * 60 + 1

    late = await open_house.put(ticket["upload"]["url"])

    assert (late.status_code, late.json()["detail"]) == (403, "the signed URL has expired")
    assert await open_house.state(ticket) == "requested"


@pytest.mark.req("HV-41")
async def test_a_url_of_one_tenant_opens_nothing_of_another(open_house: House) -> None:
    put_item(open_house.database_url, "other")
    ticket = await open_house.request()
    url = ticket["upload"]["url"]

    for foreign in (url.replace("/acme/", "/other/"), url.replace("/acme/", "/acme/../other/")):
        refused = await open_house.put(foreign)
        assert refused.status_code == 403, foreign
    assert await open_house.state(ticket) == "requested"
    assert await open_house.keys("other") == []


async def test_a_signature_that_was_altered_is_refused(open_house: House) -> None:
    url = (await open_house.request())["upload"]["url"]
    base, _, token = url.rpartition("token=")
    name, expires, most, mac = token.split(".")
    forged = UrlSigner("http://x/objects", [SigningKey("k", b"another key, of thirty-two bytes!")])

    for altered in (
        f"{base}token={name}.{expires}.{most}.{'A' * 43}",
        f"{base}token={name}.{int(expires) + 60}.{most}.{mac}",
        f"{base}token={name}.{expires}.{int(most) + 1}.{mac}",
        f"{base}token={name}.{expires}.{mac}",
        f"{base}token=",
        base,
        f"http://{open_house.door}"
        + path_of(forged.sign("acme", url.split("/acme/")[1].partition("?")[0], Method.PUT, timedelta(minutes=1))),
    ):
        refused = await open_house.put(altered)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN"), altered


async def test_a_url_to_upload_does_not_download_and_the_other_way_round(open_house: House) -> None:
    ticket = await open_house.uploaded()
    fetch = (await open_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]

    assert (await open_house.client.get(ticket["upload"]["url"])).status_code == 403
    assert (await open_house.put(fetch["url"])).status_code == 403


async def test_a_path_with_tricks_is_refused(open_house: House) -> None:
    token = open_house.signer.sign("acme", "uploads/x", Method.PUT, timedelta(minutes=1)).partition("?")[2]

    for tricky in ("../other/x", "%2e%2e/other/x", "..%2fother%2fx", "%2e%2e%2f%2e%2e%2fetc/passwd", "a%00b", "a//b"):
        refused = await open_house.say(
            open_house.head("PUT", f"/objects/acme/{tricky}?{token}", "Content-Length: 0", "Connection: close")
        )
        assert refused.problem["status"] == 403, tricky


async def test_a_url_signed_for_something_else_than_a_blob_is_refused(open_house: House) -> None:
    for key in ("uploads/x", "results/42/clip.mp4", "blobs/a/b/c", "uploads/{00000000-0000-0000-0000-000000000000}"):
        for method in Method:
            url = open_house.signer.sign("acme", key, method, timedelta(minutes=1))
            refused = await open_house.client.request(method, url)
            assert refused.status_code == 403, (key, method)


async def test_of_two_uploads_at_once_one_is_taken(open_house: House) -> None:
    ticket = await open_house.request()

    answers = await asyncio.gather(
        *(open_house.put(ticket["upload"]["url"], b"%d" % number * 300_000) for number in range(3))
    )

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    assert len(await open_house.keys()) == 1
    assert open_house.drafts() == []


async def test_other_bytes_than_announced_are_refused(open_house: House) -> None:
    for announced, sent, status, code in (
        ({"size": 10}, b"x" * 11, 413, "TOO_LARGE"),
        ({"size": 10}, b"x" * 9, 422, "INVALID_VALUE"),
        ({"sha256": sha256(b"other")}, b"this", 422, "INVALID_VALUE"),
        ({}, b"x" * 5_000_001, 413, "TOO_LARGE"),
    ):
        ticket = await open_house.request(**announced)  # type: ignore[arg-type]
        refused = await open_house.put(ticket["upload"]["url"], sent)
        assert (refused.status_code, refused.json()["code"]) == (status, code)

    assert await open_house.keys() == []
    assert open_house.drafts() == []


async def test_another_media_type_than_announced_is_refused(open_house: House) -> None:
    ticket = await open_house.request()

    refused = await open_house.put(ticket["upload"]["url"], **{"content-type": "text/html"})

    assert (refused.status_code, refused.json()["code"]) == (415, "CONTENT_TYPE")


async def test_packed_and_partial_uploads_are_refused(open_house: House) -> None:
    url = (await open_house.request())["upload"]["url"]

    assert (await open_house.put(url, **{"content-encoding": "gzip"})).status_code == 415
    assert (await open_house.put(url, **{"content-range": "bytes 0-9/100"})).status_code == 400


@pytest.mark.req("HV-41")
async def test_a_blob_of_another_tenant_is_not_there(open_house: House) -> None:
    ticket = await open_house.uploaded()

    for method, path in (
        ("GET", f"/v1/blobs/{ticket['blob_id']}"),
        ("POST", f"/v1/blobs/{ticket['blob_id']}/download"),
        ("POST", f"/v1/blobs/{ticket['blob_id']}/complete"),
        ("GET", f"/v1/items/{open_house.item}/blobs"),
    ):
        refused = await open_house.call(method, path, "token-of-other")
        assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND"), path
    assert (await open_house.call("GET", "/v1/blobs", "token-of-other")).json() == {"blobs": []}


async def test_a_download_url_of_another_tenant_opens_nothing(open_house: House) -> None:
    ticket = await open_house.uploaded()
    url = (await open_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]["url"]

    assert (await open_house.client.get(url.replace("/acme/", "/other/"))).status_code == 403
    open_house.clock.ahead = 5 * 60 + 1
    assert (await open_house.client.get(url)).status_code == 403


@pytest.mark.parametrize(("deleted", "status", "code"), [(True, 409, "GONE"), (None, 404, "NOT_FOUND")])
async def test_an_item_that_is_gone_or_unknown_is_told_with_the_reason(
    open_house: House, deleted: bool | None, status: int, code: str
) -> None:
    item = "00000000-0000-8000-a000-000000000000"
    if deleted:
        item = str(put_item(open_house.database_url, "acme", deleted=True))

    refused = await open_house.call("POST", "/v1/blobs", json={"item": item, "media_type": "text/plain"})

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.json()["hint"]


async def test_a_large_upload_arrives_whole_in_pieces(open_house: House) -> None:
    data = bytes(range(256)) * 16_000

    ticket = await open_house.uploaded(data, size=len(data), sha256=sha256(data))

    url = (await open_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]["url"]
    assert (await open_house.client.get(url)).content == data


async def test_a_head_request_tells_without_the_bytes(open_house: House) -> None:
    ticket = await open_house.uploaded()
    url = (await open_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]["url"]

    told = await open_house.client.head(url)

    assert (told.status_code, told.headers["content-length"], told.content) == (200, str(len(BYTES)), b"")


async def test_a_client_that_expects_to_be_told_is_refused_before_it_sends(open_house: House) -> None:
    ticket = await open_house.uploaded()

    said = await open_house.say(
        open_house.head(
            "PUT",
            path_of(ticket["upload"]["url"]),
            "Content-Length: 4000000",
            "Expect: 100-continue",
            "Connection: close",
        )
    )

    assert said.status in (100, 409)
    assert b"ALREADY_EXISTS" in said.data


async def test_blobs_are_listed_page_by_page(open_house: House) -> None:
    for _ in range(3):
        await open_house.request()

    first = (await open_house.call("GET", "/v1/blobs?limit=2")).json()["blobs"]
    rest = (await open_house.call("GET", f"/v1/blobs?limit=2&before={first[-1]['blob_id']}")).json()["blobs"]

    assert [len(first), len(rest)] == [2, 1]
    for wrong in ("limit=0", "limit=501", "limit=x", "limit=-1", "before=x"):
        assert (await open_house.call("GET", f"/v1/blobs?{wrong}")).status_code == 400


async def test_a_reader_may_look_and_not_write(open_house: House) -> None:
    ticket = await open_house.uploaded()

    assert (await open_house.call("GET", f"/v1/blobs/{ticket['blob_id']}", "token-of-a-reader")).status_code == 200
    wanted = {"item": str(open_house.item), "media_type": "text/plain"}
    refused = await open_house.call("POST", "/v1/blobs", "token-of-a-reader", json=wanted)
    assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
    async with open_house.blobs.database.tenant("acme") as tx:
        (entry,) = [entry for entry in await audit.history(tx) if entry.action == "access.refuse"]
    assert (entry.actor, entry.reason) == ("rita", "is no writer")


async def test_an_upload_needs_no_token_and_gives_none_away(open_house: House) -> None:
    ticket = await open_house.request()

    async with httpx2.AsyncClient(trust_env=False, timeout=60) as stranger:
        assert (await stranger.put(ticket["upload"]["url"], content=BYTES)).status_code == 200
