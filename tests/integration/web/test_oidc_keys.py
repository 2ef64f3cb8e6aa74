"""The keys of an issuer, read from a key server that answers, changes, floods, lies, hangs or is away."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from starlette.responses import Response
from tests.conftest import Said
from tests.fakes.key_server import KeyServer, base64url, issuer_key

from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.retry import NEVER
from windrow.http import HttpClient, HttpPolicy
from windrow.web.oidc import Flaw, KeySet, TokenRefused, Verifier
from windrow.web.oidc.keys import LARGEST_DOCUMENT
from windrow.web.problem import answer

ISSUER, AUDIENCE, EMAIL = "https://accounts.google.com", "https://windrow.example/push", "push@project.example"
FIRST, SECOND = issuer_key("first"), issuer_key("second")


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def running() -> Iterator[KeyServer]:
    with KeyServer() as server:
        yield server


@pytest.fixture
def server(running: KeyServer) -> KeyServer:
    """One that answers what it is asked before the test ends."""
    running.forgets()
    running.publishes(FIRST)
    return running


@pytest.fixture
def doomed() -> Iterator[KeyServer]:
    """One of its own, for a test that leaves it with a request unanswered."""
    with KeyServer() as server:
        server.publishes(FIRST)
        yield server


@asynccontextmanager
async def reading(server: KeyServer, clock: Clock, *, allow: bool = True, **more: Any) -> AsyncIterator[KeySet]:
    policy = HttpPolicy(source="oidc", allow=(server.door,) if allow else (), hiccups=NEVER)
    async with HttpClient(policy) as http, KeySet(http, server.url, clock=clock, **more) as keys:
        yield keys


@pytest.fixture
async def keys(server: KeyServer, clock: Clock) -> AsyncIterator[KeySet]:
    async with reading(server, clock) as keys:
        yield keys


def verifier(keys: KeySet) -> Verifier:
    return Verifier(ISSUER, AUDIENCE, keys, emails=EMAIL)


def claims() -> dict[str, Any]:
    now = int(time.time())
    whom = {"iss": ISSUER, "aud": AUDIENCE, "sub": "1137", "email": EMAIL, "email_verified": True}
    return {**whom, "iat": now, "exp": now + 3600}


def invented(name: str) -> str:
    """A token of nobody's; what is signed with a key that nobody has need not be signed."""
    head = base64url(json.dumps({"alg": "RS256", "kid": name}).encode())
    return f"{head}.{base64url(b'{}')}.{base64url(bytes(256))}"


async def flaw_of(verifying: Verifier, token: str) -> Flaw | None:
    try:
        await verifying.claims(token)
    except TokenRefused as refused:
        return refused.flaw
    return None


async def test_the_keys_are_read_once_for_many_tokens(server: KeyServer, keys: KeySet) -> None:
    token = FIRST.token(claims())

    found = [await flaw_of(verifier(keys), token) for _ in range(5)]

    assert found == [None] * 5
    assert [asked.line for asked in server.requests] == ["GET /oauth2/v3/certs"]


