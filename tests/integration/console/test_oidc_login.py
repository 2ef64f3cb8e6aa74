"""Logging in to the console at an issuer: what lets somebody in, what does not, and what stays of it."""

import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from tests.conftest import Said
from tests.fakes.key_server import issuer_key
from tests.fakes.oidc_issuer import SECRET, OidcIssuer, unsigned
from tests.integration.console.realm import CALLBACK, Realm, realm, why

from windrow.postgres import Database

TOKEN = "/realms/acme/token"


@pytest.fixture
async def acme(database: Database, tmp_path: Path, issuer: OidcIssuer) -> AsyncIterator[Realm]:
    async with realm(database, tmp_path, issuer) as opened:
        yield opened


async def test_whom_the_issuer_vouches_for_is_in_and_where_they_wanted_to_go(acme: Realm) -> None:
    async with acme.browser() as anna:
        landing = await anna.get("/login?next=/runs%3Foutcome%3Dfailed")
        let_in = await anna.log_in("?next=/runs%3Foutcome%3Dfailed")
        you = await anna.get("/you")

    assert "Log in with Acme &lt;b&gt;ID&lt;/b&gt;" in landing.text
    assert 'href="/login/oidc?next=/runs%3Foutcome%3Dfailed"' in landing.text
    # to an address without the code, which so stays in no history
    assert let_in.headers["location"] == "/runs?outcome=failed"
    assert all(word in you.text for word in ("anna@acme.example", "writer", "acme / main"))
    assert (await acme.trail())[0] == ("anna@acme.example", f"issuer {acme.issuer.name}", "session.open", None)


async def test_the_cookies_are_out_of_reach_of_scripts_and_that_of_the_login_goes(acme: Realm) -> None:
    async with acme.browser() as anna:
        off = await anna.get("/login/oidc")
        let_in = await anna.get((await anna.get(off.headers["location"])).headers["location"])
        kept = set(anna.client.cookies)

    port = urlsplit(acme.url).port
    for cookie in (off.headers["set-cookie"], *let_in.headers.get_list("set-cookie")):
        for_leaving = cookie.startswith("windrow-parting")
        sent_with = ("SameSite=strict", "Path=/logout;") if for_leaving else ("SameSite=lax", "Path=/;")
        assert all(flag in cookie for flag in ("HttpOnly", *sent_with)), cookie
    assert "Max-Age=600" in off.headers["set-cookie"]
    assert kept == {f"windrow-{port}", f"windrow-parting-{port}"}


async def test_an_answer_to_another_browsers_login_lets_nobody_in(acme: Realm) -> None:
    async with acme.browser() as mallory, acme.browser() as anna:
        strange = await mallory.sent_back()
        without = await anna.get(strange)
        await anna.get("/login/oidc")
        mixed_up = await anna.get(strange)
        # what anna has begun herself goes on all the same
        own = await anna.refused()

    assert (why(without), why(mixed_up), own) == ("lost", "lost", None)
    assert acme.issuer.asked_for(TOKEN) == 1


async def test_an_answer_is_good_once_even_where_the_issuer_is_lax(acme: Realm) -> None:
    async with acme.browser() as anna:
        back = await anna.sent_back()
        begun = dict(anna.client.cookies)
        asked = dict(acme.issuer.codes)
        await anna.get(back)
        again = await anna.get(back)
        async with acme.browser() as copied:
            copied.client.cookies.update(begun)
            spent = await copied.get(back)
            acme.issuer.codes |= asked
            lax = await copied.get(back)
            inside = await copied.is_in()

    assert (why(again), why(spent), why(lax), inside) == ("lost", "used", "used", False)
    assert [line[2:] for line in await acme.trail()] == [
        ("access.refuse", "the login was used before"),
        ("session.open", None),
    ]


TWISTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "the nonce of another login": lambda claims: claims | {"nonce": "A" * 43},
    "no nonce": lambda claims: claims | {"nonce": None},
    "another audience": lambda claims: claims | {"aud": "another-client"},
    "another party": lambda claims: claims | {"azp": "another-client"},
    "another issuer": lambda claims: claims | {"iss": "https://evil.example"},
    "a token of an hour ago": lambda claims: claims | {"iat": claims["iat"] - 3600},
    "one that ran out": lambda claims: claims | {"exp": claims["iat"] - 60},
}


async def test_a_token_that_was_not_made_for_this_login_lets_nobody_in(acme: Realm) -> None:
    for name, twist in TWISTS.items():
        acme.issuer.twist = twist
        async with acme.browser() as anna:
            assert (await anna.refused(), await anna.is_in()) == ("failed", False), name


