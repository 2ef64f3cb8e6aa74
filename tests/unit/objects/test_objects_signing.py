"""A signed URL is good for one tenant, one key, one method, and a few minutes."""

from datetime import timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.objects import Method
from windrow.objects.memory import MemoryObjects
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.telemetry import redact

OLD, NEW = (
    SigningKey("2026-01", b"old key, 32 bytes or more of it."),
    SigningKey("2026-02", b"new key, 32 bytes or more of it."),
)
KEY = "results/42/a clip+%.mp4"


class Clock:
    """Time that moves when told."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def signer(clock: Clock) -> UrlSigner:
    return UrlSigner("https://windrow.example/objects/", [OLD], clock=clock)


def token_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["token"][0]


def signed(signer: UrlSigner, method: Method = Method.GET, minutes: int = 15) -> str:
    return token_of(signer.sign("acme", KEY, method, timedelta(minutes=minutes)))


def test_the_url_says_which_object_it_is_for(signer: UrlSigner) -> None:
    url = signer.sign("acme", KEY, Method.GET, timedelta(minutes=1))

    assert url.startswith("https://windrow.example/objects/acme/results/42/")
    assert unquote(urlsplit(url).path) == f"/objects/acme/{KEY}"


@pytest.mark.parametrize("method", list(Method))
def test_it_is_accepted_for_what_it_was_given(signer: UrlSigner, method: Method) -> None:
    signer.verify(signed(signer, method), "acme", KEY, method)


@pytest.mark.parametrize(
    ("tenant", "key", "method"),
    [
        ("other", KEY, Method.GET),
        ("acme", "results/43/clip.mp4", Method.GET),
        ("acme", KEY + "x", Method.GET),
        ("acme", KEY, Method.PUT),
    ],
)
def test_it_is_refused_for_another_tenant_key_or_method(
    signer: UrlSigner, tenant: str, key: str, method: Method
) -> None:
    token = signed(signer)

    with pytest.raises(Fatal, match="was not given for this") as raised:
        signer.verify(token, tenant, key, method)

    assert raised.value.code is Code.FORBIDDEN


def test_it_is_refused_once_it_has_expired(signer: UrlSigner, clock: Clock) -> None:
    token = signed(signer, minutes=5)

    clock.now += 5 * 60 - 1
    signer.verify(token, "acme", KEY, Method.GET)
    clock.now += 1
    with pytest.raises(Fatal, match="has expired"):
        signer.verify(token, "acme", KEY, Method.GET)


def test_one_from_the_future_is_refused(signer: UrlSigner, clock: Clock) -> None:
    token = signed(signer)

    clock.now -= 60
    with pytest.raises(Fatal):
        signer.verify(token, "acme", KEY, Method.GET)


def test_a_later_expiry_cannot_be_written_into_it(signer: UrlSigner) -> None:
    name, expires, mac = signed(signer, minutes=1).split(".")

    with pytest.raises(Fatal, match="was not given for this"):
        signer.verify(f"{name}.{int(expires) + 60}.{mac}", "acme", KEY, Method.GET)


def test_one_that_bounds_what_is_written_says_how_much(signer: UrlSigner) -> None:
    token = token_of(signer.sign("acme", KEY, Method.PUT, timedelta(minutes=1), 1_000))

    assert signer.verify(token, "acme", KEY, Method.PUT) == 1_000
    assert signer.verify(signed(signer, Method.PUT), "acme", KEY, Method.PUT) is None


def test_no_other_bound_can_be_written_into_it(signer: UrlSigner) -> None:
    name, expires, most, mac = token_of(signer.sign("acme", KEY, Method.PUT, timedelta(minutes=1), 1_000)).split(".")

    for altered in (
        f"{name}.{expires}.{int(most) + 1}.{mac}",
        f"{name}.{expires}.{mac}",
        f"{name}.{expires}.0{most}.{mac}",
    ):
        with pytest.raises(Fatal, match="was not given for this"):
            signer.verify(altered, "acme", KEY, Method.PUT)


@given(st.integers(0, 70), st.sampled_from("abcXYZ019-_."))
def test_no_altered_token_is_accepted(position: int, character: str) -> None:
    signer = UrlSigner("https://windrow.example", [OLD], clock=Clock())
    token = signed(signer)
    altered = token[: position % len(token)] + character + token[position % len(token) + 1 :]
    if altered == token:
        return

    with pytest.raises(Fatal):
        signer.verify(altered, "acme", KEY, Method.GET)


@pytest.mark.parametrize("token", ["", "x", "2026-01.1.x", "é" * 60, "a.b.c", "unknown.1800000000." + "A" * 43])
def test_what_is_no_token_is_refused(signer: UrlSigner, token: str) -> None:
    with pytest.raises(Fatal, match="not one of ours"):
        signer.verify(token, "acme", KEY, Method.GET)


def test_keys_rotate_without_breaking_urls_under_way(signer: UrlSigner, clock: Clock) -> None:
    before = signed(signer)
    rotating = UrlSigner("https://windrow.example/objects", [NEW, OLD], clock=clock)

    rotating.verify(before, "acme", KEY, Method.GET)
    assert signed(rotating).startswith("2026-02.")
    with pytest.raises(Fatal, match="not one of ours"):
        UrlSigner("https://windrow.example/objects", [NEW], clock=clock).verify(before, "acme", KEY, Method.GET)


def test_the_same_id_with_another_key_signs_differently(signer: UrlSigner, clock: Clock) -> None:
    forger = UrlSigner("https://windrow.example/objects", [SigningKey(OLD.id, NEW.key)], clock=clock)

    with pytest.raises(Fatal):
        signer.verify(signed(forger), "acme", KEY, Method.GET)


@pytest.mark.parametrize(("name", "key"), [("", b"x" * 32), ("a.b", b"x" * 32), ("a", b"short")])
def test_a_key_that_protects_nothing_is_refused(name: str, key: bytes) -> None:
    with pytest.raises(Fatal) as raised:
        SigningKey(name, key)

    assert raised.value.code is Code.CONFIGURATION


def test_a_key_does_not_show_itself() -> None:
    assert "old key" not in repr(OLD)


@pytest.mark.parametrize("key", ["../other/a", "a\nb", "/a"])
def test_a_malformed_key_is_refused_before_anything_is_compared(signer: UrlSigner, key: str) -> None:
    with pytest.raises(ValidationFailure):
        signer.verify(signed(signer), "acme", key, Method.GET)


@pytest.mark.req("LT-3")
def test_a_signed_url_is_useless_in_a_log(signer: UrlSigner) -> None:
    url = signer.sign("acme", KEY, Method.GET, timedelta(minutes=1))

    assert token_of(url) not in redact(f"fetching {url} now")


async def test_a_store_without_a_signer_says_so() -> None:
    with pytest.raises(Fatal) as raised:
        await MemoryObjects().for_tenant("acme").signed_url("a")

    assert raised.value.code is Code.CONFIGURATION
