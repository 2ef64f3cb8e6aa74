"""A source, or the author of a definition, that means no good: nothing leaks, nothing is endless, nothing is taken for granted."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.web import Web, answer
from tests.integration.connectors.rest.desk import Desk, by_query, desk, ids, read, stream, things

from windrow.contracts.errors import Code, Fatal, RateLimited, ValidationFailure

SECRET = "canary-4711-do-not-show"


def paged(**paging: Any) -> dict[str, Any]:
    return {"things": stream(records="body.data", pagination=paging)}


async def refused(at: Desk, streams: dict[str, Any], **more: Any) -> ValidationFailure:
    with pytest.raises(ValidationFailure) as raised:
        await read(at.connector(streams, **more))
    assert SECRET not in raised.value.message
    assert raised.value.hint
    return raised.value


@pytest.mark.parametrize(
    "target", ["http://{elsewhere}/x", "//{elsewhere}/x", "https://{here}/x", "http://user@{here}/x"]
)
async def test_a_next_link_to_another_origin_is_not_followed(target: str) -> None:
    async with desk(credential=SECRET) as at, Web() as elsewhere:
        link = target.format(elsewhere=elsewhere.door, here=at.web.door)
        at.web.on("/api/things", answer(200, {"data": things(1), "next": link}, {"link": f'<{link}>; rel="next"'}))

        by_body = await refused(at, paged(type="next", next="{body.next}"), auth={"type": "bearer"})

        assert "another origin" in by_body.message or "is refused" in by_body.message
        assert elsewhere.requests == []


async def test_a_link_header_to_another_origin_is_not_followed() -> None:
    async with desk(credential=SECRET) as at, Web() as elsewhere:
        link = f'<{elsewhere.url("/x")}>; rel="next"'
        at.web.on("/api/things", answer(200, {"data": things(1)}, {"link": link}))

        error = await refused(at, paged(type="link"), auth={"type": "bearer"})

        assert "another origin" in error.message
        assert elsewhere.requests == []


@pytest.mark.parametrize("auth", [{"type": "bearer"}, {"type": "header", "header": "X-Key"}, {"type": "basic"}])
async def test_a_redirect_to_another_origin_gets_no_credential_and_gives_no_records(auth: dict[str, str]) -> None:
    async with desk(credential=SECRET) as at, Web() as elsewhere:
        at.web.on("/api/things", answer(302, b"", {"location": f"http://{elsewhere.door}/x"}))
        elsewhere.on("/x", answer(200, things(1)))

        with pytest.raises(Fatal):
            await read(at.connector({"things": stream()}, auth=auth))

        assert SECRET not in repr(elsewhere.requests)


ENDLESS: dict[str, tuple[dict[str, Any], Callable[[dict[str, str]], Any]]] = {
    "the same cursor": ({"type": "cursor", "next": "{body.next}", "param": "c"}, lambda _: {"next": "again"}),
    "two in turn": (
        {"type": "cursor", "next": "{body.next}", "param": "c"},
        lambda asked: {"next": "b" if asked.get("c") == "a" else "a"},
    ),
    "a circle of seven": (
        {"type": "cursor", "next": "{body.next}", "param": "c"},
        lambda asked: {"next": str((int(asked.get("c", 0)) + 1) % 7)},
    ),
    "the same link": ({"type": "next", "next": "{body.next}"}, lambda _: {"next": "/api/things?p=2"}),
    "a page number that is ignored": ({"type": "page", "param": "p"}, lambda _: {}),
    "an offset that is ignored": ({"type": "offset", "param": "o"}, lambda _: {}),
    "always another cursor": (
        {"type": "cursor", "next": "{body.next}", "param": "c", "most": 30},
        lambda asked: {"next": int(asked.get("c", 0)) + 1},
    ),
}


@pytest.mark.parametrize("kind", ENDLESS)
async def test_a_list_without_an_end_is_an_error(kind: str) -> None:
    paging, more = ENDLESS[kind]
    async with desk() as at:
        at.web.on("/api/things", by_query(lambda asked: {"data": things(1, 2), **more(asked)}))

        error = await refused(at, paged(**paging))

        assert "never end" in error.message or "more than 30 parts" in error.message
        assert len(at.web.requests) <= 31


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "no such list"}, "body.data is not there"),
        ({"data": {"a": 1}}, "body.data is a dict"),
        ({"data": "text"}, "body.data is a str"),
        ([], "body.data is not there"),
        (b"null", "body.data is not there"),
        (b"<html>", "where application/json was due"),
        (b"{", "what is no JSON"),
    ],
)
async def test_an_answer_that_holds_no_list_is_no_empty_list(body: Any, said: str) -> None:
    async with desk() as at:
        headers = {"content-type": "text/html" if body == b"<html>" else "application/json"}
        at.web.on("/api/things", answer(200, body, headers))

        assert said in (await refused(at, paged(type="none"), deletes="listed")).message


@pytest.mark.parametrize("following", [{"a": 1}, ["x"], 1.5, True, "x" * 5000, "a\nb", "\ud800"])
async def test_a_next_cursor_that_is_none_is_refused(following: Any) -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, {"data": things(1), "next": following}))

        await refused(at, paged(type="cursor", next="{body.next}", param="c"))


@pytest.mark.parametrize("escaped", ["../../admin", "..", "a/b", "a?b#c", "%2e%2e", "é"])
async def test_what_a_record_says_leads_to_no_other_path(escaped: str) -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, [{"id": escaped, "name": "x"}]))
        below = stream(
            parent="things",
            path="things/{parent.id}/parts",
            item={"entity_type": "part", "external_id": "part:{record.id}", "display_name": "p"},
            skip=[404],
        )

        await read(at.connector({"things": stream(), "parts": below}))

        assert all(each.target.startswith("/api/things") for each in at.web.requests)
        assert not any({".", ".."} & set(each.target.split("/")) for each in at.web.requests)
        assert all(each.target.count("/") in (2, 4) for each in at.web.requests)


AUTHS: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
    "bearer": ({"type": "bearer"}, SECRET, {"authorization": f"Bearer {SECRET}"}),
    "basic": (
        {"type": "basic", "username": "ada"},
        SECRET,
        {"authorization": "Basic " + base64.b64encode(f"ada:{SECRET}".encode()).decode()},
    ),
    "header": ({"type": "header", "header": "X-Key", "prefix": "Token "}, SECRET, {"x-key": f"Token {SECRET}"}),
}


@pytest.mark.parametrize("kind", AUTHS)
async def test_the_credential_is_in_the_header_that_the_definition_names(kind: str) -> None:
    auth, secret, expected = AUTHS[kind]
    async with desk(credential=secret) as at:
        at.web.on("/api/things", answer(200, things(1)))

        await read(at.connector({"things": stream()}, auth=auth))

        assert expected.items() <= at.web.requests[0].headers.items()


async def test_a_credential_in_the_query_is_in_no_cursor_though_the_source_repeats_it() -> None:
    async with desk(credential=SECRET) as at:
        link = {"link": f'</api/things?page=2&key={SECRET}>; rel="next"'}
        at.web.on("/api/things", answer(200, things(*range(50)), link), answer(200, things(50)))
        connector = at.connector(
            {"things": stream(pagination={"type": "link"})}, auth={"type": "query", "param": "key"}
        )

        found = await read(connector)

        assert SECRET not in repr(found)
        assert [each.target for each in at.web.requests] == [
            f"/api/things?key={SECRET}",
            f"/api/things?page=2&key={SECRET}",
        ]


async def test_a_next_link_that_repeats_the_credential_elsewhere_is_refused() -> None:
    async with desk(credential=SECRET) as at:
        at.web.on("/api/things", answer(200, {"data": things(1), "next": f"/api/things?who={SECRET}"}))

        error = await refused(at, paged(type="next", next="{body.next}"), auth={"type": "bearer"})

        assert "repeats the credential" in error.message


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_refused_is_fatal_and_not_shown() -> None:
    async with desk(credential=SECRET) as at:
        at.web.on("/api/things", answer(401, {"error": f"bad token {SECRET}"}))

        with pytest.raises(Fatal) as raised:
            await read(at.connector({"things": stream()}, auth={"type": "bearer"}))

        assert raised.value.code is Code.UNAUTHORIZED
        assert SECRET not in raised.value.message


async def test_a_credential_that_is_missing_is_told_before_anything_is_asked() -> None:
    async with desk() as at:
        with pytest.raises(Fatal) as raised:
            await at.connector({"things": stream()}, auth={"type": "bearer"}).prepare()

        assert raised.value.code is Code.CREDENTIAL_MISSING
        assert at.web.requests == []


async def test_a_token_that_has_run_out_is_asked_for_again_and_goes_nowhere_else() -> None:
    async with desk(credential=f"client:{SECRET}") as at:
        at.web.on(
            "/api/token", answer(200, {"access_token": "first-token"}), answer(200, {"access_token": "second-token"})
        )
        at.web.on(
            "/api/things",
            answer(200, things(1), {"link": '<?p=2>; rel="next"'}),
            answer(401, b"expired"),
            answer(200, things(2)),
        )
        auth = {"type": "oauth2", "token_url": "token", "client_auth": "body", "scope": "read"}
        connector = at.connector({"things": stream(pagination={"type": "link"})}, auth=auth)

        assert ids(connector, await read(connector)) == ["thing:1", "thing:2"]

        asked = [(each.path, each.headers.get("authorization")) for each in at.web.requests]
        assert asked == [
            ("/api/token", None),
            ("/api/things", "Bearer first-token"),
            ("/api/things", "Bearer first-token"),
            ("/api/token", None),
            ("/api/things", "Bearer second-token"),
        ]
        form = at.web.requests[0].body.decode()
        assert form == f"grant_type=client_credentials&scope=read&client_id=client&client_secret={SECRET}"


@pytest.mark.parametrize(
    "given", [answer(400, {"error": "invalid_client"}), answer(200, {"token": "x"}), answer(200, {"access_token": 7})]
)
async def test_client_credentials_that_are_refused_are_fatal(given: bytes) -> None:
    async with desk(credential=f"client:{SECRET}") as at:
        at.web.on("/api/token", given)

        with pytest.raises(Fatal) as raised:
            await read(at.connector({"things": stream()}, auth={"type": "oauth2", "token_url": "token"}))

        assert raised.value.code is Code.UNAUTHORIZED
        assert SECRET not in raised.value.message


LIMITS = {"statuses": [403], "remaining": "X-Left", "reset": "X-Reset"}


@pytest.mark.req("HV-42")
async def test_a_limit_is_known_by_the_headers_that_the_definition_names() -> None:
    async with desk() as at:
        reset = str(int(at.now.timestamp()) + 77)
        at.web.on("/api/things", answer(403, b"slow down", {"x-left": "0", "x-reset": reset}))

        with pytest.raises(RateLimited) as limited:
            await read(at.connector({"things": stream()}, limits=LIMITS))

        assert 75 < (limited.value.retry_after or 0) <= 78


@pytest.mark.req("HV-42")
async def test_a_plain_403_is_no_limit() -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(403, b"not yours", {"x-left": "12"}))

        with pytest.raises(Fatal) as raised:
            await read(at.connector({"things": stream()}, limits=LIMITS))

        assert raised.value.code is Code.FORBIDDEN


@pytest.mark.parametrize(
    "cursor", [7, "x", {}, {"known_as": "x", "pass": -1}, {"known_as": 1}, {"stack": [{"at": 1}]}, []]
)
async def test_a_cursor_that_somebody_made_up_is_refused(cursor: Any) -> None:
    async with desk() as at:
        with pytest.raises(ValidationFailure, match="not one of the rest connector"):
            await read(at.connector({"things": stream()}), cursor)


async def test_a_cursor_with_a_link_of_somebodys_own_stays_at_the_origin() -> None:
    async with desk(credential=SECRET) as at, Web() as elsewhere:
        at.web.on("/api/things", answer(200, things(*range(60)), {"link": '<?p=2>; rel="next"'}))
        connector = at.connector({"things": stream(pagination={"type": "link"})}, auth={"type": "bearer"})
        (page,) = await read(connector, most=1)
        for target in (f"//{elsewhere.door}/x", f"http://{elsewhere.door}/x", f"@{elsewhere.door}/x"):
            page.cursor["stack"][0] |= {"next": target, "at": 0}

            with pytest.raises((ValidationFailure, Fatal)):
                await read(connector, page.cursor)

        assert elsewhere.requests == []


async def test_an_address_that_the_operator_has_not_allowed_is_not_reached(tmp_path: Path) -> None:
    async with desk() as at, Web() as private:
        private.on("/api/things", answer(200, things(1)))
        definition = {"version": 1, "base_url": private.url("/api"), "streams": {"things": stream()}}

        with pytest.raises(Fatal) as raised:
            await read(at.made({"definition": definition}, tmp_path))

        assert raised.value.code is Code.ADDRESS_REFUSED
        assert private.requests == []
