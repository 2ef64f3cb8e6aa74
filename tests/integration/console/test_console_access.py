"""Who is let in, what is answered to the others, and what is said about it."""

from tests.conftest import Said, Spans
from tests.integration.console.house import House, counted

from windrow.contracts.errors import Fatal, RetryableTransient

ADDRESSES = [
    ("POST", "/v1/blobs"),
    ("GET", "/v1/blobs"),
    ("GET", "/v1/blobs/00000000-0000-0000-0000-000000000000"),
    ("POST", "/v1/blobs/00000000-0000-0000-0000-000000000000/complete"),
    ("POST", "/v1/blobs/00000000-0000-0000-0000-000000000000/download"),
    ("GET", "/v1/items/00000000-0000-0000-0000-000000000000/blobs"),
]


async def test_without_a_known_token_nobody_gets_anywhere(open_house: House, said: Said) -> None:
    for method, path in ADDRESSES:
        for header in (
            {},
            {"authorization": "Bearer wrong-token"},
            {"authorization": "Basic YTpi"},
            {"authorization": "Bearer"},
        ):
            refused = await open_house.client.request(method, path, headers=header)
            assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED"), (path, header)
            assert refused.headers["www-authenticate"] == 'Bearer realm="windrow"'
    assert len(said.events("access.refused")) == len(ADDRESSES) * 4


async def test_no_token_and_no_signature_is_in_anything_that_is_said(
    open_house: House, said: Said, spans: Spans
) -> None:
    ticket = await open_house.uploaded()
    await open_house.call("GET", "/v1/blobs", "token-nobody-knows")
    await open_house.put(ticket["upload"]["url"])
    signature = ticket["upload"]["url"].rpartition(".")[2]

    told = "\n".join(said.raw) + "\n".join(span.to_json() for span in spans.all())

    for secret in ("token-of-acme", "token-nobody-knows", signature):
        assert secret not in told


async def test_a_server_is_called_by_its_own_names_only(open_house: House, said: Said) -> None:
    port = open_house.door.rpartition(":")[2]
    for name in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        f"127.0.0.1:{port}.evil.example",
    ):
        head = open_house.head("GET", "/health", "Connection: close", host=name or " ")
        refused = await open_house.say(head)
        assert refused.status == 421, name
    for name in (f"localhost:{port}", f"LOCALHOST:{port}"):
        assert (await open_house.say(open_house.head("GET", "/health", "Connection: close", host=name))).status == 200
    assert {line["status"] for line in said.events("access.refused")} == {421}


async def test_an_old_client_without_a_host_is_refused(open_house: House) -> None:
    assert (await open_house.say(b"GET /health HTTP/1.0\r\n\r\n")).status == 421


async def test_every_answer_is_safe_to_be_shown_by_a_browser(open_house: House) -> None:
    for path in ("/health", "/nowhere", "/v1/blobs"):
        headers = (await open_house.client.get(path, headers={"origin": "https://evil.example"})).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "server" not in headers
        assert not [name for name in headers if name.startswith("access-control")]


async def test_what_is_not_there_is_a_problem_too(open_house: House) -> None:
    for method, path, status in (("GET", "/nowhere", 404), ("DELETE", "/v1/blobs", 405), ("BREW", "/health", 405)):
        refused = await open_house.call(method, path)
        told = refused.json()
        assert refused.headers["content-type"] == "application/problem+json"
        assert told["status"] == refused.status_code == status
        assert told.keys() == {"type", "title", "status", "detail", "code", "hint", "correlation_id", "request_id"}
        assert status != 405 or refused.headers["allow"]


async def test_the_cause_that_a_caller_names_is_carried_on(open_house: House, said: Said, spans: Spans) -> None:
    named = await open_house.call("GET", "/v1/blobs", headers={"x-correlation-id": "ticket-42"})
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    traced = await open_house.call("GET", "/v1/blobs", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})

    assert (named.headers["x-correlation-id"], traced.headers["x-correlation-id"]) == ("ticket-42", trace)
    assert [line["correlation_id"] for line in said.events("request.answered")] == ["ticket-42", trace]
    assert [(span.attributes or {})["correlation_id"] for span in spans.named("console.request")] == [
        "ticket-42",
        trace,
    ]


async def test_every_request_is_told_counted_and_traced_by_its_route(
    open_house: House, said: Said, spans: Spans
) -> None:
    labels = {"route": "/v1/blobs/{blob_id:uuid}", "method": "GET", "status": "200"}
    before = counted("http_server_requests_total", **labels)
    ticket = await open_house.request()
    said.raw.clear()

    answered = await open_house.call("GET", f"/v1/blobs/{ticket['blob_id']}")

    (line,) = said.events("request.answered")
    assert (line["method"], line["route"], line["status"]) == ("GET", labels["route"], 200)
    assert (line["tenant_id"], line["subject"], line["agent"]) == ("acme", "anna", "meta-api")
    assert line["request_id"] == answered.headers["x-request-id"]
    assert counted("http_server_requests_total", **labels) == before + 1
    assert (spans.named("console.request")[-1].attributes or {})["status"] == 200


async def test_a_method_that_somebody_invents_is_no_new_time_series(open_house: House) -> None:
    await open_house.client.request("BREW", "/health")

    assert counted("http_server_requests_total", method="BREW") == 0
    assert counted("http_server_requests_total", method="other") >= 1


async def test_it_is_healthy_and_ready(open_house: House, said: Said) -> None:
    assert (await open_house.client.get("/health")).json() == {"status": "ok"}
    assert (await open_house.client.get("/ready")).json() == {"status": "ready"}
    # nobody wants to read that a probe found all well
    assert said.events("request.answered") == []


async def test_without_its_database_it_lives_and_is_not_ready(open_house: House) -> None:
    await open_house.blobs.database.__aexit__()

    away = await open_house.client.get("/ready")

    assert (away.status_code, away.json()["code"]) == (503, "DATABASE_UNREACHABLE")
    assert int(away.headers["retry-after"]) > 0
    assert (await open_house.client.get("/health")).status_code == 200


async def test_what_fails_inside_is_in_the_log_and_not_in_the_answer(open_house: House, said: Said) -> None:
    words = "secret-detail in /home/somebody"
    for error, status in ((RuntimeError(words), 500), (Fatal(words), 500), (RetryableTransient(words), 503)):
        said.raw.clear()
        open_house.passport.failing = error
        failed = await open_house.call("GET", "/v1/blobs")
        (line,) = said.events("request.failed")
        assert failed.status_code == status
        assert "secret-detail" not in failed.text
        assert "secret-detail" in line["error"]
        assert failed.json()["hint"].endswith(line["request_id"])
