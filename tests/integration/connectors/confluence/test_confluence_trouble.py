"""A site in trouble: nothing is lost, nothing is deleted by mistake, and nothing goes on for ever."""

import base64

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.fakes.confluence import Confluence
from tests.fakes.confluence.trouble import broken, limited
from tests.integration.connectors.confluence.reading import Reader

from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpForbidden, HttpLimited, HttpRefused, HttpUnavailable


def everything(site: Confluence) -> set[str]:
    contents = site.wiki.of_type("page", "blogpost", "comment", "attachment")
    return {f"{each.type}:{each.id}" for each in contents} | {f"space:{each.id}" for each in site.wiki.spaces.values()}


def at_request(site: Confluence, number: int, path: str, do: object) -> None:
    """Something happens before the nth request for a path."""
    seen = iter(range(number - 1))

    def before(request: Request) -> Response | None:
        if request.url.path.endswith(path) and next(seen, None) is None:
            site.before = None
            do()  # type: ignore[operator]
        return None

    site.before = before


@pytest.mark.parametrize("once", [False, True])
async def test_a_cursor_that_has_expired_begins_its_list_again(site: Confluence, reader: Reader, once: bool) -> None:
    # refused once, the same cursors are good again: a run that met one before would take them for a circle
    refusal = JSONResponse({"errors": [{"status": 400, "title": "Provided value for 'cursor' is not valid"}]}, 400)
    at_request(
        site, 3, "/api/v2/pages", (lambda: site.instead.append(lambda _: refusal)) if once else site.expire_cursors
    )

    pages = await reader.harvest()

    assert reader.held.keys() == everything(site)
    assert pages[-1].whole
    assert [page.opens for page in pages].count(True) == 1
    assert [event for event, _ in reader.said] == ["connector.restarted"]
    cursors = [repr(page.cursor) for page in pages]
    assert len(set(cursors)) == len(cursors)


async def test_a_cursor_that_expires_between_two_runs_is_no_dead_end(site: Confluence, reader: Reader) -> None:
    for _ in range(3):
        given = reader.connector().fetch_pages(reader.cursor, 50)
        page = await anext(given)
        while not page.cursor.get("next"):
            page = await anext(given)
        reader.cursor = page.cursor
        await given.aclose()  # type: ignore[attr-defined]
        site.expire_cursors()

    assert (await reader.harvest())[-1].whole


async def test_a_source_that_never_knows_its_cursors_ends_the_run(site: Confluence, reader: Reader) -> None:
    def forgets(request: Request) -> Response | None:
        if "cursor=" in request.url.query:
            site.expire_cursors()
        return None

    site.before = forgets

    with pytest.raises(HttpRefused) as refused:
        await reader.harvest()

    assert refused.value.status == 400
    assert len(site.requests) < 20


@pytest.mark.req("HV-42")
@pytest.mark.parametrize(
    ("told", "least", "most"),
    [
        ("17", 17, 17),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 600, 600),
        ("99999999999", 600, 600),
        ("-5", 0, 0),
        ("soon", None, None),
        (None, None, None),
    ],
)
async def test_a_limit_is_told_with_its_time_within_reason(
    site: Confluence, reader: Reader, told: str | None, least: float | None, most: float | None
) -> None:
    site.instead.append(limited(told))

    with pytest.raises(HttpLimited) as refused:
        await reader.harvest()

    asked = refused.value.retry_after
    assert asked is None if least is None or most is None else asked is not None and least <= asked <= most
    assert len(site.requests) == 1


async def test_a_page_that_is_too_much_is_asked_for_in_smaller_ones(site: Confluence, reader: Reader) -> None:
    site.heaviest = 30

    pages = await reader.harvest()

    assert reader.held.keys() == everything(site)
    assert pages[-1].whole
    assert not reader.said


@pytest.mark.parametrize("kind", ["page", "attachment"])
async def test_a_record_that_cannot_be_had_is_passed_over_alone_and_nothing_is_deleted_for_it(
    site: Confluence, reader: Reader, kind: str
) -> None:
    await reader.harvest()
    page = site.wiki.of_type(kind)[7]
    purged = next(each for each in site.wiki.of_type("comment") if not list(site.wiki.parts(each)))
    site.wiki.purge(purged)
    site.poison = {page.id}
    reader.config = {"relist_hours": 0}

    pages = await reader.harvest()

    assert reader.held.keys() == everything(site) | {f"comment:{purged.id}"}
    assert not any(each.whole for each in pages)
    assert [fields["position"] for event, fields in reader.said if event == "connector.skipped"] == [
        f"content {page.id}"
    ]


async def test_a_search_that_is_broken_is_not_taken_for_many_broken_records(site: Confluence, reader: Reader) -> None:
    site.poison = set(site.wiki.contents)

    with pytest.raises(HttpUnavailable):
        await reader.harvest()


async def test_a_site_that_is_away_is_told_at_once_and_nothing_is_passed_over(site: Confluence, reader: Reader) -> None:
    at_request(site, 1, "/content/search", lambda: site.instead.extend([broken(503)] * 50))

    with pytest.raises(HttpUnavailable):
        await reader.harvest()

    assert not reader.said
    # the description, and who we are; three times each, as hiccups are
    assert [each.status for each in site.requests].count(503) == 6


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_revoked_in_the_middle_is_fatal(site: Confluence, reader: Reader) -> None:
    at_request(site, 2, "/api/v2/pages", site.bearers.clear)

    with pytest.raises(HttpForbidden) as refused:
        await reader.harvest()

    assert refused.value.code is Code.UNAUTHORIZED
    assert "oauth-token" not in repr((refused.value, refused.value.hint, reader.cursor, reader.said))
    assert [each.status for each in site.requests].count(401) == 2


async def test_a_credential_that_was_rotated_is_picked_up(site: Confluence, reader: Reader) -> None:
    def rotate() -> None:
        site.bearers = {"the-next-one"}
        reader.secret = "the-next-one"

    at_request(site, 2, "/api/v2/pages", rotate)

    assert (await reader.harvest())[-1].whole


async def test_a_site_that_answers_as_to_a_stranger_is_not_an_empty_one(site: Confluence, reader: Reader) -> None:
    await reader.harvest()
    reader.secret, site.to_strangers = "revoked-token", True
    known = dict(reader.held)

    for attempt in (reader.connector().prepare(), reader.harvest()):
        with pytest.raises(Fatal) as refused:
            await attempt
        assert refused.value.code is Code.UNAUTHORIZED
    assert reader.held == known


@pytest.mark.parametrize(
    ("email", "secret"),
    [
        ("ada@example.org", "api-token-of-ada"),
        (None, "ada@example.org:api-token-of-ada"),
        (None, "oauth-token-of-ada"),
    ],
)
async def test_an_api_token_and_an_oauth_token_are_each_sent_as_they_must_be(
    site: Confluence, reader: Reader, email: str | None, secret: str
) -> None:
    reader.config, reader.secret = {"email": email} if email else {}, secret

    findings = await reader.connector().prepare()

    kind, _, value = site.requests[0].headers["authorization"].partition(" ")
    assert all(each.well for each in findings)
    assert (kind, value) == ("Bearer", secret) or base64.b64decode(value) == b"ada@example.org:api-token-of-ada"
