"""Relations: what an item names, whether that is in the catalog, and who names it."""

from tests.integration.catalog.shelf import ACME, add, id_of, relate

from windrow import catalog
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
