"""The API's traps: limits that are no refusals, refusals that are no limits, lists that move, links that are too old."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.fakes.github import GitHub, Repository, weather
from tests.fakes.github.server import error
from tests.integration.connectors.github.reading import Reader

from windrow.contracts.errors import Code, Fatal, RateLimited, ValidationFailure
from windrow.http import HttpUnavailable


@pytest.fixture
def tool(hub: GitHub) -> Repository:
    with hub.lock:
        made = hub.account.add("tool")
        hub.account.label(made, "bug")
        hub.account.commit(made, "the beginning", {"README.md": "read"})
        for number in range(120):
            hub.account.issue(made, f"issue {number}")
    return made


def when(path: str, answer: Callable[[], Response]) -> Callable[[Request], Response | None]:
    return lambda request: answer() if path in request.url.path else None


@pytest.mark.req("HV-42")
@pytest.mark.parametrize(
    ("status", "headers", "message", "seconds"),
    [
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "+40"}, "API rate limit exceeded", 41),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "+40"}, "API rate limit exceeded", 41),
        (403, {"retry-after": "17"}, "You have exceeded a secondary rate limit.", 17),
        (429, {"retry-after": "17"}, "slow down", 17),
        (403, {}, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", 60),
        (403, {}, "You have triggered an abuse detection mechanism.", 60),
        (429, {}, "Too many requests", 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 30}, "API rate limit exceeded", 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "+999999"}, "API rate limit exceeded", 3600),
    ],
)
async def test_a_limit_says_how_long_to_wait_by_githubs_own_clock(
    hub: GitHub, reader: Reader, tool: Repository, status: int, headers: dict[str, str], message: str, seconds: float
) -> None:
    hub.account.tick(-7200)  # its clock is not ours
    reset = headers.get("x-ratelimit-reset", "")
    if reset.startswith("+"):
        headers = headers | {"x-ratelimit-reset": str(int(hub.account.now.timestamp()) + int(reset[1:]))}
    hub.before = when("/issues", lambda: _dated(hub, error(status, message, **headers)))

    with pytest.raises(RateLimited) as told:
        await reader.run()

    assert told.value.retry_after == seconds
    assert told.value.code is Code.RATE_LIMITED
    hub.before = None
    await reader.run()
    assert reader.wrong() == {}


async def test_a_plain_403_is_a_permission_that_is_told_and_nothing_is_deleted_for_it(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.run()
    hub.refusals[r".*/issues"] = lambda: error(403, "Resource not accessible by personal access token")
    reader.ahead = timedelta(days=2)

    pages = await reader.run()

    assert pages[0].opens
    assert not pages[-1].whole
    (skipped,) = reader.heard("connector.skipped")
    assert skipped["position"] == "acme/tool issues"
    assert "Resource not accessible" in skipped["reason"]
    assert reader.wrong() == {}, "the issues stay as they were"
    hub.calm()
    with hub.lock:  # while nobody was let in, and before the watermark of the pass that was refused
        tool.issues[7].title, tool.issues[7].updated = "edited", hub.account.now
    hub.account.tick(7200)
    await reader.run()
    assert reader.wrong() == {}, "the part that was closed is caught up with"


async def test_what_changed_while_a_list_was_refused_is_caught_up_with(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        tool.issues[7].title = "edited"
        hub.account.touch(tool.issues[7])
        hub.account.tick(3600)
    hub.refusals[r".*/issues"] = lambda: error(403, "Resource not accessible by integration")
    hub.account.label(tool, "so that the pass has something to tell")
    await reader.run()
    hub.calm()
    hub.account.tick(3600)

    await reader.run()

    assert reader.wrong() == {}


async def test_a_repository_that_vanishes_meanwhile_costs_nothing_but_itself(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    other = hub.account.add("other")
    hub.account.issue(other, "the first")
    await reader.page()
    with hub.lock:
        hub.account.delete(tool)

    pages = await reader.run()

    assert not pages[-1].whole
    assert len(reader.heard("connector.skipped")) == 1, "told once, not for each of its lists"
    assert f"issue:{other.issues[1].id}" in reader.there
    await reader.run()
    await reader.run()
    assert reader.wrong() == {}


async def test_an_empty_repository_has_no_commits_and_that_is_no_fault(hub: GitHub, reader: Reader) -> None:
    empty = hub.account.add("empty")

    pages = await reader.run()

    assert pages[-1].whole
    assert 409 in {each.status for each in hub.requests}
    assert reader.heard("connector.skipped") == []
    hub.account.commit(empty, "at last", {"README.md": "read"})
    await reader.run()
    assert reader.wrong() == {}


async def test_a_repository_without_issues_is_whole_without_them(hub: GitHub, reader: Reader) -> None:
    hub.account.add("quiet", has_issues=False)

    pages = await reader.run()

    assert pages[-1].whole


async def test_a_202_is_not_taken_for_an_empty_list(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.before = when("/labels", lambda: Response("[]", 202, media_type="application/json"))

    with pytest.raises(RateLimited):
        await reader.run()

    hub.before = None
    await reader.run()
    assert reader.wrong() == {}


async def test_a_large_list_is_paged_by_its_links_alone(hub: GitHub, reader: Reader, tool: Repository) -> None:
    for number in range(300):
        hub.account.issue(tool, f"more {number}")

    await reader.run()

    assert reader.wrong() == {}
    assert 422 not in {each.status for each in hub.requests}
    assert sum("after=" in line for line in hub.asked()) == 4


@pytest.mark.parametrize("large", [True, False], ids=["cursors", "page numbers"])
async def test_a_link_that_is_too_old_begins_its_list_anew(
    hub: GitHub, reader: Reader, tool: Repository, large: bool
) -> None:
    hub.large = 100 if large else 1000
    for number in range(180):
        hub.account.issue(tool, f"more {number}")
    while "link" not in (reader.cursor or {}).get("place", {}):
        await reader.page()
    if large:
        weather.expire_cursors(hub)
    else:
        hub.large = 100  # it has grown: its pages are not counted any more

    pages = await reader.run()

    assert 422 in {each.status for each in hub.requests}
    assert pages[-1].whole
    assert reader.wrong() == {}


async def test_a_list_whose_links_never_work_is_passed_over_in_the_end(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    hub.large = 100
    hub.before = lambda request: error(422, "Invalid cursor") if "after" in request.query_params else None

    pages = await reader.run()

    assert not pages[-1].whole
    assert len(reader.heard("connector.skipped")) == 1
    assert len(pages) < 20


async def test_a_page_that_is_too_much_goes_through_in_smaller_ones(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.page()
    weather.large_pages_fail(hub)
    with pytest.raises(HttpUnavailable) as told:
        await reader.run()
    assert told.value.code is Code.UNAVAILABLE, "by this the harvest knows that it should ask for less"

    reader.size = 50
    pages = await reader.run()

    assert pages[-1].whole
    assert reader.wrong() == {}


async def test_in_the_midst_of_a_list_pages_become_smaller_without_a_gap(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    for number in range(400):
        hub.account.issue(tool, f"change {number}", pull=True)
    while "/pulls?" not in (reader.cursor or {}).get("place", {}).get("link", ""):
        await reader.page()
    reader.size = 33

    pages = await reader.run()

    assert pages[-1].whole
    assert reader.wrong() == {}


@pytest.mark.parametrize("kind", ["labels", "issues", "repositories"])
async def test_what_is_deleted_while_a_list_is_paged_hides_nothing_behind_it(
    hub: GitHub, reader: Reader, tool: Repository, kind: str
) -> None:
    hub.large = 10_000
    entities = {"labels": "label", "issues": "issue", "repositories": "repository"}
    reader.config, reader.size = {"entities": [entities[kind]]}, 50
    for number in range(70):
        hub.account.label(tool, f"label {number:03}")
        hub.account.add(f"repository-{number:03}", has_issues=False) if kind == "repositories" else None
    deleted: list[str] = []

    def deleting(request: Request) -> None:
        """Between the first page and the second, something of the first is gone: all else moves up."""
        if request.query_params.get("page") == "2" and kind in (request.url.path + " repositories") and not deleted:
            deleted.append(kind)
            if kind == "labels":
                hub.account.delete_label(tool, next(iter(tool.labels.values())))
            elif kind == "issues":
                del tool.issues[40]
            else:
                hub.account.delete(hub.account.repositories[sorted(hub.account.repositories)[3]])

    hub.before = deleting

    pages = await reader.run()

    assert deleted
    assert pages[-1].whole
    wanted = {name: each for name, each in reader.wrong(gone_too=False).items() if name.startswith(entities[kind])}
    assert wanted == {}


async def test_a_revoked_token_is_fatal_and_a_rotated_one_is_picked_up(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.page()
    hub.tokens.clear()

    with pytest.raises(Fatal) as told:
        await reader.run()

    assert told.value.code is Code.UNAUTHORIZED
    assert (hub.credential or "") not in f"{told.value} {told.value.hint} {reader.cursor} {reader.said}"
    hub.tokens["ghp_another0123456789"] = hub.account.now + timedelta(days=1)
    reader.secret = "ghp_another0123456789"
    await reader.run()
    assert reader.wrong() == {}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/repos", [{"id": "1", "name": "x", "full_name": "acme/x", "owner": {"id": 4242}}]),
        ("/repos", [{"id": 1, "name": "x", "full_name": "acme/../../user", "owner": {"id": 4242}}]),
        ("/repos", [None]),
        ("/repos", {"message": "hello"}),
        ("/commits", [{"sha": "../../../user"}]),
        ("/commits", ["text"]),
        ("/git/trees/", {"tree": [{"type": "blob", "path": 3}]}),
    ],
)
async def test_what_is_none_of_githubs_answers_is_refused_and_not_kept(
    hub: GitHub, reader: Reader, tool: Repository, path: str, body: object
) -> None:
    answer = json.dumps(body)

    def odd(request: Request) -> Response | None:
        wanted = request.url.path.endswith(path) if path != "/git/trees/" else path in request.url.path
        return Response(answer, media_type="application/json") if wanted else None

    hub.before = odd

    with pytest.raises(ValidationFailure):
        await reader.run()

    hub.before = None
    await reader.run()
    assert reader.wrong() == {}


async def test_a_list_that_goes_on_elsewhere_is_not_followed(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.headers["link"] = '<https://elsewhere.example/labels?page=2>; rel="next"'

    with pytest.raises(ValidationFailure) as told:
        await reader.run()

    assert "elsewhere.example" in told.value.message


async def test_nobody_answers_in_githubs_place(hub: GitHub, reader: Reader, tool: Repository) -> None:
    with GitHub() as impostor:
        impostor.account.add("tool")
        reader.cache.mkdir(exist_ok=True)
        hub.before = when(
            "/labels", lambda: Response("", 302, {"location": f"{impostor.base_url}/repos/acme/tool/labels"})
        )
        reader.doors = (impostor.door,)

        with pytest.raises(ValidationFailure) as told:
            await reader.run()

        assert told.value.code is Code.REFUSED
        assert all("authorization" not in each.headers for each in impostor.requests)


async def test_a_listing_without_some_organisations_is_not_whole(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.headers["x-github-sso"] = "partial-results; organizations=21955855,20582480"

    pages = await reader.run()

    assert not pages[-1].whole
    assert reader.heard("connector.skipped")


async def test_a_tree_that_is_cut_short_makes_no_listing_whole(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.account.commit(tool, "docs", {f"docs/{number:03}.md": "text" for number in range(150)})
    hub.tree_limit = 100

    pages = await reader.run()

    assert not pages[-1].whole
    hub.tree_limit = 1000
    reader.ahead = timedelta(days=2)
    await reader.run()
    assert reader.wrong() == {}


async def test_an_owner_that_is_not_there_is_told_so(hub: GitHub, reader: Reader) -> None:
    reader.config = {"owner": "nobody"}

    with pytest.raises(ValidationFailure) as told:
        await reader.run(prepared=True)

    assert told.value.code is Code.NOT_FOUND


def _dated(hub: GitHub, response: Response) -> Response:
    response.headers["date"] = hub.account.now.strftime("%a, %d %b %Y %H:%M:%S GMT")
    response.headers["content-type"] = "application/json; charset=utf-8"
    return response
