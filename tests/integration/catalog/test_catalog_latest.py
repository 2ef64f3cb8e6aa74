"""What changed last, how many there are of each kind, and what stands around an item: as far as a page needs it, and no further."""

import re
from typing import Any
from uuid import UUID

import pytest
from tests.integration.catalog.shelf import ACME, add, change, generic_plan, moment, relate

from windrow import catalog
from windrow.catalog import Facet, Filters, Kind, Latest, Sure, Tallies, Tally
from windrow.catalog.facets import Q as OF_FACETS
from windrow.catalog.history import Q as OF_HISTORY
from windrow.catalog.latest import Q as OF_LATEST
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Query


async def latest(database: Database, **filters: Any) -> Latest:
    async with database.tenant("acme") as tx:
        return await catalog.latest(tx, ACME, Filters(**filters))


async def test_every_item_stands_once_where_it_changed_last(database: Database) -> None:
    old, new, back, gone = [(await add(database, name, at=moment(at)))[0] for at, name in enumerate("abcd")]
    await change(database, old, at=moment(10), run="run-2", display_name="second")
    await change(database, old, at=moment(20), run="run-3", display_name="third")
    await change(database, back, at=moment(11), run="run-2", deleted=True)
    await change(database, back, at=moment(12), run="run-3", deleted=False)
    await change(database, gone, at=moment(13), run="run-3", deleted=True)

    there, not_there = await latest(database), await latest(database, deleted=True)

    assert [(each.item.item_id, each.kind) for each in there.items] == [
        (old, Kind.CHANGED),
        (back, Kind.RESTORED),
        (new, Kind.CREATED),
    ]
    assert [(each.item.item_id, each.kind) for each in not_there.items] == [(gone, Kind.DELETED)]
    assert there.next is None


async def test_pages_go_on_where_the_one_before_ended_also_within_one_moment(database: Database) -> None:
    ids = {*await add(database, *map(str, range(25)), at=moment(1)), *await add(database, "x", at=moment(2))}
    for item_id in sorted(ids)[:5]:
        await change(database, item_id, at=moment(3), run="run-2", display_name="other")

    met, after = [], None
    async with database.tenant("acme") as tx:
        while True:
            page = await catalog.latest(tx, ACME, after=after, limit=4)
            met += [each.item.item_id for each in page.items]
            after = page.next
            if after is None:
                break

    assert len(met) == len(ids)
    assert set(met) == ids


@pytest.mark.parametrize("query", [OF_HISTORY.recent, OF_LATEST.latest], ids=["changes", "latest"])
async def test_a_page_deep_in_the_history_is_reached_by_the_index(database: Database, query: Query) -> None:
    place = {"at": moment(1), "item_id": UUID(int=0), "revision": 2, "limit": 5, "most": 5, "project": "main"}
    filters = dict.fromkeys(("endpoint", "entity_type", "label", "owner")) | {"deleted": False}

    async with database.tenant("acme") as tx:
        await tx.connection.execute("SET LOCAL enable_seqscan = off")
        await tx.connection.execute("SET LOCAL enable_bitmapscan = off")
        told = await tx.connection.execute(b"EXPLAIN " + query.text, place | filters)
        plan = "\n".join(row["QUERY PLAN"] for row in await told.fetchall())

    # what is newer is not read and thrown away; under a policy that is so only while no column is reckoned with
    for column in ("ended_at", "first_seen_at"):
        assert re.search(rf"Index Cond: .*\b{column} <= ", plan), plan


async def test_filters_say_which_and_nobody_looks_back_without_end(database: Database) -> None:
    await add(database, "old", at=moment(0), endpoint="wiki", labels=["red"], owners=["anna"], entity_type="page")
    await add(database, *(f"new-{number}" for number in range(30)), at=moment(1))
    await add(database, "theirs", at=moment(2), scope=Scope("acme", "other"))

    for filters in ({"endpoint": "wiki"}, {"label": "red"}, {"owner": "anna"}, {"entity_type": "page"}):
        found = await latest(database, **filters)
        assert [each.item.external_id for each in found.items] == ["old"], filters

    async with database.tenant("acme") as tx:
        short = await catalog.latest(tx, ACME, Filters(endpoint="wiki"), limit=2, furthest=12)
        further = await catalog.latest(tx, ACME, Filters(endpoint="wiki"), after=short.next)
    assert (short.items, short.looked) == ((), 12)
    assert [each.item.external_id for each in further.items] == ["old"]
    assert further.looked == 31 - 12