async def test_tokens_that_come_while_the_keys_are_read_share_that_reading(
    server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    verifying, token = verifier(keys), FIRST.token(claims())
    server.open.clear()
    at_once = [asyncio.create_task(flaw_of(verifying, token)) for _ in range(20)]
    await asyncio.to_thread(server.asked.wait, 30)
    clock.passes(3600)
    later = asyncio.create_task(flaw_of(verifying, token))
    await asyncio.wait([later], timeout=0.05)
    server.open.set()

    assert await asyncio.gather(*at_once, later) == [None] * 21
    assert len(server.requests) == 1


@pytest.mark.req("EV-12")
async def test_a_flood_of_a_thousand_invented_keys_costs_one_more_request(
    server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    verifying, good = verifier(keys), FIRST.token(claims())
    await verifying.claims(good)
    clock.passes(60)

    flood = [flaw_of(verifying, invented(f"invented-{number}")) for number in range(1000)]
    at_once = await asyncio.gather(*flood[:500])
    one_by_one = [await one for one in flood[500:]]

    assert {*at_once, *one_by_one} == {Flaw.UNKNOWN_KEY}
    assert await flaw_of(verifying, good) is None
    assert len(server.requests) == 2


async def test_a_new_key_is_picked_up_when_a_token_names_it(
    server: KeyServer, keys: KeySet, clock: Clock, said: Said
) -> None:
    verifying = verifier(keys)
    await verifying.claims(FIRST.token(claims()))
    server.publishes(FIRST, SECOND)

    token = SECOND.token(claims())
    too_soon = await flaw_of(verifying, token)
    clock.passes(10)

    assert (too_soon, await flaw_of(verifying, token)) == (Flaw.UNKNOWN_KEY, None)
    changed = [(line["keys"], line["added"], line["removed"]) for line in said.events("issuer_keys.changed")]
    assert changed == [(1, 1, 0), (2, 1, 0)]


async def test_a_withdrawn_key_is_not_accepted_any_more_once_the_keys_are_read_again(
    server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    server.headers = {"cache-control": "public, max-age=600"}
    verifying, token = verifier(keys), FIRST.token(claims())
    await verifying.claims(token)
    server.publishes(SECOND)

    clock.passes(599)
    while_fresh = await flaw_of(verifying, token)
    clock.passes(1)

    assert (while_fresh, await flaw_of(verifying, token)) == (None, Flaw.UNKNOWN_KEY)


async def test_a_key_of_the_same_name_takes_the_place_of_the_old_one(
    server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    verifying, token = verifier(keys), FIRST.token(claims())
    await verifying.claims(token)
    server.body = json.dumps({"keys": [SECOND.jwk | {"kid": FIRST.name}]}).encode()
    clock.passes(86_400)

    assert await flaw_of(verifying, token) is Flaw.SIGNATURE


async def test_while_the_key_server_is_away_the_keys_go_on_working(doomed: KeyServer, clock: Clock, said: Said) -> None:
    async with reading(doomed, clock) as keys:
        await keys.key("first")
        doomed.close()
        clock.passes(7 * 86_400)

        found = [await flaw_of(verifier(keys), FIRST.token(claims())) for _ in range(3)]

    assert found == [None] * 3
    (failed,) = said.events("key_reading.failed")
    assert (failed["level"], failed["code"], failed["keys"], failed["age_seconds"]) == ("WARN", "NETWORK", 1, 604_800)


async def test_beside_a_key_server_that_hangs_one_caller_a_minute_waits(
    doomed: KeyServer, clock: Clock, said: Said
) -> None:
    async with reading(doomed, clock, patience=timedelta(seconds=2)) as keys, asyncio.timeout(30):
        await keys.key("first")
        doomed.open.clear()
        clock.passes(86_400)

        found = []
        for _ in range(20):
            found.append(await keys.key("first"))
            clock.passes(3)

    assert all(found)
    assert [line["code"] for line in said.events("key_reading.failed")] == ["TIMEOUT"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"keys": []}' + b" " * LARGEST_DOCUMENT, id="endless"),
        pytest.param(b"<html>", id="no JSON"),
        pytest.param(json.dumps({"keys": [{"kty": "oct", "k": "AAAA", "kid": "o"}]}).encode(), id="a shared secret"),
        pytest.param(json.dumps({"keys": [issuer_key("weak", 1024).jwk]}).encode(), id="a weak key"),
    ],
)
async def test_a_hostile_document_does_not_take_the_place_of_a_good_one(
    body: bytes, server: KeyServer, keys: KeySet, clock: Clock, said: Said
) -> None:
    verifying = verifier(keys)
    await verifying.claims(FIRST.token(claims()))
    server.body = body
    clock.passes(86_400)

    assert await flaw_of(verifying, FIRST.token(claims())) is None
    assert len(said.events("key_reading.failed")) == 1


@pytest.mark.parametrize("status", [404, 403, 500, 429])
async def test_until_the_keys_were_read_once_the_answer_is_503_and_not_401(
    status: int, server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    verifying, token = verifier(keys), FIRST.token(claims())
    server.status = status

    for _ in range(3):
        with pytest.raises(RetryableTransient) as raised:
            await verifying.claims(token)
    told = answer(raised.value, correlation_id="c", request_id="r")
    asked = len(server.requests)

    assert (told.status_code, told.headers["retry-after"], asked) == (503, "5", 1)


async def test_as_soon_as_the_key_server_is_there_tokens_are_believed(
    server: KeyServer, keys: KeySet, clock: Clock
) -> None:
    server.before = lambda _: Response("starting", 500)
    with pytest.raises(RetryableTransient):
        await keys.key("first")
    server.before = None
    clock.passes(10)

    assert await flaw_of(verifier(keys), FIRST.token(claims())) is None


async def test_a_key_server_at_an_address_that_nobody_allowed_is_not_asked(server: KeyServer, clock: Clock) -> None:
    async with reading(server, clock, allow=False) as keys:
        with pytest.raises(RetryableTransient, match="may not be reached") as raised:
            await keys.key("first")

    assert raised.value.code is Code.UNAVAILABLE
    assert server.requests == []


async def test_a_caller_who_gives_up_does_not_take_the_reading_from_the_others(server: KeyServer, keys: KeySet) -> None:
    server.open.clear()
    first, second = (asyncio.create_task(keys.key("first")) for _ in range(2))
    await asyncio.to_thread(server.asked.wait, 30)
    first.cancel()
    await asyncio.wait([first])
    server.open.set()

    assert await second
    assert first.cancelled()


async def test_leaving_the_keys_ends_a_reading_under_way(doomed: KeyServer, clock: Clock, said: Said) -> None:
    async with reading(doomed, clock) as keys:
        doomed.open.clear()
        waiting = asyncio.create_task(keys.key("first"))
        await asyncio.to_thread(doomed.asked.wait, 30)

    with pytest.raises(RetryableTransient):
        await waiting
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert said.events("key_reading.failed") == []  # ended, not waited out
