"""What comes back: values for accepted answers, our errors for the rest."""

import ssl

import pytest
from tests.conftest import Spans
from tests.fakes.web import Exchange, Web, answer
from tests.integration.http.conftest import Counted

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.http import HttpClient, HttpFailure, HttpRefused
from windrow.http.transport import system_tls

JSON = ("application/json",)


async def test_json_is_fetched(web: Web, client: HttpClient) -> None:
    web.on("/items", answer(200, [1, 2], {"Link": '</items?page=2>; rel="next"', "ETag": '"v1"'}))

    response = await client.get(web.url("/items"), params={"page": 1}, accept=JSON)

    assert response.json() == [1, 2]
    assert response.links["next"] == web.url("/items?page=2")
    assert response.etag == '"v1"'
    assert response.headers["ETAG"] == '"v1"'
    assert web.requests[0].target == "/items?page=1"
    assert web.requests[0].headers["user-agent"].startswith("windrow/")


async def test_something_is_posted(web: Web, client: HttpClient) -> None:
    web.on("/hook", answer(202))

    response = await client.post(web.url("/hook"), json={"id": 7}, headers={"X-Event": "made"})

    received = web.requests[0]
    assert response.status == 202
    assert (received.method, received.body, received.headers["x-event"]) == ("POST", b'{"id":7}', "made")


async def test_what_has_not_changed_is_not_sent_again(web: Web, client: HttpClient) -> None:
    web.on("/items", answer(304, b"", {"ETag": '"v1"'}))

    response = await client.get(web.url("/items"), etag='"v1"', accept=JSON)

    assert response.not_modified
    assert response.body == b""
    assert web.requests[0].headers["if-none-match"] == '"v1"'


async def test_a_connection_is_used_again(web: Web, client: HttpClient) -> None:
    web.on("/a", answer(200, b"x" * 100_000))
    web.on("/b", answer(404, b"nothing here"))

    for _ in range(5):
        await client.get(web.url("/a"))
        await client.get(web.url("/b"), accept_status=(404,))

    assert web.connections == 1


async def test_nothing_is_read_from_the_environment(
    web: Web, client: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    web.on("/", answer(200, b"direct"))

    assert (await client.get(web.url())).text == "direct"


def test_the_environment_does_not_choose_the_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    monkeypatch.setenv("SSLKEYLOGFILE", "/no/such/folder/keys.log")

    assert system_tls.__wrapped__().verify_mode is ssl.CERT_REQUIRED


async def test_no_cookie_is_kept(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, b"", {"Set-Cookie": "session=1; Path=/"}))

    await client.get(web.url())
    await client.get(web.url())

    assert "cookie" not in web.requests[1].headers


@pytest.mark.parametrize("status", [404, 410, 409, 422, 423])
async def test_a_status_the_caller_accepts_is_an_answer(web: Web, client: HttpClient, status: int) -> None:
    web.on("/", answer(status, {"why": "so"}))

    response = await client.get(web.url(), accept_status=(status,), accept=JSON)

    assert (response.status, response.json()) == (status, {"why": "so"})


@pytest.mark.parametrize("status", [201, 204, 206, 299])
async def test_every_success_is_an_answer(web: Web, client: HttpClient, status: int) -> None:
    web.on("/", answer(status))

    assert (await client.get(web.url(), accept=JSON)).status == status


@pytest.mark.parametrize(
    ("status", "code"), [(400, Code.REFUSED), (404, Code.NOT_FOUND), (422, Code.REFUSED), (304, Code.REFUSED)]
)
async def test_a_status_nobody_accepts_is_an_error_that_carries_it(
    web: Web, client: HttpClient, status: int, code: Code
) -> None:
    web.on("/x", answer(status, b"" if status == 304 else b'{"message": "Validation Failed"}'))

    with pytest.raises(HttpRefused) as caught:
        await client.get(web.url("/x?token=canary"))

    assert (caught.value.status, caught.value.code) == (status, code)
    assert caught.value.url == web.url("/x")
    assert "canary" not in str(caught.value)
    assert str(status) in str(caught.value)


async def test_an_error_page_of_a_hundred_megabytes_is_not_read(web: Web, client: HttpClient) -> None:
    head = b"HTTP/1.1 404 No\r\ncontent-length: 104857600\r\n\r\n"
    web.on("/", head + b"x" * 1_000_000)

    with pytest.raises(HttpFailure) as caught:
        await client.get(web.url())

    assert caught.value.status == 404
    assert len(str(caught.value)) < 400


async def test_an_error_page_without_end_is_read_no_further_than_it_explains(
    web: Web, client: HttpClient, counted: Counted
) -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 422 No\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await exchange.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")

    web.on("/", endless)

    with pytest.raises(HttpRefused):
        await client.get(web.url())
    await web.empty()

    assert counted("http_received_bytes_total") < 200_000


async def test_a_web_page_where_json_was_due_is_refused(web: Web, client: HttpClient) -> None:
    web.on("/", answer(200, b"<html><title>Sign in</title>", {"Content-Type": "text/html; charset=utf-8"}))

    with pytest.raises(ValidationFailure, match="Sign in") as caught:
        await client.get(web.url(), accept=JSON)

    assert caught.value.code is Code.CONTENT_TYPE
    assert "login" in str(caught.value.hint)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.api+json", None])
async def test_json_may_be_called_by_its_other_names(web: Web, client: HttpClient, kind: str | None) -> None:
    web.on("/", answer(200, b"{}", {"Content-Type": kind} if kind else {}))

    assert (await client.get(web.url(), accept=JSON)).json() == {}


async def test_a_head_has_no_body_whatever_it_announces(web: Web, client: HttpClient) -> None:
    web.on("/", b"HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\ncontent-encoding: gzip\r\n\r\n", answer(200, b"x"))

    head = await client.request("HEAD", web.url())
    after = await client.get(web.url())

    assert (head.body, after.body, web.connections) == (b"", b"x", 1)


async def test_a_change_of_protocol_is_not_followed(web: Web, client: HttpClient) -> None:
    web.on("/", b"HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n\x81\x05hello")

    with pytest.raises(RetryableTransient):
        await client.get(web.url())
    await web.empty()


async def test_every_call_is_counted_timed_and_traced(
    web: Web, client: HttpClient, counted: Counted, spans: Spans
) -> None:
    web.on("/good", answer(200, b"x" * 1000))
    web.on("/bad", answer(403))
    await client.get(web.url("/good?key=canary"))
    with pytest.raises(Fatal):
        await client.get(web.url("/bad"))

    assert counted("http_requests_total", outcome="ok") == 1
    assert counted("http_requests_total", outcome="FORBIDDEN") == 1
    assert counted("http_request_seconds_count") == 2
    assert counted("http_received_bytes_total") == 1000
    good = spans.named("http.request")[0].attributes
    assert (good["method"], good["status"], good["requests"], good["received_bytes"]) == ("GET", 200, 1, 1000)
    assert good["url"] == web.url("/good")
