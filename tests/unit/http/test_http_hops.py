"""What becomes of a request at a redirect."""

import pytest

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.hops import Hop, hop, redirected
from windrow.http.urls import checked_url


class Sealed:
    def reveal(self) -> str:
        return "canary"


HEADERS = {
    "Authorization": "Bearer abc",
    "Cookie": "a=b",
    "X-Api-Key": "abc",
    "PRIVATE-TOKEN": "abc",
    "X-Custom": Sealed(),
    "X-Plain": "plain",
    "Content-Type": "application/json",
}


def a_hop(method: str = "GET", url: str = "https://api.example/a", body: bytes | None = None) -> Hop:
    return hop(method, checked_url(url), HEADERS, body)


@pytest.mark.parametrize("location", ["/b", "b", "https://api.example/b", "https://API.example:443/b"])
def test_within_the_origin_everything_goes_along(location: str) -> None:
    first = a_hop()

    following = redirected(first, 302, location)

    assert str(following.url) == "https://api.example/b"
    assert following.headers == first.headers


@pytest.mark.parametrize(
    "location", ["https://other.example/", "https://api.example:8443/", "https://sub.api.example/", "//evil.example/x"]
)
def test_secrets_stay_behind_when_the_origin_changes(location: str) -> None:
    following = redirected(a_hop(), 302, location)

    assert set(following.headers) == {"x-plain", "content-type"}


def test_secrets_do_not_come_back_with_the_origin() -> None:
    there_and_back = redirected(redirected(a_hop(), 302, "https://other.example/"), 302, "https://api.example/")

    assert "authorization" not in there_and_back.headers


async def test_a_proof_stays_behind_too() -> None:
    proven = a_hop().proving({"X-Unsuspicious": "canary"})

    following = redirected(proven, 307, "https://other.example/")

    assert proven.proven
    assert not following.proven
    assert "x-unsuspicious" not in following.headers


def test_from_http_to_https_is_another_origin() -> None:
    assert "authorization" not in redirected(a_hop(url="http://api.example/"), 301, "https://api.example/").headers


def test_from_https_to_http_is_refused() -> None:
    with pytest.raises(ValidationFailure, match="not encrypted") as caught:
        redirected(a_hop(), 301, "http://api.example/?token=canary")

    assert caught.value.code is Code.REFUSED
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "method", "following"),
    [
        (301, "GET", "GET"),
        (301, "HEAD", "HEAD"),
        (301, "POST", "GET"),
        (301, "PUT", "PUT"),
        (302, "POST", "GET"),
        (302, "DELETE", "DELETE"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (308, "PATCH", "PATCH"),
    ],
)
def test_the_method_follows_the_rules_and_the_body_follows_the_method(status: int, method: str, following: str) -> None:
    after = redirected(a_hop(method, body=b"{}"), status, "/b")

    assert after.method == following
    assert (after.body, "content-type" in after.headers) == ((b"{}", True) if following == method else (None, False))


def test_a_request_shows_none_of_its_headers() -> None:
    shown = repr(a_hop(body=b"canary"))

    assert "canary" not in shown
    assert "abc" not in shown
