"""Endpoints by hand: added after a test, edited over what was seen, sampled, removed and brought back; each in the trail."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape
from tests.integration.console.pages.fields import HOSTILE, connect, insert, stays_text
from tests.integration.console.pages.visitors import Console, console

from windrow import endpoints, kv
from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints.trying import tried
from windrow.console.trial import Finding, Trial
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.harvest.cursors import Cursors
from windrow.harvest.preview import Bounds, Ended, Preview, Refusal
from windrow.orchestration import controls
from windrow.outbox.lane import Lane
from windrow.postgres import Database, audit
from windrow.web.principal import Role

ACME = Scope("acme", "main")
WIKI = {"name": "wiki", "config.path": "/srv/wiki", "schedule": "@daily"}


class Sources:
    """The sources of these tests: what they are asked, and what they answer."""

    def __init__(self) -> None:
        self.tried: list[Endpoint] = []
        self.trial = Trial(well=True, findings=[Finding(name="source", well=True, detail="can be read")])
        self.sample: Preview | Exception = Preview()

    async def attempt(self, endpoint: Endpoint, shown: int) -> Trial:
        assert shown > 0
        self.tried.append(endpoint)
        return self.trial

    async def preview(self, endpoint: Endpoint, bounds: Bounds) -> Preview:
        assert (endpoint.endpoint_id, bounds.rows) == ("wiki", 20)
        if isinstance(self.sample, Exception):
            raise self.sample
        return self.sample


@pytest.fixture
def sources() -> Sources:
    return Sources()


@pytest.fixture
async def site(database: Database, tmp_path: Path, sources: Sources) -> AsyncIterator[Console]:
    async with console(database, tmp_path, attempt=sources.attempt, preview=sources.preview) as opened:
        yield opened


async def stored(database: Database, name: str = "wiki") -> Endpoint | None:
    async with database.tenant("acme") as tx:
        return await endpoints.find(tx, ACME, name, removed=True)


async def trail(database: Database) -> list[str]:
    async with database.tenant("acme") as tx:
        found = [f"{line.actor} {line.action} {line.reason or ''}".strip() for line in await audit.history(tx)]
    return [line for line in found[::-1] if "session" not in line]


def between(text: str, before: str, after: str) -> str:
    return text.partition(before)[2].partition(after)[0]


async def test_a_source_is_tested_and_then_saved(site: Console, sources: Sources) -> None:
    visitor = await site.visitor(Role.WRITER)
    filled = WIKI | {"time_zone": "Europe/Berlin"}

    tested = await visitor.send("/add/files", **filled, do="test")
    nothing = await stored(site.database), await trail(site.database)
    mark = between(tested.text, 'name="tested" value="', '"')
    saved = await visitor.send("/add/files", **filled, do="save", tested=mark)

    assert (tested.status_code, nothing) == (200, (None, []))
    assert "It can be read" in tested.text
    assert 'value="/srv/wiki"' in tested.text
    assert [each.config for each in sources.tried] == [{"path": "/srv/wiki"}]
    assert (saved.status_code, saved.headers["location"]) == (303, "/endpoints/wiki?did=add")
    found = await stored(site.database)
    assert found
    assert (found.connector, found.config, found.schedule) == ("files", {"path": "/srv/wiki"}, "@daily")
    async with site.database.tenant("acme") as tx:
        assert (await controls.find(tx, ACME, "wiki")).time_zone == "Europe/Berlin"
    assert await trail(site.database) == ["anna endpoints.add", "anna schedule.reschedule"]


async def test_what_was_not_tested_as_it_is_is_saved_and_said(site: Console) -> None:
    visitor = await site.visitor(Role.WRITER)
    tested = await visitor.send("/add/files", **WIKI, do="test")
    mark = between(tested.text, 'name="tested" value="', '"')

    saved = await visitor.send("/add/files", **(WIKI | {"config.path": "/srv/other"}), do="save", tested=mark)

    assert saved.headers["location"] == "/endpoints/wiki?did=add-untested"
    assert "nobody tested it as it is now" in await visitor.see(saved.headers["location"])


async def test_a_name_that_is_taken_is_told_beside_it_and_nothing_is_lost(site: Console) -> None:
    visitor = await site.visitor(Role.WRITER)
    await visitor.send("/add/files", **WIKI, do="save")

    again = await visitor.send("/add/files", **(WIKI | {"config.path": "/srv/b"}), do="save")

    assert again.status_code == 409
    assert "is already there" in between(again.text, 'id="e-name"', "</p>")
    assert 'value="/srv/b"' in again.text
    found = await stored(site.database)
    assert found
    assert found.config == {"path": "/srv/wiki"}


async def test_an_edit_is_made_only_over_what_was_seen(site: Console) -> None:
    visitor, other = await site.visitor(Role.WRITER), await site.visitor(Role.WRITER, subject="otto")
    await visitor.send("/add/files", **WIKI, do="save")
    seen = between(await visitor.see("/endpoints/wiki/edit"), 'name="version" value="', '"')
    change = {"config.exclude": "*.tmp", "version": seen, "do": "save"}

    first = await other.send("/endpoints/wiki/edit", **change, reason="less")
    late = await visitor.send("/endpoints/wiki/edit", **(change | {"config.exclude": "*.bak"}))
    forged = await visitor.send("/endpoints/wiki/edit", **(change | {"version": "latest"}))
    now = between(await visitor.see("/endpoints/wiki/edit"), 'name="version" value="', '"')
    same = await visitor.send("/endpoints/wiki/edit", **(change | {"version": now}))

    assert first.headers["location"] == "/endpoints/wiki?did=edit"
    assert (late.status_code, forged.status_code) == (409, 409)
    assert "somebody has changed it" in late.text
    assert "*.bak</textarea>" in late.text
    assert same.headers["location"] == "/endpoints/wiki?did=edit-none"
    found = await stored(site.database)
    assert found
    assert found.config == {"path": "/srv/wiki", "exclude": ["*.tmp"]}
    assert await trail(site.database) == ["anna endpoints.add", "otto endpoints.edit less"]
    shown = await visitor.see("/endpoints/wiki")
    assert "otto changed config.exclude: less" in shown
    assert "<dt>Exclude</dt><dd>*.tmp</dd>" in shown


async def test_an_endpoint_is_removed_and_brought_back_as_it_was(site: Console) -> None:
    visitor = await site.visitor(Role.WRITER)
    await visitor.send("/add/files", **WIKI, do="save")
    before = await stored(site.database)

    unsaid = await visitor.send("/endpoints/wiki/remove", reason=" ")
    gone = await visitor.send("/endpoints/wiki/remove", reason=f"it moved {HOSTILE}")
    page = await visitor.see(gone.headers["location"])
    listed = await visitor.see("/endpoints?condition=removed&q=wik")
    alive = await visitor.see("/endpoints")
    back = await visitor.send("/endpoints/wiki/restore")
    twice = await visitor.send("/endpoints/wiki/restore")

    assert (unsaid.status_code, "the reason says nothing" in unsaid.text) == (400, True)
    assert str(escape(f"it moved {HOSTILE}")) in page
    assert "Bring it back" in page
    assert ('href="/endpoints/wiki"' in listed, 'href="/endpoints/wiki"' in alive) == (True, False)
    assert back.headers["location"] == "/endpoints/wiki?did=restore"
    assert (twice.status_code, "is already there" in twice.text) == (409, True)
    after = await stored(site.database)
    assert before
    assert after
    assert after.settings() == before.settings()
    assert [line.split()[1] for line in await trail(site.database)] == [
        "endpoints.add",
        "endpoints.remove",
        "endpoints.revive",
    ]


async def test_only_writers_change_endpoints_and_whoever_else_tries_is_noted(site: Console) -> None:
    await (await site.visitor(Role.WRITER)).send("/add/files", **WIKI, do="save")
    reader = await site.visitor(Role.READER, subject="rita")
    stranger = await site.visitor(Role.ADMIN, scope=Scope("other", "main"), subject="oscar")

    for path in ("/add", "/add/files", "/endpoints/wiki/edit", "/endpoints/wiki/preview"):
        assert (await reader.client.get(path)).status_code == 403, path
    for path in ("/add/files", "/endpoints/wiki/edit", "/endpoints/wiki/remove", "/endpoints/wiki/preview"):
        assert (await reader.send(path, do="save")).status_code == 403, path
    for path in ("/endpoints/wiki", "/endpoints/wiki/edit", "/endpoints/wiki/preview"):
        assert (await stranger.client.get(path)).status_code == 404, path
    assert (await stranger.send("/endpoints/wiki/remove", reason="mine")).status_code == 404
    shown = await reader.see("/endpoints/wiki")
    assert 'aria-label="Controls"' not in shown
    refusals = [line for line in await trail(site.database) if line.startswith("rita")]
    assert len(refusals) == 8


async def test_what_a_source_says_during_a_test_stays_text(site: Console, sources: Sources) -> None:
    sources.trial = Trial(
        well=False,
        findings=[
            Finding(name=HOSTILE, well=False, detail=HOSTILE, hint=f"`{HOSTILE}` {HOSTILE}"),
        ],
        records=1,
        refused=1,
        items=[
            {"entity_type": HOSTILE, "external_id": HOSTILE, "display_name": HOSTILE, "url": "javascript:alert(1)"},
            {"entity_type": "page", "external_id": "1", "display_name": "x", "url": f'https://x/"{HOSTILE}'},
        ],
    )
    visitor = await site.visitor(Role.WRITER)

    answered = await visitor.send("/add/files", **(WIKI | {"config.path": f"/{HOSTILE}"}), do="test")

    assert answered.status_code == 200
    assert "It cannot be read yet" in answered.text
    assert "Save without testing" in answered.text
    assert str(escape(HOSTILE)) in answered.text
    assert stays_text(answered.text)
    assert "javascript:alert(1)" not in answered.text


async def test_a_sample_is_shown_with_what_would_be_refused_and_why(site: Console, sources: Sources) -> None:
    sources.sample = Preview(
        ended=Ended.ROWS,
        why="there may be more",
        items=[
            {
                "entity_type": "page",
                "external_id": HOSTILE,
                "display_name": HOSTILE,
                "url": "javascript:alert(1)",
                "labels": [HOSTILE],
                "relations": [{"type": "parent", "target": HOSTILE}],
                "attributes": {HOSTILE: [HOSTILE, {"deep": None}]},
            }
        ],
        refused=[Refusal(position=HOSTILE, external_id=None, reasons=[{"path": "/x", "message": HOSTILE, "why": "x"}])],
        samples={HOSTILE: [{HOSTILE: HOSTILE}]},
    )
    visitor = await site.visitor(Role.WRITER)
    await visitor.send("/add/files", **WIKI, do="save")

    shown = await visitor.send("/endpoints/wiki/preview", rows="20")
    sources.sample = Fatal(f"no {HOSTILE}", code=Code.CREDENTIAL_MISSING, hint="name one")
    failed = await visitor.send("/endpoints/wiki/preview", rows="20")
    sources.sample = Preview(ended=Ended.DISABLED, why="the connector offers no preview")
    disabled = await visitor.send("/endpoints/wiki/preview", rows="20")
    refused = await visitor.send("/endpoints/wiki/preview", rows="100000")

    assert "1 item, 1 refused" in shown.text
    assert shown.text.count(str(escape(HOSTILE))) >= 8
    for answered in (shown, failed):
        assert answered.status_code == 200
        assert stays_text(answered.text)
        assert "javascript:alert(1)" not in answered.text
    assert "It could not be read: no" in failed.text
    assert "offers no preview" in disabled.text
    assert refused.status_code == 422
    assert await trail(site.database) == ["anna endpoints.add"]


async def test_a_source_that_does_not_answer_is_a_finding() -> None:
    async def never(*_: Any) -> Trial:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    class Silent:
        attempt = staticmethod(never)

    desk = Desk(None, Silent, None, None)  # type: ignore[arg-type]
    trial = await tried(desk, Endpoint(scope=ACME, endpoint_id="wiki", connector="files"), seconds=0.05)

    assert (trial.well, trial.findings[0].detail) == (False, "it was not read within 0.05 seconds")


@pytest.mark.req("OR-51")
async def test_cursors_are_shown_as_fingerprints_and_never_as_tokens(site: Console) -> None:
    token = "tok-9f8e7d6c5b4a"
    with connect(site.database.url) as connection:
        insert(connection, "endpoints", project_id="main", endpoint_id="wiki", connector="files", config="{}")
    async with site.database.tenant("acme") as tx:
        for lane in ("live", "backfill:b1"):
            said = {"batch_id": "b", "item_count": 7, "spec_ref": "x@1", "request_id": lane}
            await Cursors(Lane(ACME, "wiki", lane), "files").advance(tx, 0, token, **said)  # type: ignore[arg-type]
        await Cursors(Lane(ACME, "wiki"), "files").leave_partial(tx, {"run_id": "wiki-1", "code": "NETWORK"})
        fingerprint = (await kv.Fingerprints.load(tx, "acme")).of(token)
    visitor = await site.visitor(Role.READER)

    shown = await visitor.see("/endpoints/wiki")

    assert shown.count(fingerprint) == 2
    assert token not in shown
    assert "backfill:b1" in shown
    assert 'NETWORK<span class="sub">by <a href="/runs/wiki-1">' in shown


async def test_controls_renew_with_the_page_and_ask_for_the_same_run_meanwhile(site: Console) -> None:
    with connect(site.database.url) as connection:
        insert(connection, "endpoints", project_id="main", endpoint_id="wiki", connector="files", config="{}")
    visitor = await site.visitor(Role.WRITER)

    async with visitor.client.stream("GET", "/live/endpoints/wiki") as stream:
        parts = (json.loads(line[6:]) async for line in stream.aiter_lines() if line.startswith("data: "))
        before = await anext(parts)
        await visitor.send("/endpoints/wiki/pause", reason="a rest")
        # how long ago it was added counts on meanwhile
        after = await anext(part async for part in parts if "/wiki/resume" in part)
        await visitor.send("/endpoints/wiki/remove", reason="it moved")
        await anext(part async for part in parts if "Bring it back" in part)
        site.site.close()
        assert all(["Bring it back" in part async for part in parts])

    assert ("act-pause" in before, "act-pause" in after) == (True, False)
    asked = [between(part, 'name="manual_trigger_id" value="', '"') for part in (before, after)]
    assert asked[0] == asked[1] != ""
