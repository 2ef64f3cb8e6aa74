"""An answer as a value: links, JSON, excerpts."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http import Redirect, Response
from windrow.http.headers import unsecret
from windrow.http.links import links
from windrow.http.urls import checked_url

BASE = checked_url("https://api.example/v1/items?page=1")


def response(body: bytes = b"", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(200, "https://api.example/v1/items?token=canary", named, (), body)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", {}),
        ('<https://api.example/b?page=2>; rel="next"', {"next": "https://api.example/b?page=2"}),
        (
            "<?page=2>; rel=next, <?page=9>; rel=last",
            {"next": "https://api.example/v1/items?page=2", "last": "https://api.example/v1/items?page=9"},
        ),
        (
            '</a,b;c>; title="x, <y>; rel=evil"; rel="Next prev"',
            {"next": "https://api.example/a,b;c", "prev": "https://api.example/a,b;c"},
        ),
        ('</a> ; rel = "next"', {"next": "https://api.example/a"}),
        ("</a>; rel=next, </b>; rel=next", {"next": "https://api.example/a"}),
        ("</a>; rel=next; rel=prev", {"next": "https://api.example/a"}),
        ("</a>", {}),
        ("<file:///etc/passwd>; rel=next", {}),
        ("<http://user:pass@host/>; rel=next", {}),
        ("nonsense; rel=next", {}),
        ("<" * 10_000, {}),
    ],
)
def test_links_are_found_by_relation(header: str, found: dict[str, str]) -> None:
    assert links(header, BASE) == found


@settings(deadline=None)
@given(st.text(alphabet='<>;,="\\ relnxt/\t', max_size=80))
def test_no_link_header_is_a_crash(header: str) -> None:
    links(header, BASE)


def test_headers_say_what_an_answer_is() -> None:
    answer = response(etag='"abc"', content_type="Application/JSON; charset=utf-8", link="</b>; rel=next")

    assert answer.etag == '"abc"'
    assert answer.media_type == "application/json"
    assert answer.links == {"next": "https://api.example/b"}
    assert not answer.not_modified


@pytest.mark.parametrize(
    ("body", "value"), [(b'{"a": [1]}', {"a": [1]}), (b'\xef\xbb\xbf{"a": null}', {"a": None}), (b"3", 3)]
)
def test_json_is_decoded(body: bytes, value: object) -> None:
    assert response(body).json() == value


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": NaN}', b'"\xff"', b"[" * 100_000, b"\x1f\x8b", b'{"a": 1} x'])
def test_what_is_no_json_is_told_in_one_line(body: bytes) -> None:
    with pytest.raises(ValidationFailure, match="no JSON") as caught:
        response(body).json()

    assert caught.value.code is Code.INVALID_VALUE
    assert len(str(caught.value)) < 500
    assert "canary" not in str(caught.value)


def test_an_excerpt_is_short_on_one_line_and_without_secrets() -> None:
    body = b"token is s3cret-canary\r\n\x1b[31m and s3cret-canary" + b"x" * 5000
    answer = Response(500, "https://api.example/", {}, (), body, unsecret(("Bearer s3cret-canary",)))

    assert "canary" not in answer.excerpt
    assert "[redacted]" in answer.excerpt
    assert answer.excerpt.isprintable()
    assert len(answer.excerpt) <= 200


def test_a_body_of_one_endless_word_takes_no_time_to_show() -> None:
    began = time.thread_time()

    assert Response(500, "https://a.example/", {}, (), b"x" * 5_000_000).excerpt == "…"

    assert time.thread_time() - began < 1


def test_a_secret_repeated_past_what_is_read_does_not_stay_in_half() -> None:
    secret = "s3cret-" + "canary" * 30
    answer = Response(500, "https://a.example/", {}, (), f"{secret} ".encode() * 100, unsecret((secret,)))

    assert "canary" not in answer.excerpt


@pytest.mark.parametrize("padding", range(150, 220))
def test_a_secret_on_the_edge_of_an_excerpt_does_not_stay_in_half(padding: int) -> None:
    body = b"x" * padding + b"s3cret-canary-value"

    assert "s3cret" not in Response(500, "https://a.example/", {}, (), body, unsecret(("s3cret-canary-value",))).excerpt


def test_neither_body_nor_query_is_in_the_representation() -> None:
    answer = Response(200, "https://a.example/x?token=canary", {"x": "canary"}, (), b"canary")
    step = Redirect(301, "https://a.example/?token=canary", "https://b.example/?token=canary")

    assert repr(answer) == "<Response 200 https://a.example/x>"
    assert "canary" not in repr(step)
    assert step.permanent
