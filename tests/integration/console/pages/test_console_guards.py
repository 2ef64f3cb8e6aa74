"""What a page of another site, a reader, or a source that writes script can do: nothing."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from tests.integration.console.pages.fields import HOSTILE, connect, endpoint, insert, plough, run, stays_text
from tests.integration.console.pages.visitors import Console, Visitor, console

from windrow.console.session import SessionLimits
from windrow.contracts.scope import Scope
from windrow.postgres import Database, audit
from windrow.web.pace import PaceLimits
from windrow.web.principal import Role

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
FORMS = (
    "/endpoints/github/pause",
    "/endpoints/github/resume",
    "/endpoints/github/reschedule",
    "/endpoints/github/trigger",
    "/quarantine/d4601166fef4/retry",
    "/quarantine/d4601166fef4/dismiss",
    "/quarantine/d4601166fef4/wiki/0000000000000001/retry",
    "/quarantine/d4601166fef4/wiki/0000000000000001/dismiss",
    "/jobs",
    "/jobs/01980000-0000-7000-8000-000000000001/cancel",
    "/jobs/01980000-0000-7000-8000-000000000003/retry",
    "/media",
    "/media/waiting/cancel",
    "/media/raking/retry",
    "/you/theme",
    "/you/look-at",
    "/logout",
)
# addresses that claim something was done, and a word by which the page would say so
CLAIMS = {
    "/endpoints/github?did=pause": "Paused. Nothing begins",
    "/jobs/01980000-0000-7000-8000-000000000001?did=stopping": "Its worker is asked to stop",
    "/kv?did=deleted": "Deleted. Its next version",
    "/media/waiting?did=cancel": "may have it begun anew",
    "/quarantine/d4601166fef4?did=dismissed:3": "3 are dismissed",
    "/queues?did=discard": "was set aside for good",
    "/queues/dead-letters?did=discard": "Given up for good",
}


async def test_every_page_has_the_strict_policy_and_nothing_inline(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor(anywhere=True)
    assert (await site.stranger().get("/login")).headers["content-security-policy"] == POLICY
    for path in ("/", "/endpoints", "/endpoints/github", "/runs", "/runs/github-0", "/you", "/endpoints/no"):
        answered = await visitor.client.get(path)
        assert answered.headers["content-security-policy"] == POLICY, path
        assert answered.headers["cache-control"] == "no-store"
        for inline in ("<style", "style=", "onclick", "onerror", "javascript:"):
            assert inline not in answered.text, (path, inline)
        assert answered.text.count("<script") == answered.text.count('<script type="module" src="/static/') == 1


async def test_a_form_that_no_page_of_the_session_has_sent_is_refused(site: Console) -> None:
    plough(site.database.url)
    visitor, other = await site.visitor(anywhere=True), await site.visitor(subject="otto")
    right = {"form_token": await visitor.form_token(), "reason": "x"}
    wrong = ("", "0" * 64, await other.form_token(), "\u00e4")
    async with site.database.tenant("acme") as tx:
        before = await audit.history(tx, limit=1000)
    for path in FORMS:
        for token in wrong:
            assert (await visitor.send(path, form_token=token, reason="x")).status_code == 403, (path, token)
        for elsewhere in ("cross-site", "same-site"):
            answered = await visitor.client.post(path, data=right, headers={"sec-fetch-site": elsewhere})
            assert answered.status_code == 403, (path, elsewhere)
        assert (await visitor.client.post(path, json=right)).status_code == 415, path
    await visitor.see("/")  # still logged in, and nothing has happened
    async with site.database.tenant("acme") as tx:
        assert await audit.history(tx, limit=1000) == before


async def test_a_word_about_what_was_done_is_believed_only_where_our_own_page_led_there(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    async def believed(path: str, came: str | None) -> bool:
        headers = {"sec-fetch-site": came} if came else {}
        return CLAIMS[path] in (await visitor.client.get(path, headers=headers)).text

    for path in CLAIMS:
        assert [await believed(path, came) for came in ("same-origin", "cross-site")] == [True, False], path
    path = next(iter(CLAIMS))
    # a browser that is too old to say where it came from is not one that was led here from elsewhere
    assert [await believed(path, came) for came in ("same-site", "none", None)] == [False, False, True]


async def test_what_an_address_claims_is_said_once_and_in_no_words_of_its_own(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor()

    shown = await visitor.see(f"/endpoints/github?did=pause&did={quote(HOSTILE)}&did=Sold&did=pause&did=__class__")

    assert shown.count("Paused. Nothing begins") == 1
    assert "Sold" not in shown
    assert stays_text(shown)


async def test_a_reader_is_shown_no_controls_and_refused_with_a_line_in_the_trail(site: Console) -> None:
    plough(site.database.url)
    writer, reader = await site.visitor(Role.WRITER), await site.visitor(Role.READER, subject="rita")

    assert "Sync now" in await writer.see("/endpoints/github")
    assert "Sync now" not in await reader.see("/endpoints/github")
    refused = await reader.send("/endpoints/github/pause", reason="x")

    assert refused.status_code == 403
    assert "rita is no writer" in refused.text
    async with site.database.tenant("acme") as tx:
        (entry,) = await audit.history(tx, subject="POST /endpoints/github/pause")
    assert (entry.actor, entry.action, entry.reason) == ("rita", "access.refuse", "is no writer")


async def test_one_tenant_sees_nothing_of_another(site: Console) -> None:
    plough(site.database.url)
    visitor = await site.visitor(scope=Scope("other", "main"))

    assert "github" not in await visitor.see("/endpoints")
    assert "github" not in await visitor.see("/runs")
    for path in ("/endpoints/github", "/runs/github-0"):
        assert (await visitor.client.get(path)).status_code == 404
    assert (await visitor.send("/endpoints/github/pause", reason="x")).status_code == 404


async def test_only_the_operator_of_the_machine_looks_at_other_tenants(site: Console) -> None:
    plough(site.database.url)
    operator = await site.visitor(scope=Scope("local", "main"), anywhere=True)
    admin = await site.visitor(scope=Scope("local", "main"), subject="adam")

    assert (await admin.send("/you/look-at", tenant="acme", project="main")).status_code == 403
    assert (await operator.send("/you/look-at", tenant="acme", project="main")).status_code == 303

    assert "github" in await operator.see("/endpoints")
    assert "github" not in await admin.see("/endpoints")
    async with site.database.tenant("local") as tx:
        told = {(entry.actor, entry.action) for entry in await audit.history(tx)}
    assert {("anna", "session.look_at"), ("adam", "access.refuse")} <= told


async def test_what_sources_and_people_write_stays_text(site: Console) -> None:
    with connect(site.database.url) as connection:
        endpoint(connection, "hostile", HOSTILE)
        controls = {"paused_why": HOSTILE, "paused_by": HOSTILE, "halted_why": HOSTILE, "halted_code": "X"}
        insert(
            connection,
            "endpoint_controls",
            project_id="main",
            endpoint_id="hostile",
            paused_at="now",
            halted_at="now",
            **controls,
        )
        run(
            connection,
            "hostile",
            HOSTILE,
            timedelta(0),
            outcome="failed",
            code="X",
            message=HOSTILE,
            error_class=HOSTILE,
        )
        insert(
            connection,
            "sync_transitions",
            project_id="main",
            endpoint_id="hostile",
            workflow_id="w",
            number=1,
            state="Failed",
            failures=1,
            run_id=HOSTILE,
            reason=HOSTILE,
        )
        insert(
            connection,
            "audit_log",
            project_id="main",
            actor=HOSTILE,
            authority="x",
            action="x",
            subject="endpoints/hostile",
            reason=HOSTILE,
        )
    visitor = await site.visitor(subject=HOSTILE)

    for path in (
        "/",
        "/endpoints",
        f"/endpoints?q={quote(HOSTILE)}",
        "/endpoints/hostile",
        "/runs",
        f"/runs/{quote(HOSTILE, safe='')}",
        f"/runs?endpoint={quote(HOSTILE)}",
        "/you",
    ):
        shown = await visitor.see(path)
        assert stays_text(shown), path
        assert "{{7*7777777}}" in shown or "%7B%7B7" in shown, path


async def test_addresses_that_ask_for_too_much_are_answered_all_the_same(site: Console) -> None:
    visitor: Visitor = await site.visitor()
    for query in ("after=%00", "q=%00", "condition=%27", "after=" + "x" * 500, "did=%3Cb%3E"):
        await visitor.see(f"/endpoints?{query}")
    for query in (
        "before=x",
        "before=2026-01-01",
        "before=2026-01-01T00:00:00%2B00:00+%00",
        "outcome=%00",
        "endpoint=%00",
    ):
        await visitor.see(f"/runs?{query}")
    for path in ("/endpoints/%00", "/endpoints/..%2f..", "/runs/%00", "/runs/" + "x" * 300, "/static/..%2fsite.py"):
        assert (await visitor.client.get(path)).status_code == 404, path


async def test_a_session_may_ask_for_more_than_anybody_clicks_and_no_more(database: Database, tmp_path: Path) -> None:
    limits = SessionLimits(pace=PaceLimits(per_second=0.01, burst=3))
    async with console(database, tmp_path, sessions=limits) as site:
        hasty, patient = await site.visitor(), await site.visitor()

        answered = [await hasty.client.get("/you") for _ in range(5)]

        assert [each.status_code for each in answered] == [200, 200, 200, 429, 429]
        assert answered[-1].headers["retry-after"].isdecimal()
        assert "That was too quick" in answered[-1].text
        assert (await patient.client.get("/you")).status_code == 200
