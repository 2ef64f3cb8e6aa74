"""An issuer that is slow, away, moves, or is wrongly named; and what `windrow doctor` says of it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from tests.fakes.key_server import issuer_key
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, OidcIssuer

from windrow.app.checks import Check, Verdict, examine
from windrow.app.oidc import check
from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.contracts.retry import NEVER
from windrow.http import HttpClient, HttpPolicy, Timeouts
from windrow.settings import Settings
from windrow.web.oidc import Bonds, CodeFlow, Issuer

DESCRIPTION = "/realms/acme/.well-known/openid-configuration"


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def running() -> Iterator[OidcIssuer]:
    with OidcIssuer() as issuer:
        yield issuer


@pytest.fixture
def server(running: OidcIssuer) -> OidcIssuer:
    running.forgets()
    return running


@asynccontextmanager
async def known(server: OidcIssuer, clock: Clock, total: float = 10) -> AsyncIterator[tuple[HttpClient, Issuer]]:
    policy = HttpPolicy(source="oidc", allow=(server.door,), hiccups=NEVER, timeouts=Timeouts(total=total))
    async with HttpClient(policy) as http, Issuer(http, server.name, clock=clock) as issuer:
        yield http, issuer


async def test_it_is_asked_once_by_many_and_again_after_an_hour(server: OidcIssuer, clock: Clock) -> None:
    async with known(server, clock) as (_, issuer):
        await asyncio.gather(*(issuer.provider() for _ in range(20)))
        assert server.asked_for(DESCRIPTION) == 1

        server.said = {"token_endpoint": f"{server.name}/moved"}
        clock.now += 3600
        moved = await issuer.provider()

    assert (moved.token, server.asked_for(DESCRIPTION)) == (f"{server.name}/moved", 2)


async def test_what_was_read_outlives_an_outage_and_an_outage_is_not_hammered(server: OidcIssuer, clock: Clock) -> None:
    server.before = lambda _: Response(status_code=500)
    async with known(server, clock) as (_, issuer):
        for _ in range(3):
            with pytest.raises(RetryableTransient, match="cannot be had"):
                await issuer.provider()
        server.before = None
        clock.now += 10
        found = await issuer.provider()
        server.before = lambda _: Response(status_code=500)
        clock.now += 3600
        kept = [await issuer.provider() for _ in range(3)]

    assert kept == [found] * 3
    assert server.asked_for(DESCRIPTION) == 3


async def test_its_keys_are_looked_for_where_it_says_now(server: OidcIssuer, clock: Clock) -> None:
    async with known(server, clock) as (_, issuer):
        assert await issuer.key("realm")
        server.said = {"jwks_uri": f"{server.name}/elsewhere"}
        clock.now += 3600

        with pytest.raises(RetryableTransient, match="keys cannot be had"):
            await issuer.key("realm")


async def test_an_issuer_that_begins_to_sign_in_another_way_is_asked_anew_and_not_too_often(
    server: OidcIssuer, clock: Clock
) -> None:
    server.key = issuer_key("point", algorithm="ES256")
    server.said = {"id_token_signing_alg_values_supported": ["RS256"]}
    async with known(server, clock) as (_, issuer):
        before = [await issuer.key("point") for _ in range(3)]
        server.said = {}
        clock.now += 10
        after = [list(await issuer.key("point") or ()) for _ in range(3)]

    assert (before, after) == ([{}] * 3, [["ES256"]] * 3)
    assert server.asked_for(DESCRIPTION) == 2


async def test_a_slow_exchange_is_given_up(server: OidcIssuer, clock: Clock) -> None:
    server.open.clear()
    async with known(server, clock, total=0.3) as (http, issuer):
        flow = CodeFlow(http, issuer, CLIENT, "http://127.0.0.1/back")

        with pytest.raises(RetryableTransient) as given_up:
            await flow.vouched("a-code", Bonds("s", "n", "v" * 43))

    server.open.set()
    assert given_up.value.code is Code.TIMEOUT


async def told(home: Path, **more: Any) -> Check | None:
    settings = Settings(home=home, **more)
    return {check.name: check async for check in examine(settings)}.get("issuer")


async def test_the_doctor_says_whether_the_issuer_answers(server: OidcIssuer, tmp_path: Path) -> None:
    allowed = {"oidc_audience": AUDIENCE, "addresses_allowed": (server.door,)}

    well = await told(tmp_path, oidc_issuer=server.name, **allowed)
    misnamed = await told(tmp_path, oidc_issuer=server.name + "/", **allowed)
    refused = await told(tmp_path, oidc_issuer=server.name, oidc_audience=AUDIENCE)

    assert await told(tmp_path) is None
    assert well
    assert (well.verdict, "answers; keys" in well.detail) == (Verdict.OK, True)
    assert misnamed
    assert (misnamed.verdict, "WINDROW_OIDC_ISSUER" in (misnamed.hint or "")) == (Verdict.FAIL, True)
    assert refused
    assert (refused.verdict, "may not be reached" in refused.detail) == (Verdict.FAIL, True)


@pytest.mark.parametrize(
    "half",
    [
        {"oidc_client_id": CLIENT},
        {"oidc_audience": AUDIENCE},
        {"oidc_issuer": "https://id.example"},
        {"oidc_issuer": "https://id.example", "oidc_audience": AUDIENCE, "oidc_roles": "boss"},
        {"oidc_issuer": "https://id.example", "oidc_audience": AUDIENCE, "oidc_roles": "boss=king"},
    ],
)
def test_half_a_setting_is_refused_at_the_start(half: dict[str, Any]) -> None:
    with pytest.raises(Fatal) as refused:
        check(Settings(**half))

    assert (refused.value.code, "docs/how-to/log-in.md" in (refused.value.hint or "")) == (Code.CONFIGURATION, True)
