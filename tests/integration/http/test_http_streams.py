"""Bodies too large for memory, and calls that are given up half way."""

import asyncio
import gzip
import hashlib
from pathlib import Path

import pytest
from tests.fakes.web import Exchange, Web, answer, reset
from tests.integration.http.conftest import Connect, Counted

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.http import HttpClient, HttpPolicy, Saved

BODY = bytes(range(256)) * 20_000


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_body_is_read_piece_by_piece(web: Web, client: HttpClient, counted: Counted) -> None:
    web.on("/clip", answer(200, BODY, {"Content-Type": "video/mp4", "ETag": '"v1"'}))

    async with client.stream(web.url("/clip"), max_bytes=10_000_000, accept=("video/*",)) as download:
        pieces = [piece async for piece in download]

    assert b"".join(pieces) == BODY
    assert max(map(len, pieces)) <= 64 * 1024
    assert (download.size, download.media_type, download.etag) == (len(BODY), "video/mp4", '"v1"')
    assert web.requests[0].headers["accept-encoding"] == "identity"
    assert counted("http_received_bytes_total") == len(BODY)


async def test_a_body_is_saved_with_its_hash(web: Web, client: HttpClient, tmp_path: Path) -> None:
    web.on("/clip", answer(200, BODY))

    async with client.stream(web.url("/clip"), max_bytes=len(BODY)) as download:
        saved = await download.save(tmp_path / "clip.mp4")

    assert saved == Saved(tmp_path / "clip.mp4", len(BODY), hashlib.sha256(BODY).hexdigest())
    assert saved.path.read_bytes() == BODY
    assert files(tmp_path) == [saved.path]


async def test_a_connection_is_used_again_after_a_stream(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, BODY))

    for _ in range(3):
        async with client.stream(web.url(), max_bytes=len(BODY)) as download:
            assert sum([len(piece) async for piece in download]) == len(BODY)

    assert web.connections == 1


@pytest.mark.parametrize("announced", [True, False])
async def test_a_body_over_the_cap_leaves_no_file(
    web: Web, client: HttpClient, tmp_path: Path, announced: bool
) -> None:
    plain = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + BODY
    web.on("/", answer(200, BODY) if announced else plain)

    with pytest.raises(ValidationFailure) as caught:
        async with client.stream(web.url(), max_bytes=len(BODY) - 1) as download:
            await download.save(tmp_path / "clip.mp4")
    await web.empty()

    assert caught.value.code is Code.TOO_LARGE
    assert files(tmp_path) == []


async def test_a_stream_that_unpacks_too_far_is_cut(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, gzip.compress(bytes(5_000_000)), {"Content-Encoding": "gzip"}))
    size = 0

    with pytest.raises(ValidationFailure):
        async with client.stream(web.url(), max_bytes=1_000_000) as download:
            async for piece in download:
                size += len(piece)

    assert size <= 1_000_000


async def test_a_body_cut_off_half_way_is_transient_and_leaves_no_file(
    web: Web, client: HttpClient, tmp_path: Path
) -> None:
    async def half(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n" + b"x" * 100_000)
        exchange.writer.write_eof()

    web.on("/", half)

    with pytest.raises(RetryableTransient) as caught:
        async with client.stream(web.url(), max_bytes=1_000_000) as download:
            await download.save(tmp_path / "clip.mp4")

    assert caught.value.code is Code.NETWORK
    assert files(tmp_path) == []
    assert len(web.requests) == 1


async def test_an_older_file_stays_when_the_new_one_fails(web: Web, client: HttpClient, tmp_path: Path) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"older")
    web.on("/", b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nshort")

    with pytest.raises(RetryableTransient):
        async with client.stream(web.url(), max_bytes=1000) as download:
            await download.save(tmp_path / "clip.mp4")

    assert (tmp_path / "clip.mp4").read_bytes() == b"older"


async def test_a_stream_begins_after_hiccups_and_redirects(web: Web, client: HttpClient) -> None:
    web.on("/", reset, answer(302, b"", {"Location": "/there"}))
    web.on("/there", answer(503), answer(200, b"clip"))

    async with client.stream(web.url(), max_bytes=100) as download:
        assert [piece async for piece in download] == [b"clip"]

    assert [step.status for step in download.redirects] == [302]


@pytest.mark.parametrize(("status", "kind"), [(404, ValidationFailure), (403, Fatal), (500, RetryableTransient)])
async def test_a_failure_is_raised_before_the_stream_begins(
    web: Web, client: HttpClient, status: int, kind: type[Exception]
) -> None:
    web.on("/", answer(status, b"no"))

    with pytest.raises(kind, match=str(status)):
        async with client.stream(web.url(), max_bytes=100):
            pytest.fail("there is nothing to read")


async def test_a_web_page_instead_of_a_video_is_refused(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, b"<html>", {"Content-Type": "text/html"}))

    with pytest.raises(ValidationFailure) as caught:
        async with client.stream(web.url(), max_bytes=100, accept=("video/*",)):
            pytest.fail("there is nothing to read")

    assert caught.value.code is Code.CONTENT_TYPE


