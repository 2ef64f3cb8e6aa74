"""An issuer, what it says of a good token, and tokens with one thing wrong. Every value that could leak holds the canary."""

import base64
import hashlib
import hmac
import itertools
import json
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.fakes.key_server import IssuerKey, base64url, issuer_key

from windrow.web.oidc import Flaw, Verifier
from windrow.web.oidc.published import keys_of

NOW = 1_800_000_000
CANARY = "canary7f3a"
ISSUER = f"https://issuer.{CANARY}.example"
AUDIENCE = f"https://windrow.{CANARY}.example/push"
EMAIL = f"push-{CANARY}@project.example"
KEY, OTHER, STRANGER = (issuer_key(f"{name}-{CANARY}") for name in ("first", "second", "stranger"))
POINT = issuer_key(f"point-{CANARY}", algorithm="ES256")
GOOD: dict[str, Any] = {
    "iss": ISSUER,
    "aud": AUDIENCE,
    "sub": f"113774264463-{CANARY}",
    "azp": "113774264463038321964",
    "email": EMAIL,
    "email_verified": True,
    "iat": NOW - 600,
    "exp": NOW + 3000,
    "note": CANARY,
}


class Published:
    """The keys of an issuer that is always there; what was asked for is in `asked`."""

    def __init__(self, *jwks: dict[str, Any]) -> None:
        listed = jwks or (KEY.jwk, OTHER.jwk, POINT.jwk)
        self._keys = keys_of(json.dumps({"keys": listed}).encode())
        self.asked: list[str] = []

    async def key(self, name: str) -> Any:
        self.asked.append(name)
        return self._keys.get(name)


def verifier(keys: Published, **more: Any) -> Verifier:
    return Verifier(
        **{"issuers": ISSUER, "audience": AUDIENCE, "emails": EMAIL, "clock": lambda: NOW} | more, keys=keys
    )


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


def saying(**claims: Any) -> str:
    return KEY.token(GOOD | claims)


def lacking(name: str) -> str:
    return KEY.token(without(name))


def raw_claims(more: str) -> str:
    """The good claims with some text in front of them, for what json.dumps would not write."""
    return KEY.signed(HEADER, b"{" + more.encode() + b", " + PAYLOAD[1:])


HEADER = json.dumps({"alg": "RS256", "kid": KEY.name, "typ": "JWT"}).encode()
PAYLOAD = json.dumps(GOOD).encode()
TOKEN = KEY.signed(HEADER, PAYLOAD)
_HEAD, _BODY, _SIGNATURE = TOKEN.split(".")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def _shared_secret(secret: bytes, **header: Any) -> str:
    """Signed by HMAC with what everybody may know: the public key."""
    head = json.dumps({"alg": "HS256", "kid": KEY.name, "typ": "JWT", **header}).encode()
    signing = f"{base64url(head)}.{base64url(PAYLOAD)}"
    return f"{signing}.{base64url(hmac.digest(secret, signing.encode(), hashlib.sha256))}"


def _public(encoding: serialization.Encoding) -> bytes:
    return KEY.private.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)


def _elliptic(signature: bytes | None = None) -> str:
    """By the key on the curve, with its signature as ASN.1 writes it, or with another."""
    assert isinstance(POINT.private, ec.EllipticCurvePrivateKey)
    signing = POINT.token(GOOD).rpartition(".")[0]
    signature = signature or POINT.private.sign(signing.encode(), ec.ECDSA(hashes.SHA256()))
    return f"{signing}.{base64url(signature)}"


def _unsigned(algorithm: str, signature: str) -> str:
    head = json.dumps({"alg": algorithm, "kid": KEY.name, "typ": "JWT"}).encode()
    return f"{base64url(head)}.{base64url(PAYLOAD)}.{signature}"


def _spare_bits() -> str:
    """The same signature with another last letter: it differs only in bits that stand for nothing."""
    last = _ALPHABET.index(TOKEN[-1])
    assert last % 16 == 0, "256 bytes leave four bits over"
    return TOKEN[:-1] + _ALPHABET[last + 1]


def _tampered() -> str:
    forged = json.dumps(GOOD | {"sub": "somebody-else"}).encode()
    return f"{_HEAD}.{base64url(forged)}.{_SIGNATURE}"


_OWN = {"kty": "oct", "k": base64url(b"mine")}

Row = tuple[str, Flaw, Callable[[], str]]

