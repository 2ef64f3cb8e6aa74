"""History: what changed in an item, when, by which run; and what changed lately in all of them."""

import pytest
from tests.integration.catalog.shelf import ACME, add, change, id_of, moment

from windrow import catalog
from windrow.catalog import Difference, Kind, Mark
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Database


async def test_every_step_of_an_items_life_says_what_it_changed_when_and_by_which_run(database: Database) -> None:
    (item_id,) = await add(database, "a", display_name="first", attributes={"size": 1, "kind": "x"})
    await change(
        database, item_id, at=moment(1), run="run-2", display_name="second", attributes={"size": 2, "kind": "x"}
    )
    await change(database, item_id, at=moment(2), run="run-3", deleted=True)
    await change(database, item_id, at=moment(3), run="run-4", deleted=False, url="https://example.com", attributes={})

    async with database.tenant("acme") as tx:
        steps = await catalog.history(tx, item_id)

    assert [(step.revision, step.at, step.run_id, step.kind) for step in steps] == [
        (4, moment(3), "run-4", Kind.RESTORED),
        (3, moment(2), "run-3", Kind.DELETED),
        (2, moment(1), "run-2", Kind.CHANGED),
        (1, moment(0), "run-1", Kind.CREATED),
    ]
    assert steps[0].differences == (
        Difference("attributes.kind", "x", None),
        Difference("attributes.size", 2, None),
        Difference("deleted", True, False),
        Difference("url", None, "https://example.com"),
    )
    assert steps[2].differences == (
        Difference("attributes.size", 1, 2),
        Difference("display_name", "first", "second"),
    )
    assert steps[3].differences == ()


async def test_the_present_is_told_in_the_shape_in_which_history_keeps_the_past(database: Database) -> None:
    (item_id,) = await add(
        database,
        "a",
        canonical_path="p",
        owners=["o"],
        labels=["l"],
        source_updated_at=moment(5),
        source_version="1",
        source_created_at=moment(4),
        url="u",
        attributes={"a": None},
    )
    await change(database, item_id, at=moment(1), run="run-2")

    async with database.tenant("acme") as tx:
        (step, _) = await catalog.history(tx, item_id)

    assert (step.kind, step.differences) == (Kind.CHANGED, ())


async def test_what_changed_lately_is_told_a_page_at_a_time_the_newest_first(database: Database) -> None:
    made = await add(database, *(f"n{number}" for number in range(5)))
    for item_id in made[:3]:
        await change(database, item_id, at=moment(7), run="run-2", display_name="renamed")
    await change(database, made[0], at=moment(9), run="run-3", deleted=True)
    await add(database, "late", at=moment(8), run="run-4")

    seen, mark = [], None
    async with database.tenant("acme") as tx:
        while True:
            found, mark = await catalog.changes(tx, ACME, after=mark, limit=2)
            seen += found
            if mark is None:
                break
            mark = Mark.parse(str(mark))

    assert [(each.at, each.kind) for each in seen[:2]] == [(moment(9), Kind.DELETED), (moment(8), Kind.CREATED)]
    assert [each.kind for each in seen[2:5]] == [Kind.CHANGED] * 3
    assert {each.item_id for each in seen[2:5]} == set(made[:3])
    assert seen[2].differences[0].field == "display_name"
    assert [each.kind for each in seen[5:]] == [Kind.CREATED] * 5
    assert len({(each.item_id, each.revision) for each in seen}) == len(seen) == 10


async def test_the_changes_of_a_project_are_its_own(database: Database) -> None:
    (other,) = await add(database, "x", scope=Scope("acme", "other"))
    await change(database, other, at=moment(1), run="run-2", display_name="renamed")

    async with database.tenant("acme") as tx:
        assert await catalog.changes(tx, ACME) == ([], None)
        assert len((await catalog.changes(tx, Scope("acme", "other")))[0]) == 2


async def test_an_item_that_is_not_there_has_no_history(database: Database) -> None:
    async with database.tenant("acme") as tx:
        assert await catalog.history(tx, id_of("never")) == []


@pytest.mark.parametrize(
    "text", ["", "x", "2026-01-01", "2026-01-01,1,1", f"2026-01-01,{id_of('a')},1", ",,", "\x00,a,b"]
)
def test_a_mark_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailure, match="no place in the changes"):
        Mark.parse(text)