async def test_a_token_that_the_issuer_did_not_sign_lets_nobody_in(acme: Realm) -> None:
    for sign in (unsigned, issuer_key("stranger").token, lambda _: "x", lambda _: None):
        acme.issuer.sign = sign
        async with acme.browser() as anna:
            assert (await anna.refused(), await anna.is_in()) == ("failed", False), sign


async def test_an_answer_that_is_not_the_issuers_is_not_followed(acme: Realm) -> None:
    async with acme.browser() as anna:
        for changed in (
            lambda back: back.replace("iss=", "iss=https%3A%2F%2Fevil.example&was="),
            lambda back: back.replace("iss=", "was="),
            lambda back: back.replace("code=", "code=x&code="),
            lambda back: back.replace("code=", "code=%0d%0a"),
        ):
            assert why(await anna.get(changed(await anna.sent_back()))) == "failed"
    assert acme.issuer.asked_for(TOKEN) == 0


async def test_who_is_refused_is_told_so_with_the_next_step_at_a_clean_address(acme: Realm, said: Said) -> None:
    acme.issuer.answers = "access_denied"
    async with acme.browser() as anna:
        answered = await anna.log_in("?next=/runs")
        page = await anna.get(answered.headers["location"])

    assert answered.headers["location"] == "/login?refused=denied&next=%2Fruns"
    assert (page.status_code, "did not agree" in page.text, "script>alert" in page.text) == (401, True, False)
    assert 'href="/login/oidc?next=/runs"' in page.text
    assert [(line["reason"], line["detail"]) for line in said.events("login.refused")] == [
        ("denied", "the issuer answered access_denied: <script>alert(1)</script>")
    ]


async def test_what_the_issuer_answers_in_place_of_a_code_is_told_by_whom_it_is_to_be_mended(acme: Realm) -> None:
    for answer, word, status in (
        ("login_required", "denied", 401),
        ("temporarily_unavailable", "away", 503),
        ("invalid_scope", "unfit", 503),
        ("no_such_error", "failed", 401),
    ):
        acme.issuer.answers = answer
        async with acme.browser() as anna:
            refused = await anna.log_in()
            page = await anna.get(refused.headers["location"])
        assert (why(refused), page.status_code) == (word, status), answer


@pytest.mark.parametrize("algorithm", ["PS256", "ES256", "EdDSA"])
async def test_an_issuer_may_sign_with(algorithm: str, database: Database, tmp_path: Path, issuer: OidcIssuer) -> None:
    issuer.key = issuer_key(f"realm-{algorithm}", algorithm=algorithm)
    async with realm(database, tmp_path, issuer) as acme, acme.browser() as anna:
        assert (await anna.refused(), await anna.is_in()) == (None, True)


async def test_what_the_issuer_does_not_say_that_it_signs_with_is_not_its_signature(acme: Realm) -> None:
    acme.issuer.key = issuer_key("realm-ES256", algorithm="ES256")
    acme.issuer.said = {"id_token_signing_alg_values_supported": ["RS256", "none"]}
    async with acme.browser() as anna:
        assert (await anna.refused(), await anna.is_in()) == ("failed", False)


async def test_what_the_token_leaves_open_the_issuer_is_asked_for(acme: Realm) -> None:
    for name in ("tenant_id", "realm_access", "email", "email_verified"):
        acme.issuer.tells[name] = acme.issuer.person.pop(name)
    acme.issuer.tells |= {"project_id": "elsewhere", "email": "anna@home.example"}
    async with acme.browser() as anna:
        await anna.log_in()
        you = await anna.get("/you")

    # what the token itself says stands
    assert all(word in you.text for word in ("anna@home.example", "writer", "acme / main"))


async def test_what_the_issuer_tells_of_somebody_else_lets_nobody_in(acme: Realm, said: Said) -> None:
    acme.issuer.tells = {"tenant_id": acme.issuer.person.pop("tenant_id"), "sub": "somebody-else"}
    async with acme.browser() as anna:
        assert (await anna.refused(), await anna.is_in()) == ("failed", False)
    assert "another person" in said.events("login.refused")[0]["detail"]


async def test_whatever_the_issuer_answers_of_a_person_ends_in_a_page_and_is_not_in_the_log(
    acme: Realm, said: Said
) -> None:
    del acme.issuer.person["tenant_id"]
    signed = Response("eyJ-somebody", media_type="application/jwt")
    for word, answer in (
        ("failed", lambda _: signed),
        ("failed", lambda _: Response(status_code=401)),
        ("away", lambda _: Response(status_code=500)),
    ):
        acme.issuer.before = lambda request, answer=answer: answer(request) if "userinfo" in request.url.path else None
        async with acme.browser() as anna:
            assert await anna.refused() == word
    assert not any("eyJ-somebody" in line for line in said.raw)


