"""What no client library would send. Each ends in one problem or a closed connection; nothing hangs, nothing is left."""

import asyncio
import json

import pytest
from tests.conftest import Said
from tests.integration.console.house import TOKENS, House, counted, path_of

TOKEN = "Authorization: Bearer token-of-acme"
JSON = "Content-Type: application/json"
CLOSE = "Connection: close"

BODIES: list[tuple[bytes, int, str]] = [
    (b"", 400, "INVALID"),
    (b"{", 400, "INVALID"),
    (b"\xff\xfe", 400, "INVALID"),
    (b"NaN", 400, "INVALID"),
    (b"[" * 60_000, 422, "INVALID_VALUE"),
    (b'{"item": ' + b"[" * 50_000, 422, "INVALID_VALUE"),
    (b'{"item":' * 5_000, 422, "INVALID_VALUE"),
    (b"[]", 422, "INVALID_VALUE"),
    (b"null", 422, "INVALID_VALUE"),
    (b'{"media_type": "text/plain"}', 422, "INVALID_VALUE"),
    (b'{"item": "x", "media_type": "text/plain"}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "extra": 1}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "size": -1}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "size": 1e400}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "size": 18446744073709551616}', 413, "TOO_LARGE"),
    (b'{"item": "%s", "media_type": "text/plain", "size": 9000000000000000000}', 413, "TOO_LARGE"),
    (b'{"item": "%s", "media_type": "text/plain", "sha256": "ABC"}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "name": "a\\u0000b"}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "name": "../../etc/passwd"}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain", "name": "\\ud800"}', 400, "INVALID"),
    (b'{"item": "%s", "media_type": "text/plain", "name": "a\\u202egnp.exe"}', 422, "INVALID_VALUE"),
    (b'{"item": "%s", "media_type": "text/plain\\r\\nX-Injected: 1"}', 415, "CONTENT_TYPE"),
    (b'{"item": "%s", "media_type": "text"}', 415, "CONTENT_TYPE"),
    (b'{"item": {"endpoint": "..", "external_id": "x"}, "media_type": "text/plain"}', 400, "INVALID"),
    (b'{"item": {"endpoint": "repo", "external_id": "a\\u0000"}, "media_type": "text/plain"}', 404, "NOT_FOUND"),
]
GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 400_000 + b"\r\n\r\n",
    b"GET /" + b"x" * 40_000,
    b"".join([b"GET / HTTP/1.1\r\nHost: a\r\n", *(b"X-%d: y\r\n" % number for number in range(5_000))]),
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: nonsense\r\n\r\n",
]


def posted(house: House, body: bytes, *lines: str) -> bytes:
    head = house.head("POST", "/v1/blobs", TOKEN, *(lines or (JSON,)), CLOSE, f"Content-Length: {len(body)}")
    return head + body


async def test_a_body_that_is_not_what_is_asked_for_is_told_what_is_wrong(open_house: House) -> None:
    for body, status, code in BODIES:
        said = await open_house.say(posted(open_house, body.replace(b"%s", str(open_house.item).encode())))
        assert (said.status, said.problem["status"], said.problem["code"]) == (status, status, code), body[:100]
        assert b"Traceback" not in said.data


async def test_a_body_of_another_type_is_refused(open_house: House) -> None:
    for line in ("Content-Type: text/plain", "Content-Type: multipart/form-data", "X-None: 1"):
        said = await open_house.say(posted(open_house, b"{}", line))
        assert (said.status, said.problem["code"]) == (415, "CONTENT_TYPE")
    said = await open_house.say(posted(open_house, b"\x1f\x8b", JSON, "Content-Encoding: gzip"))
    assert said.status == 415


async def test_a_body_that_is_too_long_is_refused_by_its_length_alone(open_house: House) -> None:
    said = await open_house.say(
        open_house.head("POST", "/v1/blobs", TOKEN, JSON, CLOSE, "Content-Length: 99999999999999")
    )

    assert (said.status, said.problem["code"]) == (413, "TOO_LARGE")


async def test_a_body_without_a_length_is_bounded_too(hasty_house: House) -> None:
    chunk = b"8000\r\n" + b" " * 0x8000 + b"\r\n"

    said = await hasty_house.say(
        hasty_house.head("POST", "/v1/blobs", TOKEN, JSON, "Transfer-Encoding: chunked") + chunk * 4
    )

    assert (said.status, said.problem["code"]) == (413, "TOO_LARGE")


async def test_what_is_no_http_is_answered_with_a_problem_and_closed(hasty_house: House) -> None:
    for garbage in GARBAGE:
        said = await hasty_house.say(garbage)
        assert (said.status, said.problem["code"]) in ((400, "INVALID"), (501, "INVALID")), garbage[:100]


async def test_a_chunked_upload_that_breaks_leaves_nothing(hasty_house: House) -> None:
    ticket = await hasty_house.request()
    head = hasty_house.head("PUT", path_of(ticket["upload"]["url"]), "Transfer-Encoding: chunked")

    endless, no_length, huge, unfinished = await asyncio.gather(
        *(
            hasty_house.say(head + body)
            for body in (
                b"5\r\nhello\r\n",
                b"zz\r\nhello\r\n0\r\n\r\n",
                b"ffffffffffffffffffff\r\nhello",
                b"5\r\nhel",
            )
        )
    )

    assert [endless.status, no_length.status, huge.status, unfinished.status] == [408, 400, 408, 408]
    assert await hasty_house.state(ticket) == "requested"
    assert await hasty_house.keys() == []
    assert hasty_house.drafts() == []


