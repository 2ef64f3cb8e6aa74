"""Which bearer tokens are believed: every rule broken once, by tokens that are right in all else."""

import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import Said
from tests.fakes.key_server import IssuerKey, issuer_key
from tests.unit.web.tokens import (
    AUDIENCE,
    CANARY,
    EMAIL,
    FLAWED,
    GOOD,
    HEADER,
    ISSUER,
    KEY,
    MISMATCHED,
    NOW,
    POINT,
    TOKEN,
    Published,
    saying,
    verifier,
    without,
)

from windrow.contracts.errors import Fatal
from windrow.web.oidc import Claims, Flaw, TokenRefused

BEFORE_ANY_KEY = {Flaw.ALGORITHM, Flaw.HEADER, Flaw.UNNAMED_KEY}


async def refusal(token: str, keys: Published | None = None, **more: Any) -> TokenRefused:
    with pytest.raises(TokenRefused) as raised:
        await verifier(keys or Published(), **more).claims(token)
    return raised.value


@pytest.mark.req("EV-12")
@pytest.mark.parametrize(("flaw", "made"), [row[1:] for row in FLAWED], ids=[row[0] for row in FLAWED])
async def test_a_token_is_refused_if(flaw: Flaw, made: Callable[[], str]) -> None:
    keys = Published()

    refused = await refusal(made(), keys)

    assert refused.flaw is flaw
    assert refused.status == (403 if flaw is Flaw.EMAIL else 401)
    assert keys.asked == [] or flaw not in BEFORE_ANY_KEY


@pytest.mark.parametrize(("flaw", "made"), [row[1:] for row in MISMATCHED], ids=[row[0] for row in MISMATCHED])
async def test_a_key_checks_only_what_it_is_for(flaw: Flaw, made: Callable[[], str]) -> None:
    assert (await refusal(made())).flaw is flaw


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"])
async def test_a_token_is_believed_that_is_signed_with(algorithm: str) -> None:
    key = issuer_key(f"for-{algorithm}", algorithm=algorithm)
    unsaid = {name: value for name, value in key.jwk.items() if name != "alg"}

    for published in (key.jwk, unsaid):
        assert await verifier(Published(published)).claims(key.token(GOOD))
        assert (await refusal(key.token(GOOD)[:-8] + "AAAAAAAA", Published(published))).flaw is Flaw.SIGNATURE


async def test_of_two_keys_of_one_name_the_algorithm_says_which_is_meant() -> None:
    point = IssuerKey(KEY.name, POINT.private, "ES256")
    keys = Published(KEY.jwk, point.jwk)

    for token in (TOKEN, point.token(GOOD)):
        assert await verifier(keys).claims(token)


async def test_neither_log_nor_error_tells_anything_of_a_refused_token(said: Said) -> None:
    leaks = {}
    for sentence, _, made in [*FLAWED, *MISMATCHED]:
        token = made()
        refused = await refusal(token)
        told = str([refused.message, refused.hint, refused.headers, traceback.format_exception(refused), said.raw])
        leaks[sentence] = [part for part in (CANARY, *token.split(".")) if len(part) > 8 and part in told]

    assert {sentence: parts for sentence, parts in leaks.items() if parts} == {}


async def test_a_good_token_is_believed_and_says_who_calls() -> None:
    claims = await verifier(Published()).claims(TOKEN)

    assert (claims.issuer, claims.subject, claims.email) == (ISSUER, GOOD["sub"], EMAIL)
    assert (claims.issued_at, claims.expires_at) == (GOOD["iat"], GOOD["exp"])
    assert claims.said == GOOD
    assert CANARY not in repr(claims)


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(saying(exp=NOW - 29), id="expired within the leeway"),
        pytest.param(saying(nbf=NOW + 30, iat=NOW + 30), id="made by a clock that is ahead by the leeway"),
        pytest.param(saying(iat=NOW - 86_400), id="issued a day ago"),
        pytest.param(saying(iat=NOW - 600.5), id="issued at half a second"),
        pytest.param(saying(aud=[AUDIENCE]), id="an audience that is a list of one"),
        pytest.param(KEY.token(GOOD, typ=None), id="no type"),
        pytest.param(KEY.token(GOOD, typ="jwt"), id="a type in small letters"),
        pytest.param(KEY.token(GOOD, nonce="n", x5t="t"), id="header parameters that nobody has to know"),
    ],
)
async def test_a_token_is_believed_with(token: str) -> None:
    assert isinstance(await verifier(Published()).claims(token), Claims)