async def test_who_logs_out_at_the_issuer_too_goes_there_with_the_token_that_let_them_in(acme: Realm) -> None:
    async with acme.browser() as anna:
        await anna.log_in()
        page = await anna.log_out(also="issuer")
        inside = await anna.is_in()
        _, _, further = page.headers["refresh"].partition("url=")
        back = await anna.get(further)
        kept = set(anna.client.cookies)

    assert (page.status_code, inside, kept) == (200, False, set())
    assert "You are logged out here" in page.text
    assert back.headers["location"] == f"{acme.url}/login"
    (left,) = acme.issuer.left
    payload = left["id_token_hint"].split(".")[1]
    assert b'"sub": "8c1f6c1e-anna"' in base64.urlsafe_b64decode(payload + "==")


async def test_who_logs_out_here_alone_stays_logged_in_there(acme: Realm) -> None:
    async with acme.browser() as anna:
        await anna.log_in()
        answered = await anna.log_out()

    assert (answered.status_code, answered.headers["location"]) == (303, "/login")
    assert acme.issuer.left == []


async def test_what_was_kept_for_another_session_tells_the_issuer_nothing(acme: Realm) -> None:
    async with acme.browser() as anna, acme.browser() as bert:
        for browser in (anna, bert):
            await browser.log_in()
        name = next(name for name in anna.client.cookies if "parting" in name)
        for kept in (bert.client.cookies[name], "x", "A" * 4000):
            anna.client.cookies.set(name, kept, domain="127.0.0.1", path="/logout")
            page = await anna.log_out(also="issuer")
            assert "client_id=" in page.headers["refresh"]
            assert "id_token_hint" not in page.headers["refresh"]
            await anna.log_in()


async def test_where_the_issuer_logs_nobody_out_one_is_out_here_and_told_so(acme: Realm) -> None:
    acme.issuer.said = {"end_session_endpoint": "http://evil.example/not-https"}
    async with acme.browser() as anna:
        await anna.log_in()
        you = await anna.get("/you")
        answered = await anna.log_out(also="issuer")
        page = await anna.get(answered.headers["location"])

    assert (answered.status_code, "too</button>" in you.text) == (303, False)
    assert "You are logged out here, and not at Acme &lt;b&gt;ID&lt;/b&gt;" in page.text


async def test_an_address_that_invents_a_refusal_says_nothing(acme: Realm) -> None:
    async with acme.browser() as anna:
        page = await anna.get(f"/login?refused={quote('<b>you are fired</b>')}&next=//evil.example")

    assert (page.status_code, "fired" in page.text, "evil.example" in page.text) == (200, False, False)


async def test_no_next_leads_away_from_here(acme: Realm) -> None:
    async with acme.browser() as anna:
        for wanted in (
            "%2F%2Fevil.example%2F",
            "https%3A%2F%2Fevil.example",
            "/%5Cevil.example",
            "/%09/evil.example",
            "/x%0d%0aset-cookie:a=b",
        ):
            assert (await anna.log_in(f"?next={wanted}")).headers["location"] == "/", wanted


async def test_who_has_no_role_is_not_let_in_and_that_is_in_their_tenants_trail(acme: Realm) -> None:
    acme.issuer.person["realm_access"] = {"roles": ["boss", "Admin"]}
    async with acme.browser() as anna:
        answered = await anna.log_in()
        page = await anna.get(answered.headers["location"])
        inside = await anna.is_in()

    assert (why(answered), page.status_code, inside) == ("role", 403, False)
    assert await acme.trail() == [
        ("anna@acme.example", f"issuer {acme.issuer.name}", "access.refuse", "has no role"),
    ]


async def test_a_tenant_that_is_no_name_is_nobodys(acme: Realm) -> None:
    for tenant in (None, "Acme", "../acme", "acme'; --", "", ["acme"], 7):
        acme.issuer.person["tenant_id"] = tenant
        async with acme.browser() as anna:
            assert (await anna.refused(), await anna.is_in()) == ("unplaced", False), tenant


async def test_only_whom_the_issuer_calls_operators_may_look_at_other_tenants(acme: Realm) -> None:
    seen = []
    for roles in (["admin"], ["admin", "windrow-operator"]):
        acme.issuer.person["realm_access"] = {"roles": roles}
        async with acme.browser() as anna:
            await anna.log_in()
            seen.append("Where you look" in (await anna.get("/you")).text)

    assert seen == [False, True]


