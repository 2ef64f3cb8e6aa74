"""Everything is listed once, as it is, and nothing is asked for twice."""

from collections import Counter
from datetime import timedelta
from urllib.parse import parse_qs

import pytest
from starlette.responses import JSONResponse, Response
from tests.fakes.confluence import Confluence
from tests.fakes.confluence.people import truth
from tests.integration.connectors.confluence.reading import Reader

from windrow.contracts.errors import ValidationFailure


@pytest.mark.req("HV-4")
async def test_the_first_pass_finds_all_that_there_is(site: Confluence, reader: Reader) -> None:
    pages = await reader.harvest()

    true = truth(site)
    assert reader.held.keys() == true.keys()
    for name, expected in true.items():
        item = reader.held[name]
        found = {field: getattr(item, field) for field in expected}
        assert {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()} == expected
    assert pages[0].opens
    assert pages[-1].whole
    assert len(pages) > 5


async def test_no_request_is_made_twice(site: Confluence, reader: Reader) -> None:
    await reader.harvest()

    asked = Counter(each.line for each in site.requests)
    assert [line for line, times in asked.items() if times > 1] == []


async def test_an_item_tells_labels_ancestors_and_who_alone_may_read_it(site: Confluence, reader: Reader) -> None:
    top = site.wiki.spaces["OPS"]
    above = site.wiki.add("page", "Above", "OPS", top.home)
    page = site.wiki.add("page", "Below", "OPS", above.id)
    page.labels, page.readers, page.groups = {"b": "global", "a": "global", "mine": "my"}, ["557058:x"], ["staff"]

    await reader.harvest()

    item = reader.held[f"page:{page.id}"]
    assert item.canonical_path == "OPS/Operations Home/Above/Below"
    assert item.labels == ("a", "b")
    assert item.attributes["restrictions"] == {"read": {"users": ["557058:x"], "groups": ["staff"]}}
    assert [(each.type, each.target) for each in item.relations] == [
        ("space", f"space:{top.id}"),
        ("ancestor", f"page:{top.home}"),
        ("ancestor", f"page:{above.id}"),
        ("parent", f"page:{above.id}"),
    ]


async def test_a_reply_and_a_file_say_what_they_belong_to(site: Confluence, reader: Reader) -> None:
    page = site.wiki.add("page", "Plan", "OPS", site.wiki.spaces["OPS"].home)
    comment = site.wiki.add("comment", "Re: Plan", "OPS", page.id)
    reply = site.wiki.add("comment", "Re: Plan", "OPS", page.id)
    reply.reply_to, reply.inline = comment.id, True
    file = site.wiki.add("attachment", "plan.png", "OPS", page.id)

    await reader.harvest()

    answered, attached = reader.held[f"comment:{reply.id}"], reader.held[f"attachment:{file.id}"]
    assert ("parent", f"comment:{comment.id}") in [(each.type, each.target) for each in answered.relations]
    assert ("of", f"page:{page.id}") in [(each.type, each.target) for each in answered.relations]
    assert (answered.attributes["location"], answered.attributes["resolution"]) == ("inline", "open")
    assert attached.canonical_path == f"{page.id}/plan.png"
    assert (attached.attributes["media_type"], attached.attributes["size"]) == ("image/png", 1024)


async def test_a_link_to_more_with_nothing_behind_it_is_the_end(site: Confluence, reader: Reader) -> None:
    while len(site.wiki.of_type("blogpost")) % 50:
        site.wiki.add("blogpost", f"Post {len(site.wiki.contents)}", "OPS")

    pages = await reader.harvest(50)

    asked = [each for each in site.requests if each.path.endswith("/blogposts")]
    assert len(asked) == len(site.wiki.of_type("blogpost")) // 50 + 1
    assert pages[-1].whole


async def test_the_size_of_a_page_is_not_changed_inside_of_a_cursor(site: Confluence, reader: Reader) -> None:
    first = reader.connector().fetch_pages(None, 50)
    page = await anext(first)
    while "pages" not in (page.cursor.get("next") or ""):
        page = await anext(first)
    await first.aclose()  # type: ignore[attr-defined]

    reader.cursor = page.cursor
    pages = await reader.harvest(200)

    sizes = {parse_qs(each.query)["limit"][0] for each in site.requests if each.path.endswith("/api/v2/pages")}
    assert sizes == {"50"}
    assert pages[-1].whole


async def test_a_link_to_another_host_is_not_followed(site: Confluence, reader: Reader) -> None:
    site.instead.append(
        lambda _: JSONResponse({"results": [], "_links": {"next": "https://evil.example/wiki/api/v2/spaces?cursor=x"}})
    )

    with pytest.raises(ValidationFailure, match="leads elsewhere"):
        await reader.harvest()


async def test_a_page_that_the_search_does_not_know_yet_is_there_all_the_same(site: Confluence, reader: Reader) -> None:
    site.wiki.lag = timedelta(hours=1)
    page = site.wiki.add("page", "Brand new", "OPS", site.wiki.spaces["OPS"].home)
    page.labels = {"howto": "global"}
    await reader.harvest()
    early = reader.held[f"page:{page.id}"]

    site.wiki.lag = timedelta(0)
    await reader.harvest()

    assert (early.display_name, early.source_version, early.labels) == ("Brand new", "1", ())
    assert reader.held[f"page:{page.id}"].labels == ("howto",)


async def test_only_the_chosen_spaces_and_kinds_are_read(site: Confluence, reader: Reader) -> None:
    reader.config = {"spaces": ["DEV", "~ada"], "entities": ["page", "comment"]}

    await reader.harvest()
    asked = [each.line for each in site.requests]

    expected = {f"{each.type}:{each.id}" for each in site.wiki.of_type("page", "comment") if each.space != "OPS"}
    assert reader.held.keys() == expected
    assert not [each.path for each in site.requests if "blogposts" in each.path]
    lists = [parse_qs(each.query)["cql"][0] for each in site.requests if "type" in each.query and "cql" in each.query]
    assert len(set(asked)) == len(asked)
    assert lists == ['type = comment and space in ("DEV", "~ada") order by created asc']


async def test_a_space_that_is_not_there_stops_the_run_and_deletes_nothing(site: Confluence, reader: Reader) -> None:
    reader.config = {"spaces": ["DEV", "GONE"]}

    with pytest.raises(ValidationFailure, match="GONE"):
        await reader.harvest()
    with pytest.raises(ValidationFailure, match="GONE"):
        await reader.connector().prepare()


async def test_a_page_of_the_web_in_place_of_the_api_is_told(site: Confluence, reader: Reader) -> None:
    site.instead.append(lambda _: Response("<html>Log in</html>", media_type="text/html"))

    with pytest.raises(ValidationFailure, match="text/html"):
        await reader.connector().prepare()
