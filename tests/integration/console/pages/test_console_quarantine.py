"""The pages of quarantine: by what is wrong, one by one, tried again with today's code, and given up."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import escape
from tests.integration.console.pages.fields import HOSTILE, connect, stays_text
from tests.integration.console.pages.fields_quarantine import WIKI_GROUP, plough_quarantine, refused
from tests.integration.console.pages.visitors import Console, Visitor, console
from tests.integration.harvest import script
from tests.integration.harvest.script import Script, thing
from tests.integration.harvest.shop import open_shop, run_slice, subscriber_of
from tests.integration.harvest.test_harvest_retrying import Mended

from windrow.console import clearing
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.harvest import quarantine, retrying
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import AT_ONCE, Attempt, Verdict
from windrow.postgres import Database, audit
from windrow.web.principal import Role

NAME = [{"why": "SCHEMA", "path": "/display_name", "message": "should have at least 1"}]


async def keys(database: Database, **more: str) -> dict[str, str]:
    """The key of the group of which the latest is this endpoint's."""
    async with database.tenant("acme") as tx:
        return {
            group.example.endpoint_id: group.key
            for group in await quarantine.groups(tx, "main", limit=50, **more)  # type: ignore[arg-type]
        }


async def states(database: Database) -> dict[str, str]:
    async with database.tenant("acme") as tx:
        return {entry.external_id or "": entry.state for entry in await quarantine.listed(tx, state=None)}


async def said_after(visitor: Visitor, path: str, **fields: str) -> str:
    """What the page says once the form was sent."""
    answered = await visitor.send(path, **fields)
    assert answered.status_code == 303, (answered.status_code, answered.text[:600])
    shown = await visitor.see(answered.headers["location"])
    return " ".join(re.findall(r'role="status">([^<]*)<', shown))


