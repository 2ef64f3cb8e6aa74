"""Callers of the API whom an issuer vouches for: the same roles and refusals as with the token of this machine."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.responses import Response
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, OidcIssuer, unsigned
from tests.integration.console.realm import Realm, realm

from windrow.postgres import Database

WIKI = {"name": "wiki", "connector": "files", "config": {"path": "/srv/wiki"}}


@pytest.fixture
async def acme(database: Database, tmp_path: Path, issuer: OidcIssuer) -> AsyncIterator[Realm]:
    async with realm(database, tmp_path, issuer, oidc_audience=(AUDIENCE, "account")) as opened:
        yield opened


async def call(acme: Realm, token: str, method: str = "GET", path: str = "/api/v1/endpoints", **more: Any) -> Any:
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.request(method, acme.url + path, headers=headers, **more)


def holding(acme: Realm, *roles: str, **more: Any) -> str:
    return acme.issuer.token(realm_access={"roles": list(roles)}, **more)


async def test_what_a_token_may_follows_from_its_roles(acme: Realm) -> None:
    found = {}
    for role in ("reader", "writer", "admin"):
        token = holding(acme, role)
        found[role] = [
            (await call(acme, token)).status_code,
            (await call(acme, token, "POST", json=WIKI | {"name": f"wiki-{role}"})).status_code,
            (await call(acme, token, path="/api/v1/audit")).status_code,
        ]

    assert found == {"reader": [200, 403, 403], "writer": [200, 201, 403], "admin": [200, 201, 200]}
    authority = f"token of {acme.issuer.name}"
    assert ("anna@acme.example", authority, "access.refuse", "is no writer") in await acme.trail()
    assert ("anna@acme.example", authority, "endpoints.add", None) in await acme.trail()


async def test_a_token_opens_its_own_tenant_and_project_alone(acme: Realm) -> None:
    await call(acme, holding(acme, "admin"), "POST", json=WIKI)

    for place in ({"tenant_id": "other"}, {"project_id": "elsewhere"}):
        answered = await call(acme, holding(acme, "admin", **place), path="/api/v1/endpoints/wiki")
        assert answered.status_code == 404


async def test_roles_that_mean_nothing_are_no_role_and_refused_in_the_trail(acme: Realm) -> None:
    for roles in ([], ["boss"], ["Reader"]):
        assert (await call(acme, holding(acme, *roles))).status_code == 403
    assert {line[2:] for line in await acme.trail()} == {("access.refuse", "is no reader")}


async def test_whoever_the_issuer_does_not_vouch_for_is_nobody(acme: Realm) -> None:
    tokens = {
        "another audience": acme.issuer.token(aud=CLIENT),
        "an audience that we do not trust beside": acme.issuer.token(aud=[AUDIENCE, "evil"]),
        "another issuer": acme.issuer.token(iss="https://evil.example"),
        "it has expired": acme.issuer.token(exp=1),
        "no tenant": acme.issuer.token(tenant_id=None),
        "no name": acme.issuer.token(tenant_id="Acme"),
        "no project": acme.issuer.token(project_id=""),
        "unsigned": f"{unsigned({'iss': acme.issuer.name, 'aud': AUDIENCE})}x",
        "no token": "x",
    }

    answers = {name: await call(acme, token) for name, token in tokens.items()}

    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(tokens, 401)
    assert "tenant and project" in answers["no name"].json()["detail"]
    assert await acme.trail() == []


async def test_an_audience_that_the_operator_trusts_may_stand_beside_ours(acme: Realm) -> None:
    answered = await call(acme, holding(acme, "reader", aud=["account", AUDIENCE]))

    assert answered.status_code == 200


async def test_while_the_issuer_is_away_its_callers_are_asked_to_come_again_and_ours_are_served(
    acme: Realm, tmp_path: Path
) -> None:
    acme.issuer.before = lambda _: Response(status_code=500)

    theirs = await call(acme, holding(acme, "admin"))
    ours = await call(acme, (tmp_path / "token").read_text().strip())

    assert (theirs.status_code, theirs.headers["retry-after"], ours.status_code) == (503, "5", 200)
    problem = theirs.json()
    assert (problem["title"], problem["code"]) == ("RetryableTransient", "UNAVAILABLE")
    assert "does not answer" in problem["detail"]
    assert "windrow doctor" in problem["hint"]


async def test_a_cookie_is_nobody_to_the_api(acme: Realm) -> None:
    async with acme.browser() as anna:
        await anna.log_in()
        answered = await anna.get("/api/v1/endpoints")

    assert answered.status_code == 401
