"""The catalog's pages: what changed last, what answers to words, and one item with all that is known about it."""

import html
import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import psycopg
from tests.integration.console.pages.fields import HOSTILE, connect, insert, now, plough, stays_text
from tests.integration.console.pages.fields_catalog import GONE, ROOT, change, id_of, index, item, relate
from tests.integration.console.pages.visitors import Console, Visitor

from windrow.contracts.scope import Scope


def hits(shown: str) -> list[str]:
    """The names in the list."""
    return re.findall(r'<tr data-hit>\s*<th scope="row"><a href="/catalog/[^"]+"[^>]*>([^<]+)</a>', shown)


def chips(shown: str, facet: str) -> dict[str, tuple[str, str]]:
    """Of a facet each value with its count, and where it leads."""
    row = shown.partition(f'aria-label="{facet}"')[2].partition("</nav>")[0]
    found = re.findall(r'<a href="([^"]+)"[^>]*>([^<]+) <span>([^<]*)</span>', row)
    return {value: (count, html.unescape(href)) for href, value, count in found}


async def further(visitor: Visitor, shown: str) -> str:
    (href,) = re.findall(r'<a href="([^"]+)" rel="next">', shown)
    return await visitor.see(html.unescape(href))


async def test_without_words_the_latest_changed_stand_first_and_facets_narrow_and_let_go(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown = await visitor.see("/catalog")
    assert hits(shown)[:3] == ["store_0.py", "relay_1.py", "cursor_2.py"]
    assert "of 33 items" in shown
    assert 'aria-label="Changes of the last 30 days: ' in shown
    assert 'data-live="/live/catalog"' in shown
    sources, types = chips(shown, "Source"), chips(shown, "Type")
    assert {value: count for value, (count, _) in sources.items()} == {"github": "27", "wiki": "6"}
    assert list(types) == ["file", "page", "person", "repository"]

    of_wiki = await visitor.see(sources["wiki"][1])
    assert set(hits(of_wiki)) == {
        f"How the {name} works" for name in ("store", "relay", "cursor", "lease", "outbox", "harvest")
    }
    assert list(chips(of_wiki, "Type")) == ["page"]
    assert chips(of_wiki, "Source")["wiki"][1] == "/catalog"
    assert chips(of_wiki, "Source")["github"][1] == "/catalog?endpoint=github"

    assert hits(await visitor.see("/catalog?gone=yes")) == ["old_store.py"]
    assert hits(await visitor.see("/catalog?label=harvest")) == ["windrow"]
    assert hits(await visitor.see("/catalog?owner=otto&type=repository")) == ["windrow"]


async def test_what_changes_is_told_while_one_looks(site: Console) -> None:
    visitor = await site.visitor()
    async with visitor.client.stream("GET", "/live/catalog?type=file") as stream:
        told = (json.loads(line[6:]) async for line in stream.aiter_lines() if line.startswith("data: "))
        assert "There is no such item" in await anext(told)
        with connect(site.database.url) as connection:
            item(connection, "a new one", now())

        assert hits(await anext(told)) == ["a new one"]
        await told.aclose()


async def test_what_did_not_change_lately_is_found_by_its_filters_all_the_same(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(60):
            item(connection, f"page {number}", now() - timedelta(days=3), endpoint_id="wiki", entity_type="page")
        # more than is looked back for
        connection.execute(
            """INSERT INTO items SELECT tenant_id, gen_random_uuid(), project_id, 'github', source_system, 'file', 'f' || n, 'f' || n,
                      canonical_path, url, owners, labels, source_version, source_created_at, source_updated_at, deleted, attributes,
                      content_hash, observation, run_id, fetched_at, connector, connector_version, spec_ref, revision, first_run_id,
                      now(), now() FROM (SELECT * FROM items LIMIT 1) AS one, generate_series(1, 5001) AS n"""
        )
        index(connection)
    visitor = await site.visitor()

    first = await visitor.see("/catalog?endpoint=wiki")
    second = await further(visitor, first)

    assert "All 60 there are, the freshest first" in first
    assert set(hits(first)) | set(hits(second)) == {f"page {number}" for number in range(60)}
    assert "~5\u202f000" in chips(first, "Source")["github"][0]
    assert "Look further back" in await visitor.see("/catalog?gone=yes")


async def test_words_find_the_best_first_and_say_where(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown = await visitor.see("/catalog?q=stor")
    assert {"store_0.py", "store_8.py", "store_16.py", "How the store works"} <= set(hits(shown))
    assert "in the name" in shown
    assert "in name and path" in shown
    assert "data-live" not in shown
    assert 'value="stor"' in shown
    sources = chips(shown, "Source")
    assert (sources["wiki"][0], sources["wiki"][1]) == ("1", "/catalog?q=stor&endpoint=wiki")

    narrowed = await visitor.see(sources["wiki"][1])
    assert hits(narrowed) == ["How the store works"]
    assert "1 item found." in narrowed
    # the other source is still offered, as it is counted without the chosen one
    assert chips(narrowed, "Source")["github"][0] == sources["github"][0]


async def test_what_cannot_be_found_yet_is_said(site: Console) -> None:
    with connect(site.database.url) as connection:
        item(connection, "first", now())
        index(connection)
        item(connection, "second", now())
    visitor = await site.visitor()

    assert "1 item was written so lately that it cannot be found yet" in await visitor.see("/catalog?q=second")


async def test_long_lists_go_on_where_they_ended(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(70):
            item(connection, f"thing {number}", now() - timedelta(minutes=number))
        index(connection)
    visitor = await site.visitor()

    for path in ("/catalog", "/catalog?q=thing"):
        first = await visitor.see(path)
        second = await further(visitor, first)
        assert (len(hits(first)), len(hits(second))) == (50, 20), path
        assert set(hits(first)) | set(hits(second)) == {f"thing {number}" for number in range(70)}
        assert 'rel="next"' not in second
        assert "From the beginning" in second
        assert "data-live" not in second


async def test_where_nothing_is_the_next_step_is_said(site: Console) -> None:
    visitor = await site.visitor()
    assert "windrow sync NAME" in await visitor.see("/catalog")

    plough(site.database.url)
    nothing = await visitor.see("/catalog?q=nix+store&type=page")
    for way in ("q=nix+store", "q=nix+store&type=page&gone=yes", "q=store&type=page", "q=nix&type=page"):
        assert f'href="/catalog?{html.escape(way)}"' in nothing, way
    none_such = await visitor.see("/catalog?label=nix&endpoint=wiki")
    assert 'href="/catalog?endpoint=wiki"' in none_such
    assert 'href="/catalog?label=nix"' in none_such
    assert "There is no such item" in none_such


async def test_whatever_an_address_asks_for_is_answered(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    for asked in (
        {"q": "\0"},
        {"q": '"' * 300},
        {"endpoint": "x" * 5000, "type": "\0y"},
        {"after": "9" * 30, "q": "store"},
        {"after": "-1", "q": "store"},
        {"after": "0001-01-01T00:00:00+00:00,00000000-0000-0000-0000-000000000000,1"},
        {"after": "yesterday"},
        {"label": "\ud7ff", "gone": "maybe"},
    ):
        assert "Catalog" in await visitor.see(f"/catalog?{urlencode(asked)}"), asked
    assert "revision 13" in await visitor.see(f"/catalog/{ROOT}?before=x")
    assert "The latest" in await visitor.see(f"/catalog/{ROOT}?before=1")


async def test_an_item_shows_all_that_is_known_about_it(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown = await visitor.see(f"/catalog/{ROOT}")

    for said in (
        '<a class="button" href="https://github.example/acme/windrow" rel="noreferrer">',
        '<a href="https://windrow.example/" rel="noreferrer">',
        "<dt>default_branch.protected</dt><dd>yes",
        "<dt>license.key</dt><dd>apache-2.0",
        '<a href="/endpoints/github">github</a>',
        '<a href="/runs/github-1">github-1</a>',
        "directive.github@1",
        'href="/catalog?owner=otto"',
        "attributes.stars",
        "and 12 more",
        "repo:windrow-origin",
    ):
        assert said in re.sub(r"\s*\n\s*", "", shown), said
    drawing = shown.partition("<svg viewBox")[2].partition("</svg>")[0]
    assert len(re.findall('<a href="/catalog/[0-9a-f-]{36}">', drawing)) == 14
    assert f'href="/catalog/{id_of("user:anna")}"' in drawing
    earlier = await further(visitor, shown)
    assert ("revision 13" in earlier, "revision 1<" in earlier, "created" in earlier) == (False, True, True)


async def test_what_is_gone_says_since_when_and_why(site: Console) -> None:
    plough(site.database.url)
    with connect(site.database.url) as connection:
        insert(
            connection,
            "listings",
            project_id="main",
            endpoint_id="github",
            generation=9,
            horizon=8,
            lane="live",
            run_id="github-2",
            filters="",
            filters_since=9,
            last_seq=1,
            state="applied",
        )
        missed = item(connection, "missed", now() - timedelta(days=3))
        change(connection, missed, now(), "github-2", deleted=True, observation=8)
    visitor = await site.visitor()

    told, unlisted = await visitor.see(f"/catalog/{GONE}"), await visitor.see(f"/catalog/{missed}")

    assert "Gone since" in told
    assert 'The source said so in <a href="/runs/github-3">' in told
    assert 'not in the whole list of the source that <a href="/runs/github-2">' in unlisted


async def test_a_file_is_reached_by_a_signed_address(site: Console) -> None:
    plough(site.database.url)
    visitor, other = await site.visitor(), await site.visitor(scope=Scope("acme", "other"))
    (path,) = re.findall(rf'href="(/catalog/{ROOT}/files/[0-9a-f-]+)"', await visitor.see(f"/catalog/{ROOT}"))

    given = await visitor.client.get(path)

    assert given.status_code == 303
    assert given.headers["location"].startswith(f"{site.url}/objects/acme/")
    assert given.headers["cache-control"] == "no-store"
    assert (await other.client.get(path)).status_code == 404
    for wrong in (f"/catalog/{ROOT}/files/x", path.replace(str(ROOT), str(GONE))):
        assert (await visitor.client.get(wrong)).status_code == 404


async def test_nobody_sees_an_item_of_another_project_or_tenant(site: Console) -> None:
    plough(site.database.url)
    for scope in (Scope("acme", "other"), Scope("theirs", "main")):
        visitor = await site.visitor(scope=scope)
        assert (await visitor.client.get(f"/catalog/{ROOT}")).status_code == 404
        assert "Nothing was harvested yet" in await visitor.see("/catalog")
        assert hits(await visitor.see("/catalog?q=store")) == []
    assert (await visitor.client.get("/catalog/nothing")).status_code == 404


async def test_what_a_source_says_stays_text(site: Console) -> None:
    urls = ("javascript:alert(1)", "data:text/html,x", "//evil.example/", "java\nscript:x", HOSTILE)
    with connect(site.database.url) as connection:
        hostile = [_hostile(connection, url) for url in urls]
        relate(connection, item(connection, "other", now(), display_name=HOSTILE), "parent", HOSTILE + urls[0])
        index(connection)
    visitor = await site.visitor()

    found = f"/catalog?{urlencode({'q': 'alert', 'label': HOSTILE})}"
    for path in ("/catalog", found, *(f"/catalog/{item_id}" for item_id in hostile)):
        shown = await visitor.see(path)
        assert html.escape(HOSTILE[:25]) in shown, path
        assert stays_text(shown), path
        assert "{{7*7777777}}" in html.unescape(shown), path
        for href in re.findall(r'href="([^"]*)"', shown):
            assert re.match(r"/(?!/)|#", html.unescape(href)), href


def _hostile(connection: psycopg.Connection[Any], url: str) -> UUID:
    said = {HOSTILE: HOSTILE, "link": url, "long": HOSTILE * 50, "list": [{HOSTILE: [HOSTILE, url]}]}
    made = item(
        connection,
        HOSTILE + url,
        now() - timedelta(hours=1),
        display_name=HOSTILE,
        canonical_path=HOSTILE,
        url=url,
        owners=[HOSTILE],
        labels=[HOSTILE],
        source_version=HOSTILE,
        attributes=json.dumps(said),
        connector_version=HOSTILE,
    )
    longer = json.dumps({"long": HOSTILE * 40})
    change(connection, made, now(), HOSTILE, display_name=HOSTILE + "2", attributes=longer)
    relate(connection, made, "parent", HOSTILE + "3")
    return made