async def test_facets_are_counted_up_to_a_bound_and_guessed_beyond(database: Database) -> None:
    files = await add(database, *(f"file-{number}" for number in range(40)))
    await add(database, "page", entity_type="page", endpoint="wiki")
    await add(database, "theirs", scope=Scope("acme", "other"))
    for item_id in files[:2]:
        await change(database, item_id, at=moment(1), run="run-2", deleted=True)

    async with database.tenant("acme") as tx:
        there = await catalog.facets(tx, ACME)
        gone = await catalog.facets(tx, ACME, deleted=True)
        ((many, page),) = [await catalog.facets(tx, ACME, furthest=10)]
        first = await catalog.facets(tx, ACME, pairs=1)

    assert there == [Facet("repo", "file", 38, True), Facet("wiki", "page", 1, True)]
    assert gone == [Facet("repo", "file", 2, True)]
    # of so few all are in the sample: that ids are spread evenly is all that it does not know
    assert (many.is_all, many.guess, page) == (False, True, there[1])
    assert 38 <= many.items < 60
    # what stands behind the pairs that were counted is known from the sample alone
    assert first[0] == there[0]
    assert (first[1].endpoint_id, first[1].guess) == ("wiki", True)


async def test_a_tally_says_of_each_number_whether_it_is_exact_a_bound_or_a_guess(database: Database) -> None:
    files = await add(database, *(f"file-{number}" for number in range(40)))
    await add(database, "page", entity_type="page", endpoint="wiki")
    await add(database, "theirs", scope=Scope("acme", "other"))
    for item_id in files[:2]:
        await change(database, item_id, at=moment(1), run="run-2", deleted=True)

    async with database.tenant("acme") as tx:
        whole = await catalog.tallies(tx, ACME)
        bounded = await catalog.tallies(tx, ACME, furthest=10)
        of_wiki = await catalog.tallies(tx, ACME, endpoint="wiki", furthest=10)
        of_none = await catalog.tallies(tx, ACME, endpoint="wik")
        first = await catalog.tallies(tx, ACME, pairs=1)

    assert whole == Tallies((Tally("repo", "file", 38, 2), Tally("wiki", "page", 1, 0)), is_all=True)
    many, page = bounded.items
    assert (many.items_are, many.deleted, many.deleted_are) == (Sure.ABOUT, 2, Sure.EXACT)
    assert 38 <= many.items < 60
    assert of_wiki == Tallies((page,), is_all=True)
    assert of_none == Tallies((), is_all=True)
    # of what is known from the sample alone nobody counted the tombstones
    assert (first.is_all, first.items[0]) == (False, whole.items[0])
    assert (first.items[1].items_are, first.items[1].deleted_are) == (Sure.ABOUT, Sure.AT_LEAST)


async def test_the_pairs_of_one_endpoint_are_reached_by_the_index(database: Database) -> None:
    plan = await generic_plan(database, OF_FACETS.facets)

    for begins in (">= ", "> "):
        assert re.search(rf"Index Cond: .*ROW\(endpoint_id, entity_type\) {begins}ROW", plan), plan


async def test_what_a_search_found_is_told_by_endpoint_and_type(database: Database) -> None:
    await add(database, "store a", "store b")
    await add(database, "store c", entity_type="page", endpoint="wiki")
    await add(database, "other")
    await catalog.index_tenant(database, "acme")

    async with database.tenant("acme") as tx:
        found = await catalog.search(tx, ACME, "store", limit=1, with_facets=True)
        of_endpoint = await catalog.search(tx, ACME, "", Filters(endpoint="wiki"))

    assert found.facets == (Facet("repo", "file", 2, True), Facet("wiki", "page", 1, True))
    assert [hit.item.external_id for hit in of_endpoint.hits] == ["store c"]


async def test_history_is_read_a_page_at_a_time(database: Database) -> None:
    (item_id,) = await add(database, "a", display_name="1")
    for step in range(2, 6):
        await change(database, item_id, at=moment(step), run=f"run-{step}", display_name=str(step))

    async with database.tenant("acme") as tx:
        whole = await catalog.history(tx, item_id)
        latest_two = await catalog.history(tx, item_id, limit=2)
        rest = await catalog.history(tx, item_id, before=latest_two[-1].revision, limit=10)
        to_the_end = await catalog.history(tx, item_id, before=3, limit=2)

    assert latest_two + rest == whole
    assert [step.kind for step in to_the_end] == [Kind.CHANGED, Kind.CREATED]


async def test_ties_show_some_of_every_relation_and_count_the_rest(database: Database) -> None:
    (root,) = await add(database, "root")
    children = await add(database, *(f"child-{number}" for number in range(5)))
    for child in children:
        await relate(database, child, "parent", "root")
    await relate(database, root, "author", "nobody")
    await relate(database, root, "child", "child-0")
    await change(database, children[0], at=moment(1), run="run-2", deleted=True)

    async with database.tenant("acme") as tx:
        found = await catalog.ties(tx, root, each=2, counted=4)
        alone = await catalog.ties(tx, children[1], each=2)

    told = [(tie.type, tie.outgoing, len(tie.others), tie.count, tie.is_all) for tie in found]
    assert told == [("author", True, 1, 1, True), ("child", True, 1, 1, True), ("parent", False, 2, 4, False)]
    assert (found[0].others[0].external_id, found[0].others[0].in_catalog) == ("nobody", False)
    assert (found[1].others[0].display_name, found[1].others[0].deleted) == ("child-0", True)
    assert [(tie.type, tie.outgoing) for tie in alone] == [("parent", True)]