async def test_neither_code_nor_secret_nor_token_is_in_the_log_or_the_database(acme: Realm, said: Said) -> None:
    async with acme.browser() as anna:
        back = await anna.sent_back()
        await anna.get(back)
        acme.issuer.twist = TWISTS["no nonce"]
        await anna.log_in()
        spent = await anna.sent_back()
        acme.issuer.codes.clear()
        await anna.get(spent)  # the issuer repeats a code that it does not know

    (state,) = parse_qs(urlsplit(back).query)["state"]
    async with acme.database.tenant("acme") as tx:
        cursor = await tx.connection.execute(
            "SELECT s::text FROM sessions s UNION ALL SELECT a::text FROM audit_log a"
            " UNION ALL SELECT k::text FROM idempotency_keys k"
        )
        rows = [str(row) for row in await cursor.fetchall()]
    told = "\n".join([*said.raw, *rows])
    assert [line["reason"] for line in said.events("login.refused")] == ["failed", "used"]
    for secret in (*acme.issuer.given, state, SECRET, quote(SECRET, safe=""), "opaque-access-token", "s3cret"):
        assert secret not in told


def garbage(_: Any) -> Response:
    return HTMLResponse("<html>" * 20)


def json_of(body: bytes) -> Callable[[Any], Response]:
    return lambda _: Response(body, media_type="application/json")


ANSWERS: list[tuple[Callable[[Any], Response], str]] = [
    (garbage, "failed"),
    (json_of(b"{" * 70_000), "failed"),
    (json_of(b"[]"), "failed"),
    (json_of(b"{}"), "failed"),
    (lambda _: Response('{"id_token": "eyJ-somebody"}', media_type="text/javascript"), "failed"),
    (lambda _: RedirectResponse("https://evil.example/", 307), "failed"),
    (lambda _: Response(status_code=500), "away"),
    (lambda _: Response(status_code=401), "unfit"),
    (lambda _: JSONResponse({"error": "unauthorized_client"}, 400), "unfit"),
    (lambda _: JSONResponse({"error": ["invalid_grant"]}, 400), "unfit"),
    (lambda _: JSONResponse({"error": "invalid_grant"}, 400), "used"),
]


async def test_whatever_the_token_endpoint_answers_ends_in_a_page(acme: Realm, said: Said) -> None:
    for answer, word in ANSWERS:
        acme.issuer.before = lambda request, answer=answer: answer(request) if request.url.path == TOKEN else None
        async with acme.browser() as anna:
            refused = await anna.log_in()
            page = await anna.get(refused.headers["location"])

        assert (why(refused), 'role="alert"' in page.text) == (word, True)
    assert not any("eyJ-somebody" in line for line in said.raw)


async def test_while_the_issuer_is_away_links_go_on_and_it_is_asked_once(acme: Realm, said: Said) -> None:
    acme.issuer.before = garbage
    async with acme.browser() as anna:
        answered = [await anna.get("/login/oidc?next=/runs") for _ in range(5)]
        page = await anna.get(answered[0].headers["location"])

    assert {why(one) for one in answered} == {"away"}
    assert (page.status_code, "windrow login" in page.text) == (503, True)
    assert len(acme.issuer.requests) == len(said.events("issuer_reading.failed")) == 1


async def test_a_public_client_shows_no_secret(database: Database, tmp_path: Path, issuer: OidcIssuer) -> None:
    issuer.secret = None
    async with realm(database, tmp_path, issuer, oidc_client_secret_ref=None) as acme, acme.browser() as anna:
        assert (await anna.refused(), await anna.is_in()) == (None, True)


async def test_a_secret_goes_into_the_form_where_the_issuer_wants_it_there(acme: Realm) -> None:
    acme.issuer.said = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    async with acme.browser() as anna:
        assert (await anna.refused(), await anna.is_in()) == (None, True)
    assert not any("authorization" in asked.headers for asked in acme.issuer.requests)


async def test_without_the_setting_there_is_no_such_way_and_nobody_is_asked(
    database: Database, tmp_path: Path, issuer: OidcIssuer
) -> None:
    unset = dict.fromkeys(("oidc_issuer", "oidc_client_id", "oidc_client_secret_ref", "oidc_name"))
    async with realm(database, tmp_path, issuer, oidc_audience=(), **unset) as local, local.browser() as anna:
        landing = await anna.get("/login?refused=role")
        ways = [(await anna.get(path)).status_code for path in ("/login/oidc", f"{CALLBACK}?code=x&state=y")]

    assert (landing.status_code, "Log in with" in landing.text, ways) == (200, False, [404, 404])
    assert issuer.requests == []
