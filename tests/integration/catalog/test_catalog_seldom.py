"""What few items have is listed by an index, and nothing is left out: whether its words are there yet, are old, or never were."""

import re
from typing import Any
from uuid import UUID

import psycopg
import pytest
from tests.integration.catalog.shelf import ACME, THEIRS, add, change, generic_plan, moment, rows_read

from windrow import catalog
from windrow.catalog import Filters
from windrow.catalog.seldom import Q
from windrow.contracts.scope import Scope
from windrow.postgres import Database

# labels whose words are none, or those of another, or beyond what is indexed of a field; and what a query is made of
ODD = (
    "red",
    "red late",
    "late",
    "Red",
    "TokenStore",
    "★",
    "--",
    "a" * 256,
    "ﬃ" * 256,
    "'",
    "\\",
    '~ " & | !',
    ":*",
    " ",
    "İ",
)
MANY = [f"{number:03}-{'x' * 240}" for number in range(199)]


async def pages(database: Database, *, furthest: int = 1, few: int = 3000, **filters: Any) -> list[list[UUID]]:
    """All pages of a list. So many rows are looked at before the indexes are asked; with `few` = 0 those know nothing."""
    met, after = [], None
    async with database.tenant("acme") as tx:
        while True:
            page = await catalog.items(tx, ACME, Filters(**filters), after=after, limit=20, furthest=furthest, few=few)
            met.append([each.item_id for each in page.items])
            if (after := page.next) is None:
                return met


async def listed(database: Database, **filters: Any) -> list[UUID]:
    """What there is: the same by the indexes, within as many pages as that fills, and by going through all."""
    by_index = await pages(database, **filters)
    by_rows = await pages(database, furthest=12, few=0, **filters)
    found = [item_id for page in by_index for item_id in page]
    assert found == [item_id for page in by_rows for item_id in page], filters
    assert len(by_index) <= len(found) / 20 + 1, filters
    return found


async def test_an_item_is_listed_by_each_of_its_labels_and_owners_whatever_they_are(database: Database) -> None:
    made = {}
    for number, label in enumerate(ODD):
        (made[label],) = await add(database, f"n{number}", labels=[*MANY, label], owners=[label])
    await add(database, *(f"f{number}" for number in range(8)), canonical_path="red/late/red late")

    for is_indexed in (False, True):
        if is_indexed:
            await catalog.index_tenant(database, "acme")
        for label, item_id in made.items():
            assert await listed(database, label=label) == [item_id], (is_indexed, label)
            assert await listed(database, owner=label) == [item_id], (is_indexed, label)
        assert await listed(database, label=MANY[-1]) == sorted(made.values())
        assert await listed(database, label="nobody") == []


async def test_what_changed_since_its_words_were_indexed_is_listed_by_what_it_says_now(database: Database) -> None:
    turned, gone, back = await add(database, "turned", "gone", "back", labels=["old"], entity_type="page")
    await add(database, *(f"f{number}" for number in range(8)))
    await change(database, back, at=moment(1), run="run-2", deleted=True)
    await catalog.index_tenant(database, "acme")
    await change(database, turned, at=moment(2), run="run-3", labels=["new"], entity_type="note")
    await change(database, gone, at=moment(2), run="run-3", deleted=True)
    await change(database, back, at=moment(2), run="run-3", deleted=False)

    for is_indexed in (False, True):
        if is_indexed:
            await catalog.index_tenant(database, "acme")
        assert await listed(database, label="new") == [turned]
        assert await listed(database, label="old") == [back]
        assert await listed(database, label="old", deleted=True) == [gone]
        assert await listed(database, entity_type="note") == [turned]
        assert await listed(database, entity_type="page", owner="nobody") == []
        assert await listed(database, deleted=True) == [gone]


