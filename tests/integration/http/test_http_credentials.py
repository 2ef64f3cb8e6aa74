"""Proofs of who we are: asked for, renewed once, and never shown."""

import traceback

import pytest
from tests.conftest import Said, Spans
from tests.fakes.web import Exchange, Web, answer, reset
from tests.integration.http.conftest import Connect

from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.http import HttpClient, HttpForbidden

CANARY = "s3cret-canary-value"


class Sealed:
    """As the vault's secret is: it shows itself only when asked to."""

    def __init__(self, value: str = CANARY) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret()"


class Proof:
    """Credentials that were renewed by the time they are asked for again."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)
        self.asked: list[bool] = []

    async def __call__(self, *, refused: bool = False) -> dict[str, Sealed]:
        self.asked.append(refused)
        if refused and len(self.tokens) > 1:
            self.tokens.pop(0)
        return {"X-Token": Sealed(self.tokens[0])}


async def only_the_new_one(exchange: Exchange) -> None:
    known = exchange.request.headers.get("x-token") == "new"
    await exchange.send(answer(200, b"welcome") if known else answer(401))


async def test_a_refused_credential_is_read_again_once(web: Web, connect: Connect) -> None:
    proof = Proof("old", "new")
    client = connect(base_url=web.url(), auth=proof)
    web.on("/", only_the_new_one)

    assert (await client.post("/", json={})).text == "welcome"
    assert proof.asked == [False, True]
    assert [request.body for request in web.requests] == [b"{}", b"{}"]


async def test_a_credential_refused_twice_is_fatal(web: Web, connect: Connect) -> None:
    proof = Proof("old", "older")
    client = connect(base_url=web.url(), auth=proof)
    web.on("/", answer(401, b"who are you?"))

    with pytest.raises(HttpForbidden) as caught:
        await client.get("/")

    assert caught.value.code is Code.UNAUTHORIZED
    assert proof.asked == [False, True]
    assert len(web.requests) == 2


async def test_forbidden_is_not_a_matter_of_renewal(web: Web, connect: Connect) -> None:
    proof = Proof("old", "new")
    client = connect(base_url=web.url(), auth=proof)
    web.on("/", answer(403))

    with pytest.raises(Fatal) as caught:
        await client.get("/")

    assert caught.value.code is Code.FORBIDDEN
    assert proof.asked == [False]


async def test_one_request_may_prove_itself_otherwise_or_not_at_all(web: Web, connect: Connect) -> None:
    client = connect(base_url=web.url(), auth=Proof("old"))
    web.on("/", answer(200))

    await client.get("/", auth=None)
    await client.get("/", auth=Proof("mine"))

    assert [request.headers.get("x-token") for request in web.requests] == [None, "mine"]


async def test_another_origin_that_asks_who_we_are_is_not_told(web: Web, connect: Connect) -> None:
    proof = Proof("old", "new")
    async with Web() as other:
        client = connect(allow=(other.door,), base_url=web.url(), auth=proof)
        web.on("/", answer(302, b"", {"Location": other.url()}))
        other.on("/", answer(401))

        with pytest.raises(Fatal) as caught:
            await client.get("/")

    assert "another origin" in str(caught.value.hint)
    assert proof.asked == [False]
    assert "x-token" not in other.requests[0].headers


async def test_who_renews_a_credential_may_use_the_same_client(web: Web, connect: Connect) -> None:
    async def renewing(*, refused: bool = False) -> dict[str, str]:
        token = await client.post("/token", auth=None, form={"client_secret": Sealed()})
        return {"Authorization": f"Bearer {token.text}"}

    client: HttpClient = connect(base_url=web.url(), auth=renewing, policy={"per_host": 1})
    web.on("/token", answer(200, b"fresh"))
    web.on("/", answer(200))

    await client.get("/")

    assert web.requests[1].headers["authorization"] == "Bearer fresh"


async def echo(exchange: Exchange) -> None:
    """A server that says everything it was told."""
    said = f"{exchange.request.body!r} {exchange.request.headers} {exchange.request.target}".encode()
    await exchange.send(answer(400, said * 3, {"X-Echo": "1"}))


async def test_a_secret_of_the_body_is_not_echoed_either(web: Web, client: HttpClient) -> None:
    web.on("/token", echo)

    with pytest.raises(WindrowError, match="redacted") as caught:
        await client.post(web.url("/token"), form={"client_secret": Sealed()})

    assert CANARY not in str(caught.value)


@pytest.mark.req("HV-40")
@pytest.mark.parametrize("path", ["/echo", "/reset", "/moved", "/inner", "/missing", "/html"])
async def test_a_secret_appears_in_no_error_log_or_span(
    web: Web, connect: Connect, said: Said, spans: Spans, path: str
) -> None:
    async def proof(*, refused: bool = False) -> dict[str, str]:
        return {"X-Proof": CANARY}

    client = connect(base_url=web.url(), auth=proof)
    web.on("/echo", echo)
    web.on("/reset", reset)
    web.on("/moved", answer(302, b"", {"Location": f"ftp://x:{CANARY}@host/?token={CANARY}"}))
    web.on("/inner", answer(302, b"", {"Location": f"http://10.0.0.1/?token={CANARY}"}))
    web.on("/html", answer(200, f"<html>{CANARY}".encode(), {"Content-Type": "text/html"}))

    with pytest.raises(WindrowError) as caught:
        await client.post(
            path,
            params={"key": CANARY},
            headers={"X-Header": Sealed(), "Authorization": f"Basic {CANARY}"},
            form={"password": Sealed()},
            accept=("application/json",),
            idempotent=True,
        )

    assert any(CANARY in str(request.headers) for request in web.requests)
    error = caught.value
    shown = [*traceback.format_exception(error), repr(error), str(vars(error)), str(error.hint), *said.raw]
    shown += [
        f"{span.attributes} {span.status.description} {[event.attributes for event in span.events]}"
        for span in spans.named("http.request")
    ]
    assert CANARY not in "".join(shown)
