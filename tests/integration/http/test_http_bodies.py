"""Bodies that are too large, too dense, too slow or cut off."""

import asyncio
import gzip
import tracemalloc
import zlib
from dataclasses import replace

import pytest
from tests.fakes.web import Exchange, Web, answer
from tests.integration.http.conftest import Connect, Counted

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.http import HttpClient, Limits, Timeouts

MIB = 1024 * 1024
SMALL = Limits(wire_bytes=100_000, body_bytes=4 * MIB)
GZIP = {"Content-Encoding": "gzip"}


def bomb(size: int, wbits: int) -> bytes:
    packer = zlib.compressobj(9, wbits=wbits)
    return b"".join([packer.compress(bytes(MIB)) for _ in range(size // MIB)]) + packer.flush()


async def test_a_compressed_body_is_unpacked(web: Web, client: HttpClient) -> None:
    web.on("/gzip", answer(200, gzip.compress(b'{"a": 1}'), GZIP))
    web.on("/deflate", answer(200, zlib.compress(b'{"a": 1}'), {"Content-Encoding": "deflate"}))

    assert (await client.get(web.url("/gzip"))).json() == {"a": 1}
    assert (await client.get(web.url("/deflate"))).json() == {"a": 1}


@pytest.mark.parametrize(
    ("wbits", "coding"),
    [(31, "gzip"), (15, "deflate"), (-15, "deflate"), (0, "gzip")],
    ids=["gzip", "zlib", "raw", "parts"],
)
async def test_a_bomb_is_refused_within_bounded_memory(web: Web, connect: Connect, wbits: int, coding: str) -> None:
    client = connect(policy={"limits": SMALL})
    packed = bomb(64 * MIB, wbits) if wbits else gzip.compress(bytes(MIB)) * 64
    web.on("/", answer(200, packed, {"Content-Encoding": coding}))
    assert len(packed) < SMALL.wire_bytes

    tracemalloc.start()
    with pytest.raises(ValidationFailure, match="unpacks to more") as caught:
        await client.get(web.url())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert caught.value.code is Code.TOO_LARGE
    assert peak < SMALL.body_bytes + 2 * MIB


async def test_a_body_that_is_far_too_dense_is_refused_before_the_cap(web: Web, connect: Connect) -> None:
    client = connect(policy={"limits": Limits(body_bytes=1024 * MIB)})
    web.on("/", answer(200, bomb(64 * MIB, 31), GZIP))

    with pytest.raises(ValidationFailure, match="times its size") as caught:
        await client.get(web.url())

    assert caught.value.code is Code.TOO_LARGE


@pytest.mark.parametrize("coding", ["gzip, gzip", "br", "zstd"])
async def test_layers_and_codings_that_were_not_asked_for_are_refused(
    web: Web, client: HttpClient, coding: str
) -> None:
    web.on("/", answer(200, gzip.compress(gzip.compress(bytes(MIB))), {"Content-Encoding": coding}))

    with pytest.raises(ValidationFailure) as caught:
        await client.get(web.url())

    assert caught.value.code is Code.CONTENT_TYPE


async def test_a_body_that_announces_too_much_is_not_read(web: Web, connect: Connect, counted: Counted) -> None:
    client = connect(policy={"limits": SMALL})
    web.on("/", b"HTTP/1.1 200 OK\r\ncontent-length: 100001\r\n\r\n" + b"x" * 1000)

    with pytest.raises(ValidationFailure, match="announces 100001 bytes"):
        await client.get(web.url())

    assert counted("http_received_bytes_total") == 0


async def test_an_endless_body_is_cut_at_the_cap(web: Web, connect: Connect, counted: Counted) -> None:
    client = connect(policy={"limits": SMALL})

    async def endless(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await exchange.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")

    web.on("/", endless)

    with pytest.raises(ValidationFailure) as caught:
        await client.get(web.url())
    await web.empty()

    assert caught.value.code is Code.TOO_LARGE
    assert counted("http_received_bytes_total") < SMALL.wire_bytes + 70_000


async def test_padding_after_a_compressed_body_counts_as_well(web: Web, connect: Connect) -> None:
    client = connect(policy={"limits": SMALL})
    web.on(
        "/",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n"
        + gzip.compress(b"x")
        + bytes(200_000),
    )

    with pytest.raises(ValidationFailure) as caught:
        await client.get(web.url())

    assert caught.value.code is Code.TOO_LARGE


@pytest.mark.parametrize(
    "head",
    [
        b"x: " + b"y" * 90_000 + b"\r\n",
        b"x: " + b"y" * 900_000 + b"\r\n",
        b"".join(b"x%d: y\r\n" % number for number in range(300)),
    ],
    ids=["large", "huge", "many"],
)
async def test_headers_have_limits_too(web: Web, client: HttpClient, head: bytes) -> None:
    web.on("/", b"HTTP/1.1 200 OK\r\n" + head + b"content-length: 0\r\n\r\n")

    with pytest.raises(ValidationFailure) as caught:
        await client.get(web.url())

    assert caught.value.code is Code.TOO_LARGE


async def test_a_limit_can_be_another_for_one_request(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, b"x" * 1000))

    with pytest.raises(ValidationFailure):
        await client.get(web.url(), limits=replace(Limits(), wire_bytes=999))


async def test_a_source_that_never_answers_is_a_timeout(web: Web, connect: Connect) -> None:
    client = connect(policy={"timeouts": Timeouts(idle=0.5)})

    async def silent(exchange: Exchange) -> None:
        await exchange.reader.read()

    web.on("/", silent)

    with pytest.raises(RetryableTransient) as caught:
        await client.get(web.url())
    await web.empty()

    assert caught.value.code is Code.TIMEOUT
    assert len(web.requests) == 1


async def drip(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
    while True:
        await exchange.send(b"x")
        await asyncio.sleep(0.01)


async def drip_headers(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nx: ")
    while True:
        await exchange.send(b"y")
        await asyncio.sleep(0.01)


async def continue_for_ever(exchange: Exchange) -> None:
    while True:
        await exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("slow", [drip, drip_headers, continue_for_ever])
async def test_a_source_that_keeps_us_waiting_byte_by_byte_is_a_timeout(
    web: Web, connect: Connect, slow: object, counted: Counted
) -> None:
    client = connect(policy={"timeouts": Timeouts(idle=5, total=0.2)})
    web.on("/", slow)

    with pytest.raises(RetryableTransient, match=r"longer than 0\.2 s") as caught:
        await client.get(web.url())
    await web.empty()

    assert caught.value.code is Code.TIMEOUT
    assert counted("http_requests_total", outcome="TIMEOUT") == 1


async def test_the_time_is_that_of_the_whole_call(web: Web, connect: Connect) -> None:
    client = connect(policy={"max_redirects": 100})

    async def onwards(exchange: Exchange) -> None:
        await asyncio.sleep(0.05)
        await exchange.send(answer(302, b"", {"Location": "/"}))

    web.on("/", onwards)

    with pytest.raises(RetryableTransient) as caught:
        await client.get(web.url(), timeout=0.2)

    assert caught.value.code is Code.TIMEOUT
    assert len(web.requests) < 6


async def test_waiting_for_a_turn_does_not_count(web: Web, connect: Connect) -> None:
    client = connect(policy={"per_host": 1, "timeouts": Timeouts(total=2)})

    async def slowly(exchange: Exchange) -> None:
        await asyncio.sleep(0.25)
        await exchange.send(answer(200))

    web.on("/", slowly)

    await asyncio.gather(*(client.get(web.url()) for _ in range(9)))

    assert len(web.requests) == 9


async def test_a_compressed_body_that_ends_too_early_is_transient(web: Web, client: HttpClient) -> None:
    whole = gzip.compress(b"hello" * 1000)
    web.on("/", b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n" + whole[:-10])

    with pytest.raises(RetryableTransient) as caught:
        await client.post(web.url())

    assert caught.value.code is Code.NETWORK
