"""A source's own word on how often it may be asked, and ours."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Said
from tests.fakes.web import Exchange, Web, answer
from tests.integration.http.conftest import Connect

from windrow.contracts.errors import Fatal, RateLimited, RetryableTransient, WindrowError
from windrow.http import HttpClient, HttpFailure, HttpLimited, RateLimit, Response

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.mark.req("HV-42")
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("Tue, 01 Jan 2030 12:01:00 GMT", 60),
        ("-1", 0),
        ("1e308", 3600),
        ("Sun, 01 Jan 2040 12:00:00 GMT", 3600),
        ("Mon, 01 Jan 2020 12:00:00 GMT", 0),
    ],
)
async def test_a_source_says_how_long_to_wait(
    web: Web, connect: Connect, said: Said, status: int, value: str, seconds: float
) -> None:
    client = connect(now=lambda: NOON)
    web.on("/", answer(status, b"", {"Retry-After": value}))

    with pytest.raises(HttpLimited) as caught:
        await client.get(web.url())

    assert caught.value.retry_after == seconds
    assert caught.value.status == status
    assert len(web.requests) == 1
    assert said.events("http.limited")[0]["retry_after_seconds"] == seconds


async def test_a_date_is_read_by_the_sources_clock(web: Web, connect: Connect) -> None:
    client = connect(now=lambda: NOON + timedelta(days=3))
    web.on(
        "/", answer(429, b"", {"Date": "Tue, 01 Jan 2030 12:00:00 GMT", "Retry-After": "Tue, 01 Jan 2030 12:00:45 GMT"})
    )

    with pytest.raises(RateLimited) as caught:
        await client.get(web.url())

    assert caught.value.retry_after == 45


@pytest.mark.parametrize("value", ["soon", "nan", ""])
async def test_a_limit_without_a_time_is_still_a_limit(web: Web, client: HttpClient, value: str) -> None:
    web.on("/", answer(429, b"", {"Retry-After": value}))

    with pytest.raises(RateLimited) as caught:
        await client.get(web.url())

    assert caught.value.retry_after is None


async def test_the_longest_wait_is_the_operators_choice(web: Web, connect: Connect) -> None:
    client = connect(policy={"retry_after_ceiling": timedelta(minutes=5)})
    web.on("/", answer(429, b"", {"Retry-After": "86400"}))

    with pytest.raises(RateLimited) as caught:
        await client.get(web.url())

    assert caught.value.retry_after == 300


@pytest.mark.req("HV-42")
async def test_until_then_nothing_is_sent_to_that_host(web: Web, client: HttpClient) -> None:
    web.on("/", answer(429, b"", {"Retry-After": "120"}), answer(200))

    for _ in range(3):
        with pytest.raises(RateLimited) as caught:
            await client.get(web.url())

    assert len(web.requests) == 1
    assert caught.value.retry_after == pytest.approx(120, abs=60)


async def test_another_host_of_the_same_client_is_not_held(web: Web, connect: Connect) -> None:
    async with Web() as other:
        client = connect(allow=(other.door,))
        web.on("/", answer(429, b"", {"Retry-After": "120"}))
        other.on("/", answer(200, b"open"))
        with pytest.raises(RateLimited):
            await client.get(web.url())

        assert (await client.get(other.url())).text == "open"


def secondary_limit(response: Response) -> WindrowError | None:
    if response.status == 403 and b"secondary rate limit" in response.body:
        return RateLimited("GitHub's secondary rate limit", retry_after=60.0)
    if response.status == 500 and b"maintenance" in response.body:
        return RetryableTransient("maintenance")
    return None


async def test_a_source_may_have_words_of_its_own(web: Web, connect: Connect) -> None:
    client = connect(classify_response=secondary_limit)
    web.on("/plain", answer(403, {"message": "Resource not accessible"}))
    web.on("/broken", answer(500, b"maintenance"))
    web.on("/limit", answer(403, {"message": "You have exceeded a secondary rate limit"}))

    with pytest.raises(Fatal):
        await client.get(web.url("/plain"))
    with pytest.raises(RetryableTransient, match="maintenance") as broken:
        await client.get(web.url("/broken"))
    with pytest.raises(RateLimited, match="secondary"):
        await client.get(web.url("/limit"))
    with pytest.raises(RateLimited, match="asked us to wait"):
        await client.get(web.url("/plain"))

    assert not isinstance(broken.value, HttpFailure)
    assert len(web.requests) == 3


@pytest.mark.req("HV-42")
async def test_requests_go_out_at_the_rate_of_the_source(web: Web, connect: Connect) -> None:
    client = connect(policy={"rate": RateLimit(50, burst=2)})
    web.on("/", answer(200))
    loop = asyncio.get_running_loop()
    began = loop.time()

    await asyncio.gather(*(client.get(web.url()) for _ in range(12)))

    # two at once, ten more at fifty a second
    assert loop.time() - began >= 10 / 50 - 0.01


async def test_a_redirect_does_not_stand_in_line_again(web: Web, connect: Connect) -> None:
    client = connect(policy={"rate": RateLimit(1, per=timedelta(hours=1), burst=1)})
    web.on("/", answer(302, b"", {"Location": "/there"}))
    web.on("/there", answer(503), answer(200, b"here"))

    assert (await client.get(web.url(), timeout=60)).text == "here"


async def test_a_host_is_asked_so_many_things_at_a_time(web: Web, connect: Connect) -> None:
    client = connect(policy={"per_host": 3})
    inside, most = 0, 0
    full = asyncio.Event()

    async def busy(exchange: Exchange) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        if inside == 3:
            full.set()
        await full.wait()
        inside -= 1
        await exchange.send(answer(200))

    web.on("/", busy)

    await asyncio.gather(*(client.get(web.url()) for _ in range(20)))

    assert most == 3
    assert web.connections == 3
