"""Reading the catalog: pages, one item by any of its names, counts."""

from uuid import UUID

import pytest
from tests.integration.catalog.shelf import ACME, THEIRS, add, change, id_of, moment, relate

from windrow import catalog
from windrow.catalog import Count, Filters
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import content_hash
from windrow.contracts.item import NormalizedItem, Provenance, Relation
from windrow.contracts.scope import Scope
from windrow.postgres import Database


async def ids(database: Database, **filters: object) -> list[str]:
    async with database.tenant("acme") as tx:
        return [each.external_id for each in (await catalog.items(tx, ACME, Filters(**filters))).items]  # type: ignore[arg-type]


async def named(database: Database, name: str, external_id: str | None = None, scope: Scope = ACME) -> UUID:
    async with database.tenant(scope.tenant_id) as tx:
        return await catalog.identify(tx, scope, name, external_id)


async def test_pages_hold_every_item_once_in_the_order_of_ids(database: Database) -> None:
    for endpoint in ("wiki", "repo"):
        await add(database, *(f"f{number}" for number in range(4)), endpoint=endpoint)
        await add(database, "commit", endpoint=endpoint, entity_type="commit")

    seen, after = [], None
    async with database.tenant("acme") as tx:
        while True:
            page = await catalog.items(tx, ACME, after=after, limit=3)
            seen += [each.item_id for each in page.items]
            if (after := page.next) is None:
                break

    assert len(seen) == 10
    assert seen == sorted(set(seen))


async def test_filters_choose_what_is_listed(database: Database) -> None:
    await add(database, "a", labels=["red"], owners=["ann"])
    await add(database, "b", entity_type="page", endpoint="wiki")
    await add(database, "c", deleted=True)
    await add(database, "d", scope=Scope("acme", "other"))
    await add(database, "e", scope=THEIRS)

    assert sorted(await ids(database)) == ["a", "b"]
    assert await ids(database, endpoint="wiki") == ["b"]
    assert await ids(database, entity_type="file") == ["a"]
    assert await ids(database, label="red", owner="ann") == ["a"]
    assert await ids(database, deleted=True) == ["c"]


@pytest.mark.req("HV-43")
async def test_an_item_is_shown_with_all_that_the_source_said_and_how_it_was_learnt(database: Database) -> None:
    (item_id,) = await add(
        database,
        "src/kv.py",
        canonical_path="src/kv.py",
        url="https://example.com/kv",
        owners=["ann", "ben"],
        labels=["red"],
        source_version="v1",
        source_created_at=moment(1),
        source_updated_at=moment(2),
        attributes={"size": 3, "nested": {"a": [1, None]}},
        observation=7,
        at=moment(3),
    )
    await relate(database, item_id, "parent", "src")

    async with database.tenant("acme") as tx:
        held = await catalog.item(tx, ACME, item_id)

    assert held.item == NormalizedItem(
        item_id=str(item_id),
        tenant_id="acme",
        project_id="main",
        endpoint_id="repo",
        source_system="git",
        entity_type="file",
        external_id="src/kv.py",
        display_name="kv.py",
        canonical_path="src/kv.py",
        url="https://example.com/kv",
        owners=("ann", "ben"),
        labels=("red",),
        source_version="v1",
        source_created_at=moment(1),
        source_updated_at=moment(2),
        attributes={"size": 3, "nested": {"a": [1, None]}},
        relations=(Relation("parent", "src"),),
        content_hash=held.item.content_hash,
        provenance=Provenance(
            source_system="git",
            connector="git",
            connector_version="1.2.3",
            fetched_at=moment(3),
            spec_ref="git@1",
            run_id="run-1",
            observation=7,
        ),
    )
    assert len(held.item.content_hash) == len(content_hash(b""))
    assert (held.revision, held.first_seen_at, held.first_run_id) == (1, moment(3), "run-1")
    assert held.document()["provenance"]["run_id"] == "run-1"


async def test_an_item_is_named_by_its_id_the_beginning_of_it_or_the_sources_own_id(database: Database) -> None:
    (item_id,) = await add(database, "src/kv.py")
    text = str(item_id)

    for name in (text, text.upper(), text.replace("-", ""), text[:8], text[:13], text[:4]):
        assert await named(database, name) == item_id
    assert await named(database, "repo", "src/kv.py") == item_id


async def test_a_beginning_that_several_share_names_none(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(600)))
    shared = str(id_of("n0"))[:1]

    with pytest.raises(ValidationFailure, match="nor the beginning"):
        await named(database, shared)
    async with database.tenant("acme") as tx:
        await tx.connection.execute(
            "UPDATE items SET item_id = 'abcd0000-0000-8000-a000-000000000001' WHERE external_id = 'n0'"
        )
        await tx.connection.execute(
            "UPDATE items SET item_id = 'abcd0000-0000-8000-a000-000000000002' WHERE external_id = 'n1'"
        )
    with pytest.raises(ValidationFailure, match="several items") as refused:
        await named(database, "abcd0000")
    assert refused.value.hint == "give more of the id"


@pytest.mark.parametrize(
    "name",
    ["", "xyz", "abc", "0" * 33, "'; DROP", "\x00", "12345678-1234", "\ud800", "\uff41\uff42\uff43\uff44", "---- ----"],
)
async def test_what_names_nothing_is_refused_in_one_line(database: Database, name: str) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await named(database, name)

    assert refused.value.hint
    assert refused.value.message.isprintable()


async def test_an_item_of_another_tenant_or_project_is_not_there(database: Database) -> None:
    (theirs,) = await add(database, "x", scope=THEIRS)
    (other,) = await add(database, "x", scope=Scope("acme", "other"))

    for item_id in (theirs, other, id_of("never")):
        async with database.tenant("acme") as tx:
            with pytest.raises(ValidationFailure) as refused:
                await catalog.item(tx, ACME, item_id)
        assert refused.value.code is Code.NOT_FOUND
    with pytest.raises(ValidationFailure, match="not in the catalog"):
        await named(database, str(theirs)[:8])
    with pytest.raises(ValidationFailure, match="not in the catalog"):
        await named(database, "repo", "\ud800 \x00")
    with pytest.raises(ValidationFailure, match="is not a name"):
        await named(database, "\ud800", "x")


async def test_items_are_counted_by_endpoint_and_type_and_the_gone_apart(database: Database) -> None:
    made = await add(database, "a", "b", "c")
    await add(database, "w", endpoint="wiki", entity_type="page")
    await change(database, made[0], at=moment(1), run="run-2", deleted=True)

    async with database.tenant("acme") as tx:
        assert await catalog.counts(tx, ACME) == [Count("repo", "file", 2, 1), Count("wiki", "page", 1, 0)]
        assert await catalog.counts(tx, ACME, endpoint="wiki") == [Count("wiki", "page", 1, 0)]
        assert await catalog.counts(tx, Scope("acme", "other")) == []
