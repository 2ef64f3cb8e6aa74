"""Redirects: followed by us, checked at every step, told to the caller."""

import pytest
from tests.fakes.web import Web, answer
from tests.integration.http.conftest import Connect

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import HttpClient, Redirect


def to(location: str, status: int = 302) -> bytes:
    return answer(status, b"moved", {"Location": location})


async def test_the_way_to_the_answer_is_told(web: Web, client: HttpClient) -> None:
    web.on("/old", to("/older", 301))
    web.on("/older", to(web.url("/new?x=1"), 308))
    web.on("/new", answer(200, b"here"))

    response = await client.get(web.url("/old"))

    assert response.text == "here"
    assert response.url == web.url("/new?x=1")
    assert response.redirects == (
        Redirect(301, web.url("/old"), web.url("/older")),
        Redirect(308, web.url("/older"), web.url("/new?x=1")),
    )
    assert web.connections == 1


async def test_a_round_ends(web: Web, client: HttpClient) -> None:
    web.on("/", to("/"))

    with pytest.raises(ValidationFailure, match="more than 5 times") as caught:
        await client.get(web.url())

    assert caught.value.code is Code.REFUSED
    assert len(web.requests) == 6


async def test_a_redirect_the_caller_accepts_is_an_answer(web: Web, client: HttpClient) -> None:
    web.on("/", to("https://files.example/signed"))

    response = await client.get(web.url(), accept_status=(302,))

    assert response.headers["location"] == "https://files.example/signed"


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "gopher://x/", "http://", "http://a:b@c/", "http://[", "http://x:99999/"]
)
async def test_a_redirect_to_what_is_no_http_address_is_refused(web: Web, client: HttpClient, location: str) -> None:
    web.on("/", to(location))

    with pytest.raises(ValidationFailure):
        await client.get(web.url())


async def test_a_redirect_without_a_location_is_an_error(web: Web, client: HttpClient) -> None:
    web.on("/", answer(302))

    with pytest.raises(ValidationFailure, match="302"):
        await client.get(web.url())


@pytest.mark.parametrize(
    ("status", "method", "body"), [(303, "GET", b""), (301, "GET", b""), (307, "POST", b"{}"), (308, "POST", b"{}")]
)
async def test_a_post_becomes_what_the_status_says(
    web: Web, client: HttpClient, status: int, method: str, body: bytes
) -> None:
    web.on("/", to("/there", status))
    web.on("/there", answer(200))

    await client.post(web.url(), json={})

    assert (web.requests[1].method, web.requests[1].body) == (method, body)
    assert ("content-type" in web.requests[1].headers) == (method == "POST")


class Sealed:
    def reveal(self) -> str:
        return "canary"


async def test_secrets_do_not_follow_to_another_origin(web: Web, connect: Connect) -> None:
    async def proof(*, refused: bool = False) -> dict[str, str]:
        return {"X-Proof": "canary"}

    async with Web() as other:
        client = connect(allow=(other.door,), base_url=web.url(), auth=proof)
        web.on("/", to("/next"))
        web.on("/next", to(other.url("/away")))
        other.on("/away", to(other.url("/further")))
        other.on("/further", answer(200))

        await client.get(
            "/", headers={"Authorization": "Bearer canary", "Cookie": "canary", "X-Mine": Sealed(), "X-Plain": "kept"}
        )

    assert "canary" in str(web.requests[1].headers)
    for request in other.requests:
        assert "canary" not in str(request)
        assert request.headers["x-plain"] == "kept"
        assert request.headers["host"] == other.door


async def test_a_redirect_to_an_inner_address_is_refused(web: Web, client: HttpClient) -> None:
    async with Web() as inner:
        inner.on("/", answer(200, b"secret"))
        web.on("/", to(inner.url()))

        with pytest.raises(Fatal, match="loopback") as caught:
            await client.get(web.url())

    assert caught.value.code is Code.ADDRESS_REFUSED
    assert inner.connections == 0