async def test_a_body_shorter_than_its_length_is_no_upload(hasty_house: House, said: Said) -> None:
    ticket = await hasty_house.request()
    async with hasty_house.wire() as (_, writer):
        head = hasty_house.head("PUT", path_of(ticket["upload"]["url"]), "Content-Length: 1000")
        writer.write(head + b"only this")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    while not said.events("request.abandoned") and not any(
        line["status"] == 408 for line in said.events("request.answered")
    ):
        await hasty_house.client.get("/health")

    assert await hasty_house.state(ticket) == "requested"
    assert await hasty_house.keys() == []
    assert hasty_house.drafts() == []


async def test_a_body_longer_than_its_length_is_cut_at_it(hasty_house: House) -> None:
    ticket = await hasty_house.request()

    answered = await hasty_house.say(
        hasty_house.head("PUT", path_of(ticket["upload"]["url"]), "Content-Length: 5") + b"hello, and more\r\n\r\n"
    )

    assert answered.status == 200
    assert b"400" in answered.data.split(b"HTTP/1.1")[2]
    (blob,) = await hasty_house.blobs.recent(TOKENS["token-of-acme"].scope)
    assert blob.size == 5


async def test_an_upload_that_dawdles_is_told_so_and_leaves_nothing(hasty_house: House) -> None:
    ticket = await hasty_house.request()

    said = await hasty_house.say(
        hasty_house.head("PUT", path_of(ticket["upload"]["url"]), "Content-Length: 1000", CLOSE) + b"x"
    )

    assert (said.status, said.problem["code"]) == (408, "TIMEOUT")
    assert hasty_house.drafts() == []


async def test_a_body_that_comes_byte_by_byte_meets_its_deadline(hasty_house: House) -> None:
    async with hasty_house.wire() as (reader, writer):
        writer.write(hasty_house.head("POST", "/v1/blobs", TOKEN, JSON, CLOSE, "Content-Length: 1000"))
        answered = asyncio.create_task(reader.read())
        while not answered.done():
            writer.write(b" ")
            await asyncio.wait({answered}, timeout=0.05)
        assert b"408" in (await answered).split(b"\r\n")[0]


async def test_a_head_that_does_not_come_is_not_waited_for(hasty_house: House) -> None:
    begun = (b"", b"GET", b"GET / HTTP/1.1\r\nHost: a\r\n")

    answers = await asyncio.gather(*(hasty_house.say(data) for data in begun))

    assert [answer.data for answer in answers] == [b"", b"", b""]


async def test_a_head_that_comes_byte_by_byte_is_not_waited_for(hasty_house: House) -> None:
    async with hasty_house.wire() as (reader, writer):
        ended = asyncio.create_task(reader.read())
        writer.write(b"GET / HTTP/1.1\r\n")
        while not ended.done():
            writer.write(b"X")
            await asyncio.wait({ended}, timeout=0.05)
        assert isinstance(ended.exception(), ConnectionResetError) or ended.result() == b""


async def test_a_second_head_on_the_same_connection_is_not_waited_for_either(hasty_house: House) -> None:
    async with hasty_house.wire() as (reader, writer):
        writer.write(hasty_house.head("GET", "/health"))
        await reader.readuntil(b'"ok"}')
        ended = asyncio.create_task(reader.read())
        while not ended.done():
            writer.write(b"X")
            await asyncio.wait({ended}, timeout=0.05)
        assert isinstance(ended.exception(), ConnectionResetError) or ended.result() == b""


async def test_a_client_that_still_sends_what_was_refused_is_cut_in_the_end(hasty_house: House) -> None:
    ticket = await hasty_house.uploaded()
    async with hasty_house.wire() as (reader, writer):
        writer.write(hasty_house.head("PUT", path_of(ticket["upload"]["url"]), "Content-Length: 4000000"))
        assert b"409" in await reader.readline()
        ended = asyncio.create_task(reader.read())
        while not ended.done():
            writer.write(b"x")
            await asyncio.wait({ended}, timeout=0.05)
        assert isinstance(ended.exception(), ConnectionResetError) or ended.done()


async def test_a_client_that_does_not_read_is_cut(hasty_house: House) -> None:
    before = counted("http_server_connections_cut_total", reason="stuck")
    data = b"x" * 4_900_000
    ticket = await hasty_house.uploaded(data)
    url = (await hasty_house.call("POST", f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]["url"]
    async with hasty_house.wire() as (reader, writer):
        # many answers at once, so that no buffer between the two holds them all
        writer.write(hasty_house.head("GET", path_of(url)) * 6)
        while counted("http_server_connections_cut_total", reason="stuck") == before:
            await hasty_house.client.get("/health")
        received = 0
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            while True:
                received += len(await reader.readexactly(65_536))
        assert received < 6 * len(data)


async def test_headers_cannot_be_injected_by_what_is_echoed(open_house: House) -> None:
    for value in ("a b", "x" * 65, "ä", "a;b", ""):
        answered = await open_house.call("GET", "/health", headers={"x-correlation-id": value.encode("latin-1")})
        assert answered.headers["x-correlation-id"] != value


async def test_requests_sent_together_are_answered_one_after_the_other(open_house: House) -> None:
    said = await open_house.say(
        open_house.head("GET", "/health") * 3 + open_house.head("GET", "/nowhere", "Connection: close")
    )

    assert said.data.count(b"HTTP/1.1 200") == 3
    assert said.data.count(b"HTTP/1.1 404") == 1


async def test_a_web_socket_is_not_spoken(open_house: House) -> None:
    said = await open_house.say(open_house.head("GET", "/health", "Upgrade: websocket", "Connection: upgrade, close"))

    assert said.status == 200
    assert json.loads(said.body) == {"status": "ok"}
