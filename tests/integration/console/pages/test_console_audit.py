"""The page of the audit trail: for admins, the newest first, filtered, with refusals that stand out."""

import re
from urllib.parse import quote

from tests.integration.console.pages.fields import HOSTILE, connect, stays_text
from tests.integration.console.pages.fields_audit import plough_audit
from tests.integration.console.pages.visitors import Console

from windrow.contracts.scope import Actor
from windrow.postgres import audit
from windrow.web.principal import Role


def _subjects(page: str) -> list[str]:
    found = re.findall(r'data-label="To what" class="broad">(?:<a[^>]*>)?([^<]+)<', page)
    return [subject.strip() for subject in found]


async def test_the_trail_says_who_did_what_to_which_thing_and_why(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_audit(connection)
    visitor = await site.visitor()

    shown = await visitor.see("/audit")

    assert '<a href="/endpoints/wiki">endpoints/main/wiki</a>' in shown
    assert '<a href="/quarantine?endpoint=wiki">quarantine/wiki</a>' in shown
    assert "the wiki has moved to another space" in shown
    assert "5e5e5e5e</code> → <code" in shown
    assert "new → <code" in shown
    assert "config.space" in shown
    assert re.search(r'<tr class="bad">.*?was refused.*?POST /endpoints/wiki/pause.*?is no writer', shown, re.DOTALL)
    assert shown.count('<tr class="bad">') == 1


FILTERED: dict[str, list[str]] = {
    "actor=rita": ["POST /endpoints/wiki/pause"],
    "action=access.refuse": ["POST /endpoints/wiki/pause"],
    "actor=anna&action=outbox.retry": ["lane/wiki/live"],
    "subject=endpoints/main/wiki": ["endpoints/main/wiki"] * 2,
    "subject=quarantine/*&since=hour": ["quarantine/wiki"],
    "subject=endpoints/old&since=week": [],
    "subject=endpoints/old&since=month": ["endpoints/old"],
    "subject=endpoints/old&since=nonsense": ["endpoints/old"],
    "actor=nobody": [],
    "actor=anna%00&action=outbox.retry": ["lane/wiki/live"],
}


async def test_the_trail_is_filtered_by_who_what_and_when(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_audit(connection)
        connection.execute(
            """INSERT INTO audit_log (tenant_id, at, actor, authority, action, subject)
               VALUES (current_tenant(), now() - interval '20 days', 'otto', 'test', 'schedule.pause', 'endpoints/old')"""
        )
    visitor = await site.visitor()

    assert {query: _subjects(await visitor.see(f"/audit?{query}")) for query in FILTERED} == FILTERED


async def test_the_trail_is_read_to_its_beginning_page_by_page_with_its_filters(site: Console) -> None:
    async with site.database.tenant("acme") as tx:
        for number in range(120):
            await audit.record(tx, Actor("bot" if number % 10 else "eve", "test"), "kv.put", f"things/{number:03}")
    visitor = await site.visitor()
    seen: list[str] = []
    path: str | None = "/audit?actor=bot"

    while path:
        shown = await visitor.see(path)
        assert ("data-live" in shown) == (path == "/audit?actor=bot"), "only what is newest renews itself"
        seen += _subjects(shown)
        onward = re.search(r'href="([^"]+)" rel="next"', shown)
        path = onward[1].replace("&amp;", "&") if onward else None

    assert seen == [f"things/{number:03}" for number in range(119, -1, -1) if number % 10]
    for odd in ("x", "-1", "9" * 30, "²"):
        assert "things/119" in await visitor.see(f"/audit?actor=bot&before={quote(odd)}")
    assert "things/119" in await visitor.see(f"/audit?actor=bot&before={'9' * 19}")


async def test_the_trail_is_for_admins_and_the_way_there_is_offered_to_nobody_else(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_audit(connection)
    admin, writer = await site.visitor(), await site.visitor(Role.WRITER, subject="wim")

    assert 'href="/audit"' in await admin.see("/")
    assert 'href="/audit"' not in await writer.see("/")
    for path in ("/audit", "/live/audit"):
        refused = await writer.client.get(path)
        assert (refused.status_code, "wim is no admin" in refused.text) == (403, True)
    async with site.database.tenant("acme") as tx:
        lines = await audit.history(tx, actor="wim", action="access.refuse")
    assert {line.subject for line in lines} == {"GET /audit", "GET /live/audit"}


async def test_what_anybody_has_written_into_the_trail_stays_text(site: Console) -> None:
    async with site.database.tenant("acme") as tx:
        await audit.record(
            tx,
            Actor(HOSTILE, HOSTILE),
            HOSTILE,
            f"endpoints/{HOSTILE}",
            before=1,
            after=2,
            project_id="main",
            reason=HOSTILE,
            spec_ref=HOSTILE,
            request_id=HOSTILE,
            details={HOSTILE: HOSTILE},
        )
    visitor = await site.visitor()

    for path in (
        "/audit",
        f"/audit?actor={quote(HOSTILE)}",
        f"/audit?action={quote(HOSTILE)}&subject={quote(HOSTILE)}",
    ):
        shown = await visitor.see(path)
        assert stays_text(shown), path
        assert '"{{' not in shown
