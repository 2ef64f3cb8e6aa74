"""D17: a hiccup is retried at once, twice at most, only where that does no harm."""

import asyncio
import socket
from datetime import timedelta

import pytest
from tests.conftest import Said
from tests.fakes.web import Exchange, Web, answer, reset
from tests.integration.http.conftest import Connect, Counted

from windrow.contracts.errors import Code, RetryableTransient
from windrow.http import HttpClient, HttpUnavailable

CUT = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\nonly this"
CUT_CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\nhello\r\n"
NOTHING = b"connection: close"


@pytest.mark.parametrize(
    "hiccup",
    [
        reset,
        answer(500),
        answer(502),
        answer(503),
        answer(504),
        answer(503, b"", {"Retry-After": "soon"}),
        CUT,
        CUT_CHUNKED,
        NOTHING,
    ],
)
async def test_a_hiccup_is_not_noticed_by_the_caller(
    web: Web, client: HttpClient, hiccup: object, said: Said, counted: Counted
) -> None:
    web.on("/", hiccup, answer(200, b"well"))

    response = await client.get(web.url())

    assert response.text == "well"
    assert len(web.requests) == 2
    assert [line["retry_attempt"] for line in said.events("http.retried")] == [1]
    assert counted("http_hiccups_total") == 1


async def test_a_third_failure_in_a_row_is_no_hiccup(web: Web, client: HttpClient) -> None:
    web.on("/", reset, answer(500), answer(502, b"still broken"), answer(200))

    with pytest.raises(HttpUnavailable) as caught:
        await client.get(web.url())

    assert caught.value.status == 502
    assert len(web.requests) == 3


async def test_what_may_not_be_sent_twice_is_sent_once(web: Web, client: HttpClient) -> None:
    web.on("/", reset)
    web.on("/busy", answer(503))

    with pytest.raises(RetryableTransient) as broken:
        await client.post(web.url(), json={})
    with pytest.raises(RetryableTransient):
        await client.post(web.url("/busy"), json={})

    assert broken.value.code is Code.NETWORK
    assert len(web.requests) == 2


async def test_what_the_caller_calls_idempotent_is_sent_again(web: Web, client: HttpClient) -> None:
    web.on("/", reset, answer(503), answer(200))

    await client.post(web.url(), json={"a": 1}, idempotent=True)

    assert [request.body for request in web.requests] == [b'{"a":1}'] * 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 429, 501, 505])
async def test_other_failures_are_not_repeated(web: Web, client: HttpClient, status: int) -> None:
    web.on("/", answer(status))

    with pytest.raises(Exception, match=str(status)):
        await client.get(web.url())

    assert len(web.requests) == 1


async def test_a_failure_that_took_long_is_no_hiccup(web: Web, connect: Connect) -> None:
    client = connect(policy={"hiccup_window": timedelta(0)})
    web.on("/", answer(500), answer(200))

    with pytest.raises(HttpUnavailable):
        await client.get(web.url())


async def test_time_in_the_line_does_not_make_a_hiccup_old(web: Web, connect: Connect) -> None:
    client = connect(policy={"hiccup_window": timedelta(seconds=2), "per_host": 1})
    free = asyncio.Event()

    async def busy(exchange: Exchange) -> None:
        await free.wait()
        await exchange.send(answer(200))

    web.on("/busy", busy)
    web.on("/", answer(500), answer(200))
    first = asyncio.create_task(client.get(web.url("/busy")))
    second = asyncio.create_task(client.get(web.url()))
    await asyncio.sleep(2.1)
    free.set()

    assert (await second).status == 200
    await first


async def test_a_connection_that_the_server_closed_while_it_was_idle_is_not_noticed(
    web: Web, client: HttpClient
) -> None:
    async def answer_and_close(exchange: Exchange) -> None:
        await exchange.send(answer(200, b"first"))
        exchange.reset()

    web.on("/", answer_and_close, answer(200, b"second"))
    await client.get(web.url())
    await web.empty()

    assert (await client.get(web.url())).text == "second"


async def test_retries_of_all_hops_together_are_two(web: Web, client: HttpClient) -> None:
    web.on("/a", answer(500), answer(302, b"", {"Location": "/b"}))
    web.on("/b", answer(500), answer(500), answer(200))

    with pytest.raises(HttpUnavailable):
        await client.get(web.url("/a"))

    assert [request.path for request in web.requests] == ["/a", "/a", "/b", "/b"]


async def test_a_server_that_is_not_there_is_a_network_failure(connect: Connect) -> None:
    with socket.socket() as mute:  # bound, so that nobody else can be there, and nobody listens
        mute.bind(("127.0.0.1", 0))
        door = f"127.0.0.1:{mute.getsockname()[1]}"

        with pytest.raises(RetryableTransient, match=door) as caught:
            await connect(allow=(door,)).get(f"http://{door}/")

    assert caught.value.code is Code.NETWORK


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x00" * 100,
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
    ],
)
async def test_what_is_no_http_is_a_network_failure(web: Web, client: HttpClient, garbage: bytes) -> None:
    async def speak(exchange: Exchange) -> None:
        await exchange.send(garbage)
        exchange.writer.write_eof()

    web.on("/", speak)

    with pytest.raises(RetryableTransient) as caught:
        await client.get(web.url())

    assert caught.value.code is Code.NETWORK
    assert "\n" not in str(caught.value)
