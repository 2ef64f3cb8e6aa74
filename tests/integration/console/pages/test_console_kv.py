"""Key values: found by what they begin with; of cursors and checkpoints only the fingerprint is ever shown."""

from typing import Any

import pytest
from tests.integration.console.pages.fields import HOSTILE, connect, stays_text
from tests.integration.console.pages.fields_queues import entry, plough_queues
from tests.integration.console.pages.visitors import Console

from windrow import kv
from windrow.contracts.scope import Scope
from windrow.kv import browsing
from windrow.postgres import audit
from windrow.web.principal import Role


@pytest.mark.req("OR-51")
async def test_a_cursor_is_shown_as_its_fingerprint_and_never_as_what_it_is(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_queues(connection)
        entry(connection, "harvest/x/checkpoint", {"page": "opaque-token-of-the-source"}, "checkpoint")
    visitor = await site.visitor()

    for path in ("/kv", "/kv?q=harvest/", "/kv/harvest/github/cursor", "/kv/harvest/x/checkpoint"):
        shown = await visitor.see(path)
        assert ("opaque-token" in shown, 'h12"' in shown) == (False, False), path
    async with site.database.tenant("acme") as tx:
        fingerprints = await kv.Fingerprints.load(tx, "acme")
        listed = await browsing.listed(tx, Scope("acme", "main"), "harvest/")
    assert [entry.small for entry in listed] == [None, None, None]
    wanted = fingerprints.of({"page": "opaque-token-of-the-source"})
    assert [wanted in await visitor.see(f"/kv/harvest/{name}/cursor") for name in ("github", "wiki")] == [True, True]


async def test_keys_are_found_folder_by_folder_and_by_their_beginning(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_queues(connection)
        entry(connection, "flags", "beside the folder of that name")
        entry(connection, "gone/by", 1, expires_at="2020-01-01")
    visitor = await site.visitor(Role.READER)

    top, below, typed = [await visitor.see(f"/kv?q={prefix}") for prefix in ("", "harvest/", "HAR")]

    for folder in ("flags/ <span>1", "harvest/ <span>2", "notes/ <span>1"):
        assert folder in top
    assert "gone/" not in top
    assert "github/ <span>1" in below
    assert ('href="/kv/harvest/github/cursor"' in below, 'href="/kv/flags/new-search"' in below) == (True, False)
    assert 'href="/kv?q=harvest/">harvest/ <span>2' in typed
    assert "No key begins like that" in await visitor.see("/kv?q=%00x%25")


async def test_an_entry_tells_its_version_its_writer_and_to_admins_what_was_written(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_queues(connection)
        entry(connection, "notes/secret", {"password": "hunter22", "kind": "plain"}, version=3)
    admin, reader = await site.visitor(), await site.visitor(Role.READER)

    shown, to_reader = await admin.see("/kv/notes/secret"), await reader.see("/kv/notes/secret")

    for words in ("harvester:github", "annotation", "[redacted]", "plain"):
        assert (words in shown, words in to_reader) == (True, True), words
    assert "hunter22" not in shown
    assert ("version 2" in shown, "version 2" in to_reader) == (True, False)
    for path in ("/kv/nothing", "/kv/NO", "/kv/a//b", "/kv/" + "x" * 300):
        assert (await reader.client.get(path)).status_code == 404, path


async def test_many_keys_go_on_where_the_page_ended(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(55):
            entry(connection, f"notes/n-{number:02}", number)
    visitor = await site.visitor()

    first = await visitor.see("/kv?q=notes/")
    further = first.rpartition('href="/kv?')[2].partition('"')[0].replace("&amp;", "&")
    second = await visitor.see(f"/kv?{further}")

    assert [f"/kv/notes/n-{number}" in first for number in (49, 50)] == [True, False]
    assert [f"/kv/notes/n-{number}" in second for number in (49, 50, 54)] == [False, True, True]


async def test_a_writer_writes_changes_and_deletes_what_is_for_people(site: Console) -> None:
    writer = await site.visitor(Role.WRITER)

    added = await writer.send("/kv", key="notes/a+b", purpose="feature_flag", value=' {"on": true}')
    assert (added.status_code, added.headers["location"]) == (303, "/kv/notes/a%2Bb?did=written")
    assert "&#34;on&#34;: true" in (await writer.see(added.headers["location"])).partition("<textarea")[2]
    changed = await writer.send("/kv/notes/a+b/change", version="1", value="[1]")
    stale = await writer.send("/kv/notes/a+b/change", version="1", value="[2]")
    assert (changed.status_code, stale.status_code, "[2]" in stale.text) == (303, 409, True)
    assert 'name="version" value="2"' in stale.text
    gone = await writer.send("/kv/notes/a+b/delete", version="2")
    assert gone.headers["location"] == "/kv?q=notes/&did=deleted"

    async with site.database.tenant("acme") as tx:
        lines = await audit.history(tx, subject="tenant/acme/project/main/notes/a+b")
    assert [(line.actor, line.action) for line in lines] == [
        ("anna", "kv.delete"),
        ("anna", "kv.put"),
        ("anna", "kv.put"),
    ]


async def test_what_is_not_for_people_to_write_is_refused_with_what_was_said(site: Console) -> None:
    with connect(site.database.url) as connection:
        entry(connection, "harvest/github/cursor", {"page": 1}, "cursor")
        entry(connection, "notes/checkpoint", {"page": 1}, "checkpoint")
        entry(connection, "notes/part", {"password": "hunter22"})
    writer, reader = await site.visitor(Role.WRITER), await site.visitor(Role.READER)

    new = {"purpose": "annotation", "value": "1"}
    for path, fields, status in (
        ("/kv", new | {"key": "harvest/x"}, 400),
        ("/kv", new | {"key": "NO"}, 400),
        ("/kv", new | {"key": "notes/part"}, 409),
        ("/kv", new | {"key": "notes/x", "purpose": "cursor"}, 422),
        ("/kv", new | {"key": "notes/x", "value": "no json"}, 422),
        ("/kv", new | {"key": "notes/x", "value": "NaN"}, 422),
        ("/kv", new | {"key": "notes/x", "value": "[" * 9000}, 422),
        ("/kv/harvest/github/cursor/change", {"version": "1", "value": "2"}, 400),
        ("/kv/harvest/github/cursor/delete", {"version": "1"}, 400),
        ("/kv/notes/checkpoint/change", {"version": "1", "value": "2"}, 422),
        ("/kv/notes/checkpoint/delete", {"version": "1"}, 422),
        ("/kv/notes/part/change", {"version": "x", "value": "2"}, 422),
        ("/kv/notes/nowhere/delete", {"version": "1"}, 404),
    ):
        answered = await writer.send(path, **fields)
        assert answered.status_code == status, (path, fields, answered.status_code)
    assert (await reader.send("/kv", **new, key="notes/x")).status_code == 403
    # what is shown in part is not offered to be written back in part
    offered = (await writer.see("/kv/notes/part")).partition("<textarea")[2].partition("</textarea>")[0]
    assert offered.endswith(">")
    assert "<textarea" not in await writer.see("/kv/harvest/github/cursor")


async def test_what_an_agent_has_written_stays_text(site: Console) -> None:
    with connect(site.database.url) as connection:
        said: dict[str, Any] = dict.fromkeys(("producer", "last_writer", "request_id", "spec_ref"), HOSTILE)
        entry(connection, "notes/x", {HOSTILE: HOSTILE}, **said)
    visitor = await site.visitor()

    for path in ("/kv", "/kv/notes/x", f"/kv?q={HOSTILE}"):
        shown = await visitor.see(path)
        assert stays_text(shown), path
