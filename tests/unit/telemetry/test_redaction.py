"""Secrets stay out, by value, by name and by shape."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import Said

from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS, REDACTED, Redactor, secret_by_name

CANARY = "canary/S3cr3t+value=="


@pytest.mark.req("LT-3")
@pytest.mark.parametrize(
    "travelling",
    [CANARY, quote(CANARY, safe=""), base64.b64encode(CANARY.encode()).decode(), f"x{CANARY}y"],
)
def test_a_known_secret_is_blanked_in_every_form_it_travels_in(travelling: str, said: Said) -> None:
    PROCESS.know(CANARY)

    emit("library.warned", logger="x", message=f"sent {travelling} away", error=ValueError(travelling))

    assert travelling not in said.raw[0]
    assert CANARY not in said.raw[0]
    assert REDACTED in said.raw[0]


@pytest.mark.req("LT-3")
def test_a_secret_inside_an_exception_is_not_in_its_traceback(said: Said) -> None:
    PROCESS.know(CANARY)
    try:
        try:
            raise KeyError(CANARY)
        except KeyError as inner:
            raise RuntimeError(f"while using {CANARY}") from inner
    except RuntimeError as error:
        emit("library.warned", error=error, logger="x", message="y")

    assert "RuntimeError" in said.raw[0]
    assert CANARY not in said.raw[0]


@pytest.mark.req("LT-3")
@pytest.mark.parametrize(
    "name", ["password", "api_key", "apiKey", "Authorization", "refresh_token", "set-cookie", "client_secret"]
)
def test_fields_that_are_secret_by_name_are_blanked(name: str) -> None:
    assert Redactor().value({"outer": {name: "anything"}}) == {"outer": {name: REDACTED}}


def test_fingerprints_and_references_are_shown() -> None:
    assert not secret_by_name("cursor_token")
    assert not secret_by_name("credential_ref")


@pytest.mark.parametrize(
    ("text", "leak"),
    [
        ("postgresql://me:hunter22@db/x", "hunter22"),
        ("Authorization: Bearer abcdefghijkl", "abcdefghijkl"),
        ("https://x/?a=1&token=abcdef&b=2", "abcdef"),
        ("password=hunter22 host=db", "hunter22"),
        ("https://b.s3/x?X-Amz-Signature=abcdef12&x=1", "abcdef12"),
        ("https://x/?access_token=abcdef12", "abcdef12"),
        ("/root/delta(token='MzslMjM0OyUy')", "MzslMjM0OyUy"),
        ('password="hunter22" host=db', "hunter22"),
    ],
)
def test_shapes_that_carry_secrets_are_blanked(text: str, leak: str) -> None:
    assert leak not in Redactor().text(text)


@given(secret=st.text(min_size=8, max_size=40), around=st.text(max_size=20))
def test_whatever_the_secret_it_is_never_in_what_comes_out(secret: str, around: str) -> None:
    redactor = Redactor()
    redactor.know(secret)

    blanked = redactor.text(f"{around}{secret}{around}")

    # the secret may be a part of the replacement itself
    assert secret not in blanked.replace(REDACTED, "")


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_redaction_keeps_the_shape_of_what_holds_no_secret(value: object) -> None:
    redactor = Redactor()
    redactor.know("a-secret-that-is-not-there")

    def shape(inner: object) -> object:
        match inner:
            case dict():
                return len(inner)
            case list():
                return [shape(each) for each in inner]
            case _:
                return type(inner)

    if not isinstance(value, dict):
        assert shape(redactor.value(value)) == shape(value)


def test_a_secret_that_begins_with_another_one_is_blanked_whole() -> None:
    redactor = Redactor()
    for secret in ("abcdef", "abcdefghijkl"):
        redactor.know(secret)

    assert redactor.text("<abcdefghijkl>") == f"<{REDACTED}>"


def test_a_secret_with_quotes_is_blanked_inside_json() -> None:
    redactor = Redactor()
    redactor.know('pass"word\\x')

    assert "word" not in redactor.text(json.dumps({"k": 'pass"word\\x'}))


def test_of_very_many_secrets_the_latest_are_known() -> None:
    redactor = Redactor()
    for number in range(3000):
        redactor.know(f"hourly-token-{number:05}")

    assert "hourly-token-02999" not in redactor.text("a hourly-token-02999 b")
