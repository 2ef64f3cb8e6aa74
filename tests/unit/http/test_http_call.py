"""What a caller may ask for, and what is sent for it."""

from typing import Any

import pytest

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import HttpClient, HttpPolicy
from windrow.http.call import Call, call
from windrow.http.urls import checked_url


class Sealed:
    def reveal(self) -> str:
        return "canary"


async def proof(*, refused: bool = False) -> dict[str, str]:
    return {"Authorization": "Bearer x"}


def asked(method: str = "GET", url: str = "https://api.example/a?x=1", **options: Any) -> Call:
    return call(method, checked_url(url), None, HttpPolicy(), options, "gzip")  # type: ignore[arg-type]


def test_we_say_who_we_are_and_what_we_take() -> None:
    headers = asked(accept=("application/json", "text/csv"), etag='"v1"').hop.headers

    assert headers["user-agent"].startswith("windrow/")
    assert headers["accept"] == "application/json, text/csv"
    assert headers["if-none-match"] == '"v1"'
    assert headers["accept-encoding"] == "gzip"


def test_the_callers_header_takes_the_place_of_ours() -> None:
    assert asked(headers={"ACCEPT": "x/y", "User-Agent": "me"}).hop.headers["accept"] == "x/y"


def test_params_are_added_to_the_query() -> None:
    url = asked(params={"q": "a b&c", "n": 2, "ok": True, "none": None, "many": ["x", "y"]}).hop.url

    assert str(url) == "https://api.example/a?x=1&q=a+b%26c&n=2&ok=true&many=x&many=y"


@pytest.mark.parametrize(
    ("options", "body", "kind"),
    [
        ({"json": {"a": 1}}, b'{"a":1}', "application/json"),
        ({"form": {"a": "b c", "secret": Sealed()}}, b"a=b+c&secret=canary", "application/x-www-form-urlencoded"),
        ({"body": b"raw"}, b"raw", None),
    ],
)
def test_a_body_is_sent_as_what_it_is(options: dict[str, Any], body: bytes, kind: str | None) -> None:
    hop = asked("POST", **options).hop

    assert hop.body == body
    assert hop.headers.get("content-type") == kind


def test_two_bodies_are_one_too_many() -> None:
    with pytest.raises(ValidationFailure):
        asked("POST", json={}, body=b"")


@pytest.mark.parametrize("method", ["", "get", "CONNECT", "TRACE", "GET /x HTTP/1.1\r\nX: y", "GÉT"])
def test_not_every_method_is_sent(method: str) -> None:
    with pytest.raises(ValidationFailure):
        asked(method)


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "host",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Upgrade",
        "Proxy-Authorization",
        "Accept-Encoding",
        "a b",
        "a:b",
        "a\r\nb",
        "",
        "é",
    ],
)
def test_headers_that_steer_the_connection_may_not_be_set(name: str) -> None:
    with pytest.raises(ValidationFailure, match="may not be set"):
        asked(headers={name: "x"})


class Broken:
    def __init__(self, text: str) -> None:
        self.text = text

    def reveal(self) -> str:
        return self.text


@pytest.mark.parametrize("value", ["canary\n", "canary\r\nX: y", "canary\x00", " canary", "canary é", "canary\u2028"])
def test_a_value_that_no_header_can_hold_is_refused_without_being_shown(value: str) -> None:
    for given in (value, Broken(value)):
        with pytest.raises(ValidationFailure) as caught:
            asked(headers={"Authorization": given})
        assert caught.value.code is Code.INVALID
        assert "canary" not in f"{caught.value!r}{caught.value.hint}"
        assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("accept", "media_type", "right"),
    [
        ((), "text/html", True),
        (("application/json",), "application/json", True),
        (("application/json",), "application/vnd.github+json", True),
        (("application/json",), "", True),
        (("application/json",), "text/html", False),
        (("application/json",), "application/jsonp", False),
        (("video/*", "audio/*"), "audio/mpeg", True),
        (("video/*",), "videos/mp4", False),
        (("*/*",), "text/html", True),
        (("text/csv; q=0.5",), "text/csv", True),
    ],
)
def test_a_kind_of_body_is_wanted_or_not(accept: tuple[str, ...], media_type: str, right: bool) -> None:
    assert asked(accept=accept).accepts_kind(media_type) is right


def test_three_hundred_and_four_is_an_answer_only_to_an_etag() -> None:
    assert asked(etag='"v1"').accepts(304)
    assert not asked().accepts(304)
    assert asked(accept_status=(404, 410)).accepts(410)


def test_only_what_may_be_sent_twice_is() -> None:
    assert asked("GET").may_repeat(asked("GET").hop)
    assert not asked("POST").may_repeat(asked("POST").hop)
    assert asked("POST", idempotent=True).may_repeat(asked("POST").hop)


def test_credentials_need_an_origin_to_belong_to() -> None:
    with pytest.raises(Fatal, match="base_url"):
        HttpClient(auth=proof)


@pytest.mark.parametrize(
    ("url", "proven"),
    [
        ("repos", True),
        ("https://api.example:443/other", True),
        ("https://files.example/x", False),
        ("//files.example/x", False),
        ("http://api.example/x", False),
    ],
)
def test_the_clients_credentials_go_to_their_origin_only(url: str, proven: bool) -> None:
    client = HttpClient(base_url="https://api.example/v1", auth=proof)

    assert (client._call("GET", url, {}, "gzip").auth is proof) is proven


def test_an_address_is_relative_to_the_base() -> None:
    client = HttpClient(base_url="https://api.example/v1")

    assert str(client._call("GET", "repos?x=1", {}, "gzip").hop.url) == "https://api.example/v1/repos?x=1"
    assert str(client._call("GET", "/repos", {}, "gzip").hop.url) == "https://api.example/repos"