_TIMES: list[Row] = [
    ("it expired as long ago as the leeway", Flaw.EXPIRED, lambda: saying(exp=NOW - 30)),
    ("it expired last year", Flaw.EXPIRED, lambda: saying(iat=NOW - 4e7, exp=NOW - 3e7)),
    ("it does not say when it expires", Flaw.MALFORMED, lambda: lacking("exp")),
    ("it expires at a text", Flaw.MALFORMED, lambda: saying(exp=str(NOW + 3000))),
    ("it expires at true", Flaw.MALFORMED, lambda: saying(exp=True)),
    ("it expires at null", Flaw.MALFORMED, lambda: saying(exp=None)),
    ("it is valid from infinity on", Flaw.MALFORMED, lambda: raw_claims('"nbf": 1e999')),
    ("it expires at a number too large for a float", Flaw.MALFORMED, lambda: saying(exp=10**400)),
    ("it is valid from a number of 5,000 digits on", Flaw.MALFORMED, lambda: raw_claims(f'"nbf": {"9" * 5000}')),
    ("some claim of it is not a number", Flaw.MALFORMED, lambda: raw_claims('"extra": NaN')),
    ("it is valid from a time before all time", Flaw.MALFORMED, lambda: saying(nbf=-1)),
    ("it is valid from later on", Flaw.EARLY, lambda: saying(nbf=NOW + 31)),
    ("it is issued in the future", Flaw.EARLY, lambda: saying(iat=NOW + 31)),
    ("it does not say when it was issued", Flaw.MALFORMED, lambda: lacking("iat")),
    ("it was issued more than a day ago", Flaw.OLD, lambda: saying(iat=NOW - 86_400 - 31)),
]
_WHOM: list[Row] = [
    ("it is for another audience", Flaw.AUDIENCE, lambda: saying(aud=f"https://other.{CANARY}.example")),
    ("its audience ends with a slash too many", Flaw.AUDIENCE, lambda: saying(aud=AUDIENCE + "/")),
    ("its audience has another letter case", Flaw.AUDIENCE, lambda: saying(aud=AUDIENCE.upper())),
    ("its audience begins as ours", Flaw.AUDIENCE, lambda: saying(aud=AUDIENCE[:-1])),
    ("its audience is ours among others", Flaw.AUDIENCE, lambda: saying(aud=[AUDIENCE, "https://other.example"])),
    ("its audience is an empty list", Flaw.AUDIENCE, lambda: saying(aud=[])),
    ("its audience is a list in a list", Flaw.AUDIENCE, lambda: saying(aud=[[AUDIENCE]])),
    ("its audience is an object", Flaw.AUDIENCE, lambda: saying(aud={AUDIENCE: AUDIENCE})),
    ("it has no audience", Flaw.AUDIENCE, lambda: lacking("aud")),
    ("it is of another issuer", Flaw.ISSUER, lambda: saying(iss=f"https://evil.{CANARY}.example")),
    ("its issuer lacks the scheme", Flaw.ISSUER, lambda: saying(iss=ISSUER.removeprefix("https://"))),
    ("its issuer ends with a slash", Flaw.ISSUER, lambda: saying(iss=ISSUER + "/")),
    ("its issuer is a list", Flaw.ISSUER, lambda: saying(iss=[ISSUER])),
    ("it has no issuer", Flaw.ISSUER, lambda: lacking("iss")),
    ("it has no subject", Flaw.MALFORMED, lambda: lacking("sub")),
    ("its subject is empty", Flaw.MALFORMED, lambda: saying(sub="")),
    ("its subject is a number", Flaw.MALFORMED, lambda: saying(sub=113774264463)),
    ("its subject holds a NUL", Flaw.MALFORMED, lambda: saying(sub=f"{CANARY}\0")),
    ("its subject has 256 letters", Flaw.MALFORMED, lambda: saying(sub="s" * 256)),
    ("its e-mail is another", Flaw.EMAIL, lambda: saying(email=f"evil-{CANARY}@project.example")),
    ("its e-mail has another letter case", Flaw.EMAIL, lambda: saying(email=EMAIL.upper())),
    ("its e-mail has a space behind", Flaw.EMAIL, lambda: saying(email=EMAIL + " ")),
    ("its e-mail is a list", Flaw.EMAIL, lambda: saying(email=[EMAIL])),
    ("it has no e-mail", Flaw.EMAIL, lambda: lacking("email")),
    ("its e-mail is not verified", Flaw.EMAIL, lambda: saying(email_verified=False)),
    ("its e-mail is verified by a text", Flaw.EMAIL, lambda: saying(email_verified="true")),
    ("its e-mail is verified by a number", Flaw.EMAIL, lambda: saying(email_verified=1)),
    ("its e-mail is verified by a list", Flaw.EMAIL, lambda: saying(email_verified=[True])),
    ("it does not say whether its e-mail is verified", Flaw.EMAIL, lambda: lacking("email_verified")),
]
_ALGORITHMS: list[Row] = [
    (f"it is signed with {word}", Flaw.ALGORITHM, lambda word=word: _unsigned(word, _SIGNATURE))
    for word in map("".join, itertools.product("nN", "oO", "nN", "eE"))
] + [
    ("HMAC with the public key as PEM", Flaw.ALGORITHM, lambda: _shared_secret(_public(serialization.Encoding.PEM))),
    ("HMAC with the public key as DER", Flaw.ALGORITHM, lambda: _shared_secret(_public(serialization.Encoding.DER))),
    ("HMAC that calls itself RS256", Flaw.SIGNATURE, lambda: _shared_secret(b"", alg="RS256")),
    ("it is signed with RS512", Flaw.ALGORITHM, lambda: KEY.token(GOOD, alg="RS512")),
    ("it is signed with RS1", Flaw.ALGORITHM, lambda: KEY.token(GOOD, alg="RS1")),
    ("it is signed on another curve", Flaw.ALGORITHM, lambda: POINT.token(GOOD, alg="ES384")),
    ("its signature is as ASN.1 writes it", Flaw.SIGNATURE, _elliptic),
    ("its signature is nothing but zeros", Flaw.SIGNATURE, lambda: _elliptic(bytes(64))),
    ("its algorithm is in small letters", Flaw.ALGORITHM, lambda: KEY.token(GOOD, alg="rs256")),
    ("its algorithm is a list", Flaw.ALGORITHM, lambda: KEY.token(GOOD, alg=["RS256"])),
    ("it names no algorithm", Flaw.ALGORITHM, lambda: KEY.token(GOOD, alg=None)),
]
MISMATCHED: list[Row] = [
    ("PS256 by a key for RS256", Flaw.ALGORITHM, lambda: IssuerKey(KEY.name, KEY.private, "PS256").token(GOOD)),
    ("ES256 by a key for RS256", Flaw.ALGORITHM, lambda: POINT.token(GOOD, kid=KEY.name)),
    ("RS256 by a key on a curve", Flaw.ALGORITHM, lambda: KEY.token(GOOD, kid=POINT.name)),
    ("EdDSA by a key on another curve", Flaw.ALGORITHM, lambda: POINT.token(GOOD, alg="EdDSA")),
]
_HEADERS: list[Row] = [
    ("it names no key", Flaw.UNNAMED_KEY, lambda: KEY.token(GOOD, kid=None)),
    ("it names a key by nothing", Flaw.UNNAMED_KEY, lambda: KEY.token(GOOD, kid="")),
    ("it names a key by a number", Flaw.UNNAMED_KEY, lambda: KEY.token(GOOD, kid=1)),
    ("it names a key by 257 letters", Flaw.UNNAMED_KEY, lambda: KEY.token(GOOD, kid="k" * 257)),
    ("it names a key that is not published", Flaw.UNKNOWN_KEY, lambda: STRANGER.token(GOOD)),
    ("it names another key than it is signed with", Flaw.SIGNATURE, lambda: KEY.token(GOOD, kid=OTHER.name)),
    ("it is signed with a stranger's key", Flaw.SIGNATURE, lambda: STRANGER.token(GOOD, kid=KEY.name)),
    ("it brings its own key", Flaw.SIGNATURE, lambda: _shared_secret(b"mine", alg="RS256", jwk=_OWN)),
    (
        "it says where its key is",
        Flaw.SIGNATURE,
        lambda: STRANGER.token(GOOD, kid=KEY.name, jku="https://evil.example"),
    ),
    ("it demands nothing by crit", Flaw.HEADER, lambda: KEY.token(GOOD, crit=[])),
    ("it demands an extension that nobody knows", Flaw.HEADER, lambda: KEY.token(GOOD, crit=["mfa"], mfa=True)),
    ("it demands what the library knows", Flaw.HEADER, lambda: KEY.token(GOOD, crit=["b64"], b64=True)),
    ("its payload is not base64", Flaw.HEADER, lambda: KEY.token(GOOD, b64=False)),
    ("it is a logout token", Flaw.HEADER, lambda: KEY.token(GOOD, typ="logout+jwt")),
    ("its type is a number", Flaw.HEADER, lambda: KEY.token(GOOD, typ=5)),
    ("its header is a list", Flaw.MALFORMED, lambda: KEY.signed(b'["alg", "kid"]', PAYLOAD)),
    ("its header is a text", Flaw.MALFORMED, lambda: KEY.signed(b'"alg"', PAYLOAD)),
    ("its header is no JSON", Flaw.MALFORMED, lambda: KEY.signed(HEADER[:-1], PAYLOAD)),
    ("its header is UTF-16", Flaw.MALFORMED, lambda: KEY.signed(HEADER.decode().encode("utf-16"), PAYLOAD)),
    ("its header has a byte order mark", Flaw.MALFORMED, lambda: KEY.signed(b"\xef\xbb\xbf" + HEADER, PAYLOAD)),
    ("its header names two algorithms", Flaw.MALFORMED, lambda: KEY.signed(b'{"alg": "none", ' + HEADER[1:], PAYLOAD)),
    ("its header is more than a kilobyte", Flaw.MALFORMED, lambda: KEY.token(GOOD, x5c=["c" * 1024])),
]
_PAYLOADS: list[Row] = [
    ("its claims name two subjects", Flaw.MALFORMED, lambda: raw_claims('"sub": "root"')),
    ("a name comes twice deep down", Flaw.MALFORMED, lambda: raw_claims('"deep": [{"a": {"b": 1, "b": 2}}]')),
    ("its claims are a list", Flaw.MALFORMED, lambda: KEY.signed(HEADER, b"[]")),
    ("its claims are null", Flaw.MALFORMED, lambda: KEY.signed(HEADER, b"null")),
    ("its claims are no JSON", Flaw.MALFORMED, lambda: KEY.signed(HEADER, CANARY.encode())),
    ("its claims are no UTF-8", Flaw.MALFORMED, lambda: KEY.signed(HEADER, b'{"iss": "\xff"}')),
    ("its claims are nested 3,000 deep", Flaw.MALFORMED, lambda: KEY.signed(HEADER, b"[" * 3000)),
    ("it holds half a surrogate pair", Flaw.MALFORMED, lambda: raw_claims('"half": "\\ud800"')),
    ("its payload was tampered with", Flaw.SIGNATURE, _tampered),
]
_SHAPES: list[Row] = [
    ("it is empty", Flaw.MALFORMED, lambda: ""),
    ("it is one word", Flaw.MALFORMED, lambda: CANARY),
    ("it is nothing but dots", Flaw.MALFORMED, lambda: ".."),
    ("it has no signature", Flaw.MALFORMED, lambda: f"{_HEAD}.{_BODY}"),
    ("its signature is empty", Flaw.MALFORMED, lambda: f"{_HEAD}.{_BODY}."),
    ("its signature is short", Flaw.SIGNATURE, lambda: TOKEN[:-4]),
    ("it has a fourth segment", Flaw.MALFORMED, lambda: f"{TOKEN}.{_SIGNATURE}"),
    ("it is encrypted, of five segments", Flaw.MALFORMED, lambda: f"{_HEAD}.{_BODY}.{_BODY}.{_BODY}.{_SIGNATURE}"),
    ("it has a line break behind", Flaw.MALFORMED, lambda: TOKEN + "\n"),
    ("it has a space inside", Flaw.MALFORMED, lambda: TOKEN.replace(".", ". ")),
    ("its payload is padded", Flaw.MALFORMED, lambda: f"{_HEAD}.{_BODY}=.{_SIGNATURE}"),
    (
        "its payload is plain base64",
        Flaw.MALFORMED,
        lambda: f"{_HEAD}.{base64.b64encode(b'???>>>').decode()}.{_SIGNATURE}",
    ),
    ("its signature is spelled in another way", Flaw.SIGNATURE, _spare_bits),
    ("it is written in wide letters", Flaw.MALFORMED, lambda: TOKEN.replace("e", "\uff45")),
    ("it has half a surrogate pair in it", Flaw.MALFORMED, lambda: TOKEN + "\ud800"),
    ("it is larger than 8 KiB", Flaw.SIZE, lambda: saying(note=CANARY * 700)),
]
FLAWED: list[Row] = [*_TIMES, *_WHOM, *_ALGORITHMS, *_HEADERS, *_PAYLOADS, *_SHAPES]
