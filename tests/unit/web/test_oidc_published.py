"""Which keys of a key set document are accepted, and which documents are not; how long an answer is fresh."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.key_server import base64url, issuer_key, number

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.http import HttpClient
from windrow.web.oidc import KeySet
from windrow.web.oidc.freshness import Freshness
from windrow.web.oidc.published import keys_of
from windrow.web.oidc.strict import bytes_of

JWK = issuer_key("first").jwk
POINT = issuer_key("point", algorithm="ES256").jwk
EDWARDS = issuer_key("edwards", algorithm="EdDSA").jwk
ELLIPTIC = {"kty": "EC", "crv": "P-384", "kid": "e", "use": "sig", "x": "a", "y": "b"}
FUTURE = {"kty": "AKP", "kid": "f", "alg": "ML-DSA-44", "pub": "abc"}


def lacking(name: str) -> dict[str, Any]:
    return {key: value for key, value in JWK.items() if key != name}


def document(*keys: Any) -> bytes:
    return json.dumps({"keys": keys}).encode()


@pytest.mark.parametrize("name", ["use", "alg"])
def test_a_key_that_does_not_say_what_it_is_for_is_accepted(name: str) -> None:
    assert list(keys_of(document(lacking(name)))) == ["first"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ELLIPTIC, id="of a curve that we do not take"),
        pytest.param(POINT | {"kid": "k", "crv": "secp256k1"}, id="of the curve of coins"),
        pytest.param(POINT | {"kid": "k", "crv": ["P-256"]}, id="of a list of curves"),
        pytest.param(POINT | {"kid": "k", "alg": "ES384"}, id="of one curve, for another"),
        pytest.param(POINT | {"kid": "k", "alg": "ECDH-ES"}, id="to agree on a secret with"),
        pytest.param(EDWARDS | {"kid": "k", "crv": "X25519"}, id="of a curve that signs nothing"),
        pytest.param(FUTURE, id="of a kind nobody knows yet"),
        pytest.param({"kid": "k"}, id="of no kind"),
        pytest.param({"kid": "k", "kty": ["RSA"]}, id="of a list of kinds"),
        pytest.param(JWK | {"kid": "k", "use": "enc"}, id="to encrypt with"),
        pytest.param(JWK | {"kid": "k", "alg": "RS512"}, id="for RS512"),
        pytest.param(JWK | {"kid": "k", "key_ops": ["encrypt"]}, id="whose operations are others"),
        pytest.param(JWK | {"kid": "k", "key_ops": "verify"}, id="whose operations are no list"),
        pytest.param(lacking("kid"), id="without a name"),
        pytest.param(JWK | {"kid": ["first"]}, id="with a list of names"),
    ],
)
def test_passed_over_is_a_key(other: dict[str, Any]) -> None:
    assert list(keys_of(document(other, JWK))) == ["first"]


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>not here</html>", id="a web page"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="no keys"),
        pytest.param(b'{"keys": {}}', id="keys that are no list"),
        pytest.param(b'{"keys": ["first"]}', id="a key that is a text"),
        pytest.param(b'{"keys": [], "keys": []}', id="two lists of keys"),
        pytest.param(b"[" * 100_000, id="brackets"),
        pytest.param(document(*[ELLIPTIC] * 101), id="101 keys"),
        pytest.param(document(JWK, JWK), id="two keys of one name"),
        pytest.param(document(JWK, {"kty": "oct", "k": "c2VjcmV0", "kid": "o"}), id="a shared secret"),
        pytest.param(document(JWK, JWK | {"kid": "p", "d": "AQAB"}), id="a private key"),
        pytest.param(document(issuer_key("weak", 1024).jwk), id="an RSA key of 1024 bits"),
        pytest.param(document(JWK | {"n": number((1 << 8192) + 1)}), id="an RSA key of 8193 bits"),
        pytest.param(document(JWK | {"n": JWK["n"] + "="}), id="a modulus with padding"),
        pytest.param(document(JWK | {"n": 5}), id="a modulus that is a number"),
        pytest.param(document(lacking("n")), id="no modulus"),
        pytest.param(document(JWK | {"e": number(1)}), id="the exponent 1, by which everything is signed"),
        pytest.param(document(JWK | {"e": base64url(b"\1\0\0")}), id="an even exponent"),
        pytest.param(document(lacking("e")), id="no exponent"),
        pytest.param(document(POINT | {"x": POINT["y"]}), id="a point that is on no curve"),
        pytest.param(
            document(POINT | {"x": base64url(bytes(32)), "y": base64url(bytes(32))}), id="the point at infinity"
        ),
        pytest.param(document(POINT | {"y": base64url(b"\0" * 3)}), id="a coordinate that is too short"),
        pytest.param(document(POINT | {"y": base64url(b"\0" + bytes_of(POINT["y"]))}), id="a coordinate of 33 bytes"),
        pytest.param(document(POINT | {"y": None}), id="a point without its height"),
        pytest.param(document(POINT, POINT), id="two points of one name"),
        pytest.param(document(EDWARDS | {"x": base64url(bytes(31))}), id="an Ed25519 key of 31 bytes"),
        pytest.param(document(EDWARDS | {"x": 7}), id="an Ed25519 key that is a number"),
    ],
)
def test_refused_is_a_document_of(hostile: bytes) -> None:
    with pytest.raises(ValidationFailure, match="key set is refused"):
        keys_of(hostile)


@settings(deadline=None)
@given(st.sampled_from(sorted(JWK)), st.none() | st.integers() | st.text() | st.lists(st.text(), max_size=2))
def test_whatever_a_key_says_of_itself_it_is_accepted_or_refused(name: str, value: Any) -> None:
    try:
        found = keys_of(document(JWK | {name: value}))
    except ValidationFailure:
        return

    assert set(found) <= {"first", value if isinstance(value, str) else "first"}


@pytest.mark.parametrize(
    "url", ["http://issuer.example/certs", "http://10.0.0.1/", "ftp://127.0.0.1/", "http://[::1", ""]
)
async def test_keys_are_not_read_over_a_line_that_others_can_write_to(url: str) -> None:
    async with HttpClient() as http:
        with pytest.raises((Fatal, ValidationFailure)):
            KeySet(http, url)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 3600),
        ({"cache-control": "public, max-age=7200, must-revalidate"}, 7200),
        ({"cache-control": "Max-Age = 7200"}, 7200),
        ({"cache-control": "max-age=7200", "age": "7000"}, 300),
        ({"cache-control": "max-age=7200", "age": "3600"}, 3600),
        ({"cache-control": "max-age=7200", "age": "soon"}, 7200),
        ({"cache-control": "max-age=0"}, 300),
        ({"cache-control": "max-age=999999999999"}, 86_400),
        ({"cache-control": "max-age=" + "9" * 5000}, 3600),
        ({"cache-control": "s-max-age=9"}, 3600),
        ({"cache-control": "no-store, max-age=7200"}, 300),
    ],
    ids=str,
)
def test_an_answer_is_fresh_for_as_long_as_it_says_within_bounds(headers: dict[str, str], seconds: float) -> None:
    assert Freshness().of(headers) == seconds
