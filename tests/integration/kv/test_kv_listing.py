"""Looking around in the store."""

import pytest
from tests.integration.kv.desk import ACME, CURSOR, FLEETING, WRITER, delete, put, run_out

from windrow import kv
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.postgres import Database


async def test_entries_are_listed_by_prefix_a_page_at_a_time(database: Database) -> None:
    keys = [Key.of(ACME, "harvest", name, "cursor") for name in ("github", "gitlab", "confluence")]
    for key in [*keys, Key.of(ACME, "flags", "a"), Key.of(Scope("acme", "other"), "harvest", "github", "cursor")]:
        await put(database, key.path, 0, "r1", key=key)
    await delete(database, 1, "d1", key=keys[2])
    await put(database, 1, 0, "r1", key=Key.of(ACME, "harvest", "git", "ran-out"), semantics=FLEETING)
    await run_out(database, Key.of(ACME, "harvest", "git", "ran-out"))

    async with database.tenant("acme") as tx:
        first = await kv.entries(tx, ACME, "harvest/", limit=1)
        second = await kv.entries(tx, ACME, "harvest/", limit=1, after=first.next)
        everything = await kv.entries(tx, ACME)

    assert [entry.key.path for entry in first.entries] == ["harvest/github/cursor"]
    assert [entry.key.path for entry in second.entries] == ["harvest/gitlab/cursor"]
    assert second.next is None
    assert [entry.key.path for entry in everything.entries] == [
        "flags/a",
        "harvest/github/cursor",
        "harvest/gitlab/cursor",
    ]
    assert everything.entries[0].semantics == CURSOR
    assert everything.entries[0].last_writer == str(WRITER)


@pytest.mark.req("KV-10")
async def test_the_fingerprints_of_a_tenant_stay_the_same_and_differ_from_anothers(database: Database) -> None:
    first = await kv.Fingerprints.load(database, "acme")
    async with database.tenant("acme") as tx:
        again = await kv.Fingerprints.load(tx, "acme")
    theirs = await kv.Fingerprints.load(database, "other")

    assert first.of("token") == again.of("token")
    assert first.of("token") != theirs.of("token")