async def test_refused_records_are_shown_by_what_is_wrong_with_them(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_quarantine(connection)
    visitor = await site.visitor(Role.READER)
    known = await keys(site.database)

    shown = await visitor.see("/quarantine")
    of_one = await visitor.see("/quarantine?endpoint=drive")
    group = await visitor.see(f"/quarantine/{known['wiki']}")

    assert re.findall(r'<p class="figure"><span>(\d+)</span>', shown) == ["18", "7", "2"]
    assert "<code>/relations/*/kind</code> should match" in shown
    assert re.findall(r"href=\"/quarantine/([0-9a-f]{12})\?endpoint=drive", of_one) == [known["drive"]]
    assert known["wiki"] == WIKI_GROUP, "an address that somebody has noted leads to the same group tomorrow"
    assert "/runs/wiki-1" in group
    assert "page 3 #00" in group
    assert "4 times, first" in group
    assert "Retry" not in group, "a reader may only look"
    assert "None with this fault is open any more" in await visitor.see("/quarantine/" + "0" * 12)
    for state in ("retried", "overtaken", "dropped"):
        assert f"wiki-{state:f>16}"[:4] in await visitor.see(f"/quarantine?state={state}")
    for nowhere in ("x", "0" * 11, "A" * 12, "0" * 13):
        assert (await visitor.client.get(f"/quarantine/{nowhere}")).status_code == 404


async def test_a_group_goes_on_where_a_page_ends(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(45):
            refused(
                connection, "github", f"{number:016x}", NAME, last_at="2026-01-01", external_id=f"issue-{number:02}"
            )
    (key,) = (await keys(site.database)).values()
    visitor = await site.visitor()
    path: str | None = f"/quarantine/{key}"
    seen: list[str] = []

    while path:
        shown = await visitor.see(path)
        seen += re.findall(r"<h2>(issue-\d+)</h2>", shown)
        onward = re.search(r'href="([^"]+)" rel="next"', shown)
        path = onward[1].replace("&amp;", "&") if onward else None

    assert seen == [f"issue-{number:02}" for number in range(45)]
    for odd in (
        "x",
        "2026-01-01 github a",
        "9999999-01-01T00:00:00+00:00 github a",
        "2026-01-01T00:00:00+00:00 github \0",
        "9999-12-31T23:59:59-14:00 github a",
    ):
        assert "issue-00" in await visitor.see(f"/quarantine/{key}?after={quote(odd)}")
    assert "There are no older ones" in await visitor.see(f"/quarantine/{key}?after=0001-01-01T00:00:00%2B14:00 a a")


async def test_records_are_tried_again_by_todays_connector_one_or_all_of_a_group(
    database: Database, tmp_path: Path
) -> None:
    endpoint = await open_shop(database)
    # today's connector knows colours, but a colour must still be a word
    records = [thing(name, colour="red") for name in "ab"] + [thing("d", colour=5)]
    await run_slice(database, Script.of(script.Said(records)), endpoint)
    (key,) = (await keys(database)).values()

    async def retry(
        _: Scope, name: str, entries: Sequence[Quarantined], actor: Actor, reason: str | None, *__: object
    ) -> list[Attempt]:
        assert name == "shop"
        done = await retrying.retry(database, Mended(Script(), "retry"), endpoint, entries, actor=actor, reason=reason)
        if done.lane:
            await subscriber_of(database).drain(done.lane)
            await retrying.finish(database, done)
        return done.attempts

    async with console(database, tmp_path, retry=retry) as site:
        visitor = await site.visitor(Role.WRITER)
        page = await visitor.see(f"/quarantine/{key}?endpoint=shop")
        (one,) = re.findall(r'action="(/quarantine/[^"]+/retry[^"]*)"><input[^>]*><button aria-label="Retry a"', page)
        first = await said_after(visitor, one)
        rest = await said_after(visitor, f"/quarantine/{key}/retry?endpoint=shop")
        again = await said_after(visitor, f"/quarantine/{key}/retry")

    assert "It passes today, and is published" in first
    assert rest.startswith("It passes today")
    assert "It was refused again, and stays with the reasons of today" in rest
    assert again == "Nothing was left to be done: somebody was quicker.", "the last one is in another group by now"
    assert await states(database) == {"a": "retried", "b": "retried", "d": "open"}


async def test_a_large_group_is_tried_some_at_a_time_and_nothing_twice(database: Database, tmp_path: Path) -> None:
    most = clearing.MOST
    with connect(database.url) as connection:
        for number in range(most + 30):
            name = "gone" if number < 20 else "github"
            refused(connection, name, f"{number:016x}", NAME, last_at="2026-01-01")
    (key,) = (await keys(database)).values()
    tried: list[str] = []

    async def retry(_: Scope, name: str, entries: Sequence[Quarantined], *__: object) -> list[Attempt]:
        if name == "gone":
            raise ValidationFailure("there is no endpoint 'gone'", code=Code.NOT_FOUND)
        assert len(entries) <= AT_ONCE
        assert all(entry.record for entry in entries)
        tried.extend(entry.id for entry in entries)
        return [Attempt(entry, Verdict.REFUSED) for entry in entries]

    async with console(database, tmp_path, retry=retry) as site:
        visitor = await site.visitor(Role.WRITER)
        answered = await visitor.send(f"/quarantine/{key}/retry")
        shown = await visitor.see(answered.headers["location"])
        action = re.search(r'action="(/quarantine/[0-9a-f]{12}/retry\?after=[^"]+)"', shown)
        assert action
        rest = await said_after(visitor, action[1].replace("&amp;", "&"))
        alone = await visitor.send(f"/quarantine/{key}/retry?endpoint=gone")

    assert "30 are left that were not tried yet" in shown
    assert "Retry from here on" in shown
    assert f"{most} were refused again" in shown
    assert rest.startswith("10 were refused again")
    assert "20 could not be tried: their endpoints are gone" in rest
    assert (alone.status_code, "there is no endpoint &#39;gone&#39;" in alone.text) == (404, True)
    assert len(tried) == len(set(tried))


async def test_records_are_given_up_with_a_reason_one_or_all_as_they_were_seen(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(4):
            refused(connection, "github", f"{number:016x}", NAME, last_at=f"2026-01-0{number + 1}")
    (key,) = (await keys(site.database)).values()
    visitor = await site.visitor(Role.WRITER)
    one = f"/quarantine/{key}/github/{1:016x}/dismiss"

    silent = await visitor.send(one, reason=" ")
    first = await said_after(visitor, one, reason="a draft")
    twice = await said_after(visitor, one, reason="a draft")
    page = await visitor.see(f"/quarantine/{key}")
    until = re.search(r'name="until" value="([^"]+)"', page)
    assert until
    with connect(site.database.url) as connection:
        refused(connection, "github", "f" * 16, NAME, last_at="2026-02-01")
    all_of_them = await said_after(visitor, f"/quarantine/{key}/dismiss", reason="drafts", until=until[1])

    assert (silent.status_code, "no reason was given" in silent.text) == (422, True)
    assert re.search(rf'id="github-{1:016x}".*?<details class="act" open', silent.text, re.DOTALL)
    assert first.startswith("It is dismissed. Nobody can take that back by hand")
    assert twice.startswith("It was dealt with")
    assert all_of_them.startswith("3 are dismissed.")
    assert "One stays: it came after you had looked" in all_of_them
    assert sorted((await states(site.database)).values()) == ["dropped"] * 4 + ["open"]
    async with site.database.tenant("acme") as tx:
        trail = await audit.history(tx, subject="quarantine/github")
    assert [(line.actor, line.action, line.reason) for line in trail] == [
        ("anna", "quarantine.drop", "drafts"),
        ("anna", "quarantine.drop", "a draft"),
    ]
    for until_when in ("", "yesterday", "2026-01-01"):
        answered = await visitor.send(f"/quarantine/{key}/dismiss", reason="x", until=until_when)
        assert (answered.status_code, "does not say when" in answered.text) == (422, True)


async def test_what_a_source_says_in_a_refused_record_stays_text(site: Console) -> None:
    reasons = [{"why": HOSTILE, "path": f"/{HOSTILE}", "message": HOSTILE}] * 2
    with connect(site.database.url) as connection:
        written = dict.fromkeys(("run_id", "position", "external_id", "excerpt"), HOSTILE)
        refused(connection, "github", "a" * 16, [*reasons, {"why": "SCHEMA", "path": "", "message": "x"}], **written)
        refused(connection, "github", "b" * 16, [], record=None, excerpt=f'{{"a": "{escape(HOSTILE)}"}}')
    visitor = await site.visitor()

    for path in ("/quarantine", *(f"/quarantine/{key}" for key in await _every_key(site.database))):
        shown = await visitor.see(path)
        assert stays_text(shown), path


async def _every_key(database: Database) -> list[str]:
    async with database.tenant("acme") as tx:
        return [group.key for group in await quarantine.groups(tx, "main", limit=50)]


async def test_nobody_acts_upon_what_is_not_his(site: Console) -> None:
    with connect(site.database.url) as connection:
        refused(connection, "github", "a" * 16, NAME)
    (key,) = (await keys(site.database)).values()
    reader, stranger = await site.visitor(Role.READER), await site.visitor(scope=Scope("other", "main"))
    forms = [f"/quarantine/{key}/{act}" for act in ("retry", "dismiss")]
    forms += [f"/quarantine/{key}/github/{'a' * 16}/{act}" for act in ("retry", "dismiss")]

    for form in forms:
        assert (await reader.send(form, reason="x")).status_code == 403
    for form in forms[2:]:
        assert (await stranger.send(form, reason="x")).status_code == 404
    assert "dismissed" not in await said_after(stranger, forms[1], reason="x", until="2099-01-01T00:00:00+00:00")
    assert set((await states(site.database)).values()) == {"open"}


async def test_half_a_character_in_a_record_hides_no_page(site: Console) -> None:
    with connect(site.database.url) as connection:
        refused(connection, "github", "f" * 16, NAME, excerpt='{"title": "half a smile \\ud83d"}')
    ((_, key),) = (await keys(site.database)).items()

    shown = await (await site.visitor()).see(f"/quarantine/{key}")

    assert "half a smile ?" in shown