async def test_an_issuer_of_two_names_is_believed_by_both_if_both_are_given() -> None:
    names = ["https://accounts.google.com", "accounts.google.com"]

    for name in names:
        assert (await verifier(Published(), issuers=names).claims(saying(iss=name))).issuer == name
        other = next(one for one in names if one != name)
        assert (await refusal(saying(iss=name), issuers=other)).flaw is Flaw.ISSUER


async def test_without_a_list_of_e_mails_the_subject_alone_says_who_calls() -> None:
    claims = await verifier(Published(), emails=None).claims(KEY.token(without("email") | {"tenant_id": "acme"}))

    assert (claims.subject, claims.email, claims.said["tenant_id"]) == (GOOD["sub"], None, "acme")


async def test_an_e_mail_that_is_not_verified_is_nobodys() -> None:
    claims = await verifier(Published(), emails=None).claims(saying(email_verified=False))

    assert claims.email is None


async def test_the_leeway_and_the_longest_age_are_the_callers() -> None:
    strict = {"leeway": timedelta(0), "longest_age": timedelta(minutes=5)}

    assert (await refusal(saying(exp=NOW), **strict)).flaw is Flaw.EXPIRED
    assert (await refusal(saying(iat=NOW - 301), **strict)).flaw is Flaw.OLD


async def test_a_401_says_by_which_header_it_is_mended() -> None:
    refused = await refusal("")

    assert refused.headers == {"www-authenticate": 'Bearer realm="windrow", error="invalid_token"'}


@pytest.mark.parametrize(
    "terms",
    [{"audience": ""}, {"issuers": []}, {"issuers": ""}, {"issuers": [ISSUER, ""]}, {"emails": []}, {"emails": ""}],
    ids=str,
)
def test_a_setting_left_empty_is_no_rule(terms: dict[str, Any]) -> None:
    with pytest.raises(Fatal):
        verifier(Published(), **terms)


@settings(deadline=None)
@given(st.text() | st.text("eyJhbGciOi.=_-\n ", max_size=60))
async def test_no_text_at_all_is_believed(text: str) -> None:
    await refusal(text)


edits = st.lists(
    st.tuples(st.integers(0, len(TOKEN) - 1), st.integers(0, 2), st.text("AZaz09-_.=+/\0é", max_size=2)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(edits)
async def test_no_mutation_of_a_good_token_is_believed(edits: list[tuple[int, int, str]]) -> None:
    token = TOKEN
    for place, cut, put in edits:
        token = token[:place] + put + token[place + cut :]

    if token != TOKEN:
        await refusal(token)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(GOOD.keys() - {"azp", "note"})), json_values)
async def test_whatever_a_signed_claim_holds_it_is_right_or_refused(name: str, value: Any) -> None:
    try:
        claims = await verifier(Published()).claims(saying(**{name: value}))
    except TokenRefused:
        return

    assert (claims.issuer, claims.email, claims.said[name]) == (ISSUER, EMAIL, value)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["alg", "kid", "typ", "crit", "jwk", "jku", "x5c", "x5u", "cty", "zip"]), json_values)
async def test_whatever_a_signed_header_holds_it_is_right_or_refused(name: str, value: Any) -> None:
    try:
        claims = await verifier(Published()).claims(KEY.token(GOOD, **{name: value}))
    except TokenRefused:
        return

    assert claims.said == GOOD


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=40))
async def test_whatever_bytes_are_signed_they_are_refused(payload: bytes) -> None:
    assert (await refusal(KEY.signed(HEADER, payload))).status == 401
