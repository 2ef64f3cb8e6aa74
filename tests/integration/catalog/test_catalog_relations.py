"""Relations: what an item names, whether that is in the catalog, and who names it."""

import re

from tests.integration.catalog.shelf import ACME, add, generic_plan, id_of, relate

from windrow import catalog
from windrow.catalog.relations import Q
from windrow.postgres import Database


async def test_relations_are_told_both_ways_with_what_the_catalog_knows(database: Database) -> None:
    commit, parent = await add(database, "c2", "c1", entity_type="commit")
    (gone,) = await add(database, "old.py", deleted=True)
    await relate(database, commit, "parent", "c1")
    await relate(database, commit, "changes", "never.py")
    await relate(database, commit, "changes", "old.py")

    async with database.tenant(ACME.tenant_id) as tx:
        of_commit = await catalog.relations(tx, commit)
        of_parent = await catalog.relations(tx, parent)
        cut = await catalog.relations(tx, commit, limit=1)

    assert [(each.type, each.external_id, each.in_catalog, each.deleted) for each in of_commit.outgoing] == [
        ("changes", "never.py", False, None),
        ("changes", "old.py", True, True),
        ("parent", "c1", True, False),
    ]
    assert [each.item_id for each in of_commit.outgoing] == [id_of("never.py"), gone, parent]
    assert of_commit.incoming == ()
    assert not of_commit.more
    assert [(each.type, each.item_id, each.display_name) for each in of_parent.incoming] == [("parent", commit, "c2")]
    assert (len(cut.outgoing), cut.more) == (1, True)


async def test_of_very_many_that_name_an_item_no_more_are_read_than_are_shown(database: Database) -> None:
    (root,) = await add(database, "root")
    for child in await add(database, *(f"n{number}" for number in range(6))):
        await relate(database, child, "parent", "root")
    async with database.tenant(ACME.tenant_id) as tx:
        some = await catalog.relations(tx, root, limit=4)
    plan = await generic_plan(database, Q.incoming)

    assert (len(some.incoming), some.more) == (4, True)
    assert re.search(r"Limit .*\n *-> +Index Scan using item_relations_target ", plan), plan