async def test_what_has_not_changed_is_no_stream(web: Web, client: HttpClient) -> None:
    web.on("/", answer(304))

    async with client.stream(web.url(), max_bytes=100, etag='"v1"', accept=("video/*",)) as download:
        assert download.not_modified
        assert [piece async for piece in download] == []


async def test_a_place_that_cannot_be_written_is_told(web: Web, client: HttpClient, tmp_path: Path) -> None:
    web.on("/", answer(200, b"clip"))

    with pytest.raises(ValidationFailure) as caught:
        async with client.stream(web.url(), max_bytes=100) as download:
            await download.save(tmp_path / "missing" / "clip.mp4")

    assert caught.value.code is Code.NOT_FOUND


async def stall(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nx")
    await exchange.reader.read()


async def silent(exchange: Exchange) -> None:
    await exchange.reader.read()


async def test_the_clock_of_a_stream_runs_to_its_end(web: Web, client: HttpClient) -> None:
    web.on("/", stall)

    with pytest.raises(RetryableTransient) as caught:
        async with client.stream(web.url(), max_bytes=1000, timeout=0.1) as download:
            async for _ in download:
                pass
    await web.empty()

    assert caught.value.code is Code.TIMEOUT


async def test_a_timeout_of_the_callers_own_stays_its_own(web: Web, client: HttpClient, counted: Counted) -> None:
    web.on("/", stall)

    with pytest.raises(TimeoutError):
        async with client.stream(web.url(), max_bytes=1000):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
    await web.empty()

    assert counted("http_requests_total", outcome="abandoned") == 1


async def test_a_stream_that_is_left_early_closes_its_connection(web: Web, connect: Connect) -> None:
    client = connect(policy={"per_host": 1})
    web.on("/", stall, stall, answer(200, b"next"))

    async with client.stream(web.url(), max_bytes=1000) as download:
        async for _ in download:
            break
    async with client.stream(web.url(), max_bytes=1000):
        pass

    assert (await client.get(web.url())).text == "next"
    assert client._transport.open_connections == 1


async def test_a_stream_that_was_left_gives_nothing_more(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, BODY))
    async with client.stream(web.url(), max_bytes=len(BODY)) as download:
        pieces = aiter(download)
        await anext(pieces)

    assert [piece async for piece in pieces] == []


@pytest.mark.parametrize("behaviour", [silent, stall])
async def test_a_call_that_is_cancelled_leaves_nothing_behind(
    web: Web, connect: Connect, behaviour: object, counted: Counted
) -> None:
    client = connect(policy={"per_host": 2})
    asked = asyncio.Event()

    async def told(exchange: Exchange) -> None:
        if len(web.requests) == 2:
            asked.set()
        await behaviour(exchange)

    web.on("/", told)
    calls = [asyncio.create_task(client.get(web.url())) for _ in range(6)]
    await asked.wait()

    for call in calls:
        call.cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    await web.empty()

    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    assert client._transport.open_connections == 0
    assert counted("http_requests_total", outcome="cancelled") == 6
    web.on("/", answer(200, b"again"))
    assert (await client.get(web.url())).text == "again"


@pytest.mark.parametrize("announced", [True, False], ids=["kept", "closed"])
async def test_a_call_cancelled_at_any_step_gives_its_place_back(web: Web, client: HttpClient, announced: bool) -> None:
    plain = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + bytes(100_000)
    web.on("/", answer(200, bytes(100_000)) if announced else plain)
    finished = steps = 0
    while steps < 150 or not finished:
        steps += 1
        call = asyncio.create_task(client.get(web.url()))
        for _ in range(steps):
            await asyncio.sleep(0)
        finished += call.done()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

        assert client._transport._pool._requests == []
        assert all(connection.is_idle() for connection in client._transport._pool.connections)


async def test_a_download_that_is_cancelled_leaves_no_file(web: Web, client: HttpClient, tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def endless(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
        while True:
            await exchange.send(bytes(1024 * 1024))
            begun.set()

    async def download() -> None:
        async with client.stream(web.url(), max_bytes=10**12) as body:
            await body.save(tmp_path / "clip.mp4")

    web.on("/", endless)
    task = asyncio.create_task(download())
    await begun.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await web.empty()

    assert files(tmp_path) == []


async def test_closing_the_client_closes_its_connections(web: Web, connect: Connect) -> None:
    client = connect()
    web.on("/", answer(200))
    async with client:
        await client.get(web.url())
        assert web.open == 1
    await web.empty()


async def test_a_call_cancelled_during_the_handshake_leaves_no_connection() -> None:
    met = asyncio.Event()
    left = asyncio.Event()

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        met.set()
        await reader.read()
        left.set()
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, HttpClient(HttpPolicy(allow=(f"127.0.0.1:{port}",))) as client:
        call = asyncio.create_task(client.get(f"https://127.0.0.1:{port}/"))
        await met.wait()
        call.cancel()
        # the exception is kept, as a caller may: what hangs on it must not hang on a connection
        failure = (await asyncio.gather(call, return_exceptions=True))[0]
        async with asyncio.timeout(60):
            await left.wait()

    assert isinstance(failure, asyncio.CancelledError)