async def test_filters_are_met_together_and_only_within_the_project(database: Database) -> None:
    (wanted,) = await add(database, "a", labels=["red"], owners=["ann"], entity_type="page", endpoint="wiki")
    near = [{"labels": []}, {"owners": []}, {"entity_type": "file"}, {"endpoint": "repo"}]
    said: dict[str, Any] = {"labels": ["red"], "owners": ["ann"], "entity_type": "page", "endpoint": "wiki"}
    for number, other in enumerate(near):
        await add(database, f"n{number}", **said | other)
    await add(database, "a", scope=Scope("acme", "other"), **said)
    await add(database, "a", scope=THEIRS, **said)

    for is_indexed in (False, True):
        if is_indexed:
            await catalog.index_tenant(database, "acme")
        filters = {"label": "red", "owner": "ann", "entity_type": "page", "endpoint": "wiki"}
        assert await listed(database, **filters) == [wanted]
        for name in filters:
            assert len(await listed(database, **{each: filters[each] for each in filters if each != name})) == 2
    async with database.tenant("acme") as tx:
        small = await catalog.items(tx, Scope("acme", "other"), limit=2, furthest=1)
    assert (len(small.items), small.next) == (1, None)


async def test_whatever_waits_for_its_words_is_looked_at_a_part_with_each_page(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(1097)))
    red = await add(database, "red", "too", labels=["red"])

    by_index = await pages(database, few=1099, label="red")
    too_many = await pages(database, few=1098, furthest=99, label="red")

    assert len(by_index) == 3
    assert len(too_many) == 11
    for each in (by_index, too_many):
        assert [item_id for page in each for item_id in page] == sorted(red)


async def test_more_than_few_are_met_by_going_on(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(40)))
    red = await add(database, *(f"red-{number}" for number in range(5)), labels=["red"], endpoint="wiki")
    await catalog.index_tenant(database, "acme")

    for filters in ({"label": "red"}, {"endpoint": "wiki"}):
        few, many = await pages(database, few=5, **filters), await pages(database, few=4, furthest=3, **filters)
        assert few == [sorted(red)]
        assert [item_id for page in many for item_id in page] == sorted(red)


async def test_nobody_reads_the_rows_of_all_to_find_a_few(own_database_url: str) -> None:
    async with Database(own_database_url, size=1) as database:
        await add(database, *(f"n{number}" for number in range(400)), canonical_path="red/rare")
        (rare,) = await add(database, "rare", labels=["rare"], endpoint="wiki", entity_type="page")
        await catalog.index_tenant(database, "acme")
        with psycopg.connect(own_database_url, autocommit=True) as owner:
            owner.execute("ANALYZE windrow.items")

        for filters in ({"label": "rare"}, {"label": "none"}, {"endpoint": "wiki"}, {"entity_type": "page"}):
            async with database.tenant("acme") as tx:
                await tx.connection.execute("SET LOCAL enable_seqscan = off")
                before = await rows_read(tx)
                page = await catalog.items(tx, ACME, Filters(**filters), furthest=50)
                read = await rows_read(tx) - before
            assert [each.item_id for each in page.items] == ([] if filters.get("label") == "none" else [rare])
            assert page.next is None
            # some were looked at first, once for their end and once for themselves
            assert read <= 2 * 51 + 10, filters


async def test_a_place_is_reached_by_its_index_whatever_is_asked_for(database: Database) -> None:
    plan = await generic_plan(database, Q.by_place)

    assert plan.count("One-Time Filter") == 4, plan
    assert re.search(r"using items_gone .*\n\s+Index Cond: .*project_id = ", plan), plan
    assert len(re.findall(r"using items_of_endpoint ", plan)) == 3, plan
    assert re.search(r"Index Cond: .*endpoint_id = .*entity_type = ", plan), plan


@pytest.mark.parametrize("few", [0, 3])
async def test_a_page_of_what_nobody_has_is_the_end_of_it(database: Database, few: int) -> None:
    assert await pages(database, few=few, label="red") == [[]]
