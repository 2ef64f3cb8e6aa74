"""Who may push: with an audience set, whoever the issuer vouches for; without one, this machine alone."""

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.key_server import KeyServer, base64url, issuer_key
from tests.fakes.youtube import FakeYoutube
from tests.integration.events.counter import STRUCTURED, Desk, a_job, desk, event, pushed

from windrow.app.events import check_callers
from windrow.contracts.errors import Code, Fatal
from windrow.postgres import Database
from windrow.settings import Settings

KEY, STRANGER = issuer_key("google"), issuer_key("mallory")
AUDIENCE, ACCOUNT = "https://worker.example.org", "pusher@project.iam.gserviceaccount.com"
ISSUER = "https://accounts.google.com"


@pytest.fixture
def issuer() -> Iterator[KeyServer]:
    with KeyServer() as server:
        server.publishes(KEY)
        yield server


@pytest.fixture
async def guarded(database: Database, tmp_path: Path, youtube: FakeYoutube, issuer: KeyServer) -> AsyncIterator[Desk]:
    told = {
        "pubsub_verification_audience": AUDIENCE,
        "pubsub_service_accounts": (ACCOUNT,),
        "pubsub_token_keys": issuer.url,
        "addresses_allowed": (issuer.door,),
    }
    async with desk(database, tmp_path, youtube, **told) as opened:
        yield opened


def claims(**changes: Any) -> dict[str, Any]:
    now = time.time()
    usual = {"iss": ISSUER, "aud": AUDIENCE, "sub": "1", "email": ACCOUNT, "email_verified": True}
    return usual | {"iat": now - 5, "exp": now + 600} | changes


def unsigned() -> str:
    head, body, _ = KEY.token(claims(), alg="none").split(".")
    return f"{head}.{body}.{base64url(b'x')}"


def bearing(token: str) -> dict[str, str]:
    return STRUCTURED | {"authorization": f"Bearer {token}"}


@pytest.mark.req("EV-12")
async def test_without_a_good_token_nothing_is_read_and_nothing_touched(guarded: Desk) -> None:
    job_id = await guarded.submit()
    long_ago = time.time() - 7200
    tokens = {
        "expired": (KEY.token(claims(iat=long_ago, exp=long_ago + 60)), 401),
        "another audience": (KEY.token(claims(aud="https://other.example.org")), 401),
        "another issuer": (KEY.token(claims(iss="https://evil.example.org")), 401),
        "alg: none": (unsigned(), 401),
        "a stranger's signature": (STRANGER.token(claims(), kid=KEY.name), 401),
        "an unknown key": (STRANGER.token(claims()), 401),
        "no key named": (KEY.token(claims(), kid=None), 401),
        "another account": (KEY.token(claims(email="mallory@project.iam.gserviceaccount.com")), 403),
        "an account nobody verified": (KEY.token(claims(email_verified=False)), 403),
        "no token at all": ("words", 401),
    }

    answered = {name: await guarded.post(event(job_id), bearing(token)) for name, (token, _) in tokens.items()}
    bare = await guarded.post(event(job_id))
    push = await guarded.push(pushed(b"{}"))

    assert {name: one.status_code for name, one in answered.items()} == {
        name: code for name, (_, code) in tokens.items()
    }
    assert [bare.status_code, push.status_code] == [401, 401]
    assert bare.headers["www-authenticate"].startswith("Bearer")
    assert await guarded.stages(job_id) == ["Queued"]
    assert set(await guarded.said()) == {"media.events/JobStatusChanged"}


@pytest.mark.req("EV-12")
async def test_a_token_of_the_account_lets_a_push_in_by_whatever_name_it_calls(guarded: Desk) -> None:
    job_id = await guarded.submit()

    answered = await guarded.post(event(job_id), bearing(KEY.token(claims())) | {"host": "worker.example.org"})
    own = await guarded.post(event(job_id), bearing(guarded.served.token.reveal()))

    assert (answered.status_code, answered.json()["outcome"]) == (200, "processed")
    assert (own.status_code, own.json()["outcome"]) == (200, "skipped")


async def test_a_flood_of_invented_keys_costs_the_issuer_two_requests(guarded: Desk, issuer: KeyServer) -> None:
    job_id = await guarded.submit()
    good = bearing(KEY.token(claims()))
    await guarded.post(event(job_id), good)

    flood = [await guarded.post(b"", bearing(KEY.token(claims(), kid=f"k{one}"))) for one in range(20)]

    assert {one.status_code for one in flood} == {401}
    assert len(issuer.requests) <= 2
    assert (await guarded.post(event(job_id), good)).status_code == 200


async def test_while_the_issuers_keys_cannot_be_read_a_push_is_asked_to_come_again(
    guarded: Desk, issuer: KeyServer
) -> None:
    issuer.status = 404

    answered = await guarded.post(event("x"), bearing(KEY.token(claims())))

    assert answered.status_code == 503
    assert "retry-after" in answered.headers


@pytest.mark.parametrize(
    ("told", "hint"),
    [
        ({"events_host": "0.0.0.0"}, "PUBSUB_VERIFICATION_AUDIENCE"),
        ({"pubsub_verification_audience": AUDIENCE}, "WINDROW_PUBSUB_SERVICE_ACCOUNTS"),
    ],
)
def test_it_does_not_listen_where_strangers_could_push(told: dict[str, str], hint: str) -> None:
    with pytest.raises(Fatal) as refused:
        check_callers(Settings(**told))

    assert refused.value.code is Code.CONFIGURATION
    assert refused.value.hint
    assert hint in refused.value.hint


async def test_a_page_that_calls_this_machine_by_its_own_name_is_refused(at_desk: Desk) -> None:
    answered = await at_desk.post(event("x"), STRUCTURED | {"host": "evil.example.org"})

    assert answered.status_code == 421


@pytest.mark.parametrize(
    "said", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
async def test_a_web_page_cannot_push_although_programs_of_this_machine_need_no_token(
    at_desk: Desk, said: dict[str, str]
) -> None:
    """What a page sends without asking first has no content type, and whose page it is the browser says."""
    refused = await at_desk.post(pushed(a_job("job-1")), said)

    assert refused.status_code == 403
    assert await at_desk.jobs() == 0
