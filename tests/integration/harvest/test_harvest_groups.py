"""Refused records by what is wrong with them: the same fault is one group, whatever the values."""

from datetime import timedelta
from typing import Any

import pytest
from tests.integration.console.pages.fields import connect
from tests.integration.console.pages.fields_quarantine import refused
from tests.integration.harvest.shop import OPERATOR

from windrow.harvest import quarantine
from windrow.harvest.quarantine import COUNTED, Group, Mark
from windrow.postgres import Database, audit


def reason(why: str, path: str, message: str) -> dict[str, str]:
    return {"why": why, "path": path, "message": message}


KIND = reason("SCHEMA", "/relations/0/kind", "should be a string")
NAME = reason("SCHEMA", "/display_name", "should have at least 1")
LONG = reason("RAW_BLOB", "/attributes/body", "a text of 70000 characters; keep a link")
LOST = reason("TRANSFORM", "", "KeyError: 'a17'")
# beside each, the same thing said of another record
ALIKE: list[tuple[list[dict[str, str]], list[dict[str, str]]]] = [
    ([KIND], [KIND | {"path": "/relations/12/kind"}]),
    ([LONG], [LONG | {"message": "a text of 123 characters; keep a link"}]),
    ([LOST], [LOST | {"message": "KeyError: 'zz-2b'"}]),
    ([KIND, NAME], [NAME, KIND | {"path": "/relations/3/kind"}, KIND | {"path": "/relations/4/kind"}]),
    ([NAME], [NAME | {"message": "should have at least 10"}]),
]


async def groups(database: Database, **more: Any) -> list[Group]:
    async with database.tenant("acme") as tx:
        return await quarantine.groups(tx, "main", **{"limit": 50, **more})


async def test_what_is_wrong_in_the_same_way_is_one_group_whatever_the_values(database: Database) -> None:
    with connect(database.url) as connection:
        for number, pair in enumerate(ALIKE):
            for place, reasons in enumerate(pair):
                refused(connection, f"source-{place}", f"{number:016x}", reasons)

    found = await groups(database)

    assert [(group.count, group.endpoints) for group in found] == [(2, 2)] * len(ALIKE)
    assert {len(group.key) for group in found} == {12}
    assert {tuple(each["path"] for each in group.reasons) for group in found} == {
        ("/relations/*/kind",),
        ("/attributes/body",),
        ("",),
        ("/display_name", "/relations/*/kind"),
        ("/display_name",),
    }
    assert {group.key for group in await groups(database, endpoint="source-1")} == {group.key for group in found}
    assert [group.count for group in await groups(database, endpoint="source-1")] == [1] * len(ALIKE)
    assert [group.key for group in await groups(database, key=found[2].key)] == [found[2].key]
    assert await groups(database, key="0" * 12) == await groups(database, state="dropped") == []


async def test_the_most_frequent_comes_first_and_nobody_counts_for_ever(database: Database) -> None:
    with connect(database.url) as connection:
        refused(connection, "rare", "a" * 16, [NAME])
        for number in range(2):
            refused(connection, "often", f"{number:016x}", [KIND])
        connection.execute(
            """INSERT INTO quarantine (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, reasons, excerpt)
               SELECT tenant_id, project_id, 'flood', n::text, lane, run_id, observation, position, '[]', excerpt
                 FROM quarantine, generate_series(1, %s) n WHERE endpoint_id = 'rare'""",
            (COUNTED + 5,),
        )

    found = await groups(database)

    assert [(group.example.endpoint_id, group.count) for group in found] == [
        ("flood", COUNTED),
        ("often", 2),
        ("rare", 1),
    ]
    assert found[0].reasons == []
    assert [group.example.endpoint_id for group in await groups(database, limit=2)] == ["flood", "often"]


async def test_a_group_is_read_to_its_end_page_by_page_and_whole(database: Database) -> None:
    with connect(database.url) as connection:
        for number in range(7):
            # several at the same moment, and the same id at two endpoints
            refused(
                connection, f"source-{number % 2}", f"{number // 2:016x}", [NAME], last_at="2026-01-01", record="{}"
            )
        refused(connection, "source-0", "f" * 16, [NAME], last_at="2025-01-01", record=None)
        refused(connection, "source-0", "e" * 16, [KIND])
    (group,) = [group for group in await groups(database) if group.count == 8]

    read, mark = [], None
    async with database.tenant("acme") as tx:
        while page := await quarantine.of_group(tx, "main", group.key, after=mark, limit=3):
            read += page
            mark = Mark.at(page[-1])
            rest = await quarantine.waiting(tx, "main", group.key, after=mark)
            assert rest == 8 - len(read)
        looked = await quarantine.page(tx, "main", key=group.key, limit=20)
    async with database.tenant("other") as tx:
        assert await quarantine.of_group(tx, "main", group.key, limit=3) == []

    assert [(entry.endpoint_id, entry.id) for entry in looked] == [(entry.endpoint_id, entry.id) for entry in read]
    assert [entry.record for entry in read] == ["{}"] * 7 + [None]
    assert [entry.record for entry in looked] == [""] * 7 + [None], "to look at it, a record need not be read"


async def test_a_group_is_given_up_as_somebody_has_seen_it_and_no_more(database: Database) -> None:
    with connect(database.url) as connection:
        for name in ("one", "two"):
            refused(connection, name, "a" * 16, [NAME], last_at="2026-01-01")
        refused(connection, "one", "b" * 16, [KIND], last_at="2026-01-01")
    (group,) = [group for group in await groups(database) if group.count == 2]
    with connect(database.url) as connection:
        refused(connection, "one", "c" * 16, [NAME], last_at=group.last_at + timedelta(seconds=1))

    async with database.tenant("acme") as tx:
        done = await quarantine.drop_group(
            tx, "main", group.key, until=group.last_at, actor=OPERATOR, reason="drafts", limit=50
        )
        trail = await audit.history(tx)

    assert done == 2
    assert [(group.example.id[0], group.count) for group in await groups(database)] == [("c", 1), ("b", 1)]
    assert sorted((line.subject, line.reason, (line.details or {})["entries"]) for line in trail) == [
        ("quarantine/one", "drafts", ["a" * 16]),
        ("quarantine/two", "drafts", ["a" * 16]),
    ]


@pytest.mark.parametrize("joins", ["nestloop", "hashjoin"])
async def test_no_more_of_a_group_are_given_up_than_was_said_by_whatever_plan(database: Database, joins: str) -> None:
    with connect(database.url) as connection:
        for number in range(5):
            refused(connection, "one", f"{number:016x}", [NAME], last_at="2026-01-01")
    (group,) = await groups(database)

    async with database.tenant("acme") as tx:
        others = {"nestloop", "hashjoin", "mergejoin"} - {joins}
        await tx.connection.execute("".join(f"SET LOCAL enable_{other} = off;" for other in others))
        done = await quarantine.drop_group(
            tx, "main", group.key, until=group.last_at, actor=OPERATOR, reason="drafts", limit=2
        )

    assert done == 2
    (left,) = await groups(database)
    assert left.count == 3
