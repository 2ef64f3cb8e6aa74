"""A route behind a verifier, as an HTTP surface has it: what a caller is answered, and what the log tells of it."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import prometheus_client
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from tests.conftest import Said
from tests.fakes.key_server import KeyServer, issuer_key

from windrow.contracts.retry import NEVER
from windrow.http import HttpClient, HttpPolicy
from windrow.web.edge import Edge
from windrow.web.oidc import KeySet, Verifier
from windrow.web.principal import bearer_token

ISSUER, AUDIENCE, EMAIL = "https://accounts.google.com", "https://windrow.example/push", "push@project.example"
KEY = issuer_key("first")


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with KeyServer() as server:
        server.publishes(KEY)
        yield server


@asynccontextmanager
async def behind(server: KeyServer) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of an application whose one address asks for a token."""
    policy = HttpPolicy(source="oidc", allow=(server.door,), hiccups=NEVER)
    async with HttpClient(policy) as http, KeySet(http, server.url) as keys:
        verifier = Verifier(ISSUER, AUDIENCE, keys, emails=EMAIL)

        async def push(request: Request) -> Response:
            return PlainTextResponse((await verifier.claims(bearer_token(request))).subject)

        edge = Edge(Router([Route("/", push, methods=["POST"])]), hosts=("windrow.example",))
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(edge), base_url="https://windrow.example"
        ) as client:
            yield client


def token(**changes: Any) -> str:
    now = int(time.time())
    whom = {"iss": ISSUER, "aud": AUDIENCE, "sub": "1137", "email": EMAIL, "email_verified": True}
    return KEY.token({**whom, "iat": now, "exp": now + 3600, **changes})


async def pushed(client: httpx2.AsyncClient, given: str) -> httpx2.Response:
    return await client.post("/", headers={"authorization": f"Bearer {given}"})


def counted(outcome: str) -> float:
    samples = (sample for family in prometheus_client.REGISTRY.collect() for sample in family.samples)
    return sum(one.value for one in samples if one.name == "oidc_tokens_total" and one.labels.get("outcome") == outcome)


@pytest.mark.req("EV-12")
async def test_a_push_is_let_in_by_its_token_alone(server: KeyServer) -> None:
    async with behind(server) as client:
        answers = [
            await pushed(client, token()),
            await client.post("/"),
            await pushed(client, token(aud="https://other.example")),
            await pushed(client, token(email="stranger@project.example")),
        ]

    assert [answer.status_code for answer in answers] == [200, 401, 401, 403]


async def test_a_refusal_is_told_with_its_rule_and_without_the_token(server: KeyServer, said: Said) -> None:
    before, given = counted("expired"), token(exp=1, sub="canary-7f3a")
    async with behind(server) as client:
        answered = await pushed(client, given)

    (refused,) = said.events("access.refused")
    assert refused["reason"] == answered.json()["detail"] == "the token has expired"
    assert counted("expired") == before + 1
    told = "\n".join([*said.raw, answered.text])
    assert [part for part in ("canary-7f3a", EMAIL, *given.split(".")) if part in told] == []


async def test_a_push_that_cannot_be_checked_yet_is_asked_to_come_again(server: KeyServer, said: Said) -> None:
    server.status = 500
    async with behind(server) as client:
        answered = await pushed(client, token())

    assert (answered.status_code, answered.headers["retry-after"]) == (503, "5")
    assert said.events("access.refused") == []
