"""What a batch does to the catalog: items, their revisions, their history, their relations."""

from typing import Any

import pytest
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.script import thing, things
from tests.integration.harvest.shop import catalog, open_shop, rows

from windrow.contracts.identity import Identity
from windrow.contracts.scope import Scope
from windrow.postgres import Database

NEAR = {"relations": [{"type": "near", "target": "y"}]}


async def told(database: Database, *words: dict[str, Any], at_once: int = 20) -> None:
    """The source says these, one after the other."""
    hand = await Hand.begins(database, await open_shop(database))
    for word in words:
        await hand.asks_and_says(word)
    await hand.is_persisted(at_once)


async def relations(database: Database) -> list[tuple[str, str]]:
    found = await rows(database, "SELECT type, target_external_id FROM item_relations ORDER BY 1, 2")
    return [(row["type"], row["target_external_id"]) for row in found]


@pytest.mark.req("MW-41")
async def test_an_item_is_kept_with_all_that_the_source_says(database: Database) -> None:
    said = {
        "canonical_path": "/x",
        "url": "https://example.org/x",
        "owners": ["ada", "bob"],
        "labels": ["red"],
        "source_version": "7",
        "source_created_at": "2026-01-01T00:00:00Z",
        "source_updated_at": "2026-01-02T01:00:00+01:00",
        "attributes": {"size": 7, "deep": {"list": [1, None, "é"]}},
    }

    await told(database, thing("x", **said))

    item = (await catalog(database))["x"]
    assert str(item["item_id"]) == Identity(Scope("acme", "main"), "shop").item_id("x")
    for name in ("canonical_path", "url", "owners", "labels", "source_version", "attributes"):
        assert item[name] == said[name]
    assert item["source_updated_at"].isoformat() == "2026-01-02T00:00:00+00:00"
    assert (item["revision"], item["deleted"]) == (1, False)


@pytest.mark.parametrize("at_once", [1, 20])
async def test_every_change_is_a_revision_and_leaves_what_was_before_in_the_history(
    database: Database, at_once: int
) -> None:
    await told(
        database,
        thing("x", display_name="one", attributes={"n": 1}),
        thing("x", display_name="two"),
        thing("x", display_name="two"),
        thing("x", deleted=True),
        thing("x", display_name="three"),
        at_once=at_once,
    )

    history = await rows(database, "SELECT revision, was, seen_at <= ended_at AS ordered FROM item_history ORDER BY 1")
    assert [(row["revision"], row["was"]["display_name"], row["was"]["deleted"]) for row in history] == [
        (1, "one", False),
        (2, "two", False),
        (3, "two", True),
    ]
    assert history[0]["was"]["attributes"] == {"n": 1}
    assert all(row["ordered"] for row in history)
    assert (await catalog(database))["x"]["revision"] == 4


async def test_the_history_names_the_run_that_said_it_and_the_run_that_ended_it(database: Database) -> None:
    endpoint = await open_shop(database)
    for run, name in (("run-1", "one"), ("run-2", "two")):
        hand = await Hand.begins(database, endpoint, run_id=run)
        await hand.asks_and_says(thing("x", display_name=name))
        await hand.is_persisted()

    (past,) = await rows(database, "SELECT run_id, ended_by FROM item_history")
    item = (await catalog(database))["x"]
    assert past == {"run_id": "run-1", "ended_by": "run-2"}
    assert (item["run_id"], item["first_run_id"]) == ("run-2", "run-1")
    assert item["first_seen_at"] < item["changed_at"]


async def test_relations_are_those_of_the_present_revision(database: Database) -> None:
    await told(
        database,
        thing("x", **NEAR),
        thing("x", relations=[{"type": "near", "target": "z"}, {"type": "in", "target": "y"}]),
    )

    assert await relations(database) == [("in", "y"), ("near", "z")]
    targets = {str(row["target_id"]) for row in await rows(database, "SELECT target_id FROM item_relations")}
    identity = Identity(Scope("acme", "main"), "shop")
    assert targets == {identity.item_id("y"), identity.item_id("z")}


@pytest.mark.parametrize(
    ("last", "left"),
    [(thing("x"), []), (thing("x", **NEAR), [("near", "y")]), (thing("x", deleted=True), [])],
    ids=["said no more", "said again", "gone"],
)
async def test_a_relation_is_there_as_long_as_the_source_says_so(
    database: Database, last: dict[str, Any], left: list[tuple[str, str]]
) -> None:
    await told(database, thing("x", **NEAR), last)

    assert await relations(database) == left


async def test_an_outdated_item_leaves_relations_and_history_as_they_are(database: Database) -> None:
    endpoint = await open_shop(database)
    slow, live = await Hand.begins(database, endpoint, "backfill:1"), await Hand.begins(database, endpoint)
    old = await slow.asks()
    await live.asks_and_says(thing("x", **NEAR), thing("gone", deleted=True))
    await live.is_persisted()

    await slow.says(old, thing("x", relations=[{"type": "in", "target": "w"}]), thing("gone"), thing("new"))
    await slow.is_persisted()

    assert await relations(database) == [("near", "y")]
    assert await rows(database, "SELECT FROM item_history") == []
    (batch,) = await rows(database, "SELECT created, outdated FROM harvest_outbox WHERE lane <> 'live'")
    assert batch == {"created": 1, "outdated": 2}
    assert (await catalog(database)).keys() == {"x", "new"}


async def test_two_tenants_with_the_same_endpoint_share_nothing(database: Database) -> None:
    await told(database, *things(1))

    async with database.tenant("other") as tx:
        for table in ("items", "item_history", "harvest_outbox", "outbox_lanes", "harvest_lanes", "quarantine"):
            found = await (await tx.connection.execute(f"SELECT FROM {table}".encode())).fetchall()
            assert found == [], table


async def test_a_tombstone_for_what_was_never_seen_is_a_row_that_nobody_is_shown(database: Database) -> None:
    await told(database, thing("x", deleted=True), thing("x", deleted=True))

    assert await catalog(database) == {}
    (item,) = await rows(database, "SELECT revision, deleted FROM items")
    assert item == {"revision": 1, "deleted": True}
    settled = await rows(database, "SELECT deleted, unchanged FROM harvest_outbox ORDER BY seq")
    assert settled == [{"deleted": 1, "unchanged": 0}, {"deleted": 0, "unchanged": 1}]
