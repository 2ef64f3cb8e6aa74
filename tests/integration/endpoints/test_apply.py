"""A plan is carried out as it was shown: whatever somebody else changed since is a conflict, and nothing is written."""

import pytest
from tests.integration.endpoints.declared import TWO

from windrow import endpoints
from windrow.app.applying import Action, Plan, carry_out, planned
from windrow.app.manifest import read_manifest
from windrow.contracts.errors import Conflict
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database, audit

ACME = Scope("acme", "main")
ADA = Actor("ada", "test")


async def plan(database: Database, text: str, *, prune: bool = False) -> Plan:
    async with database.tenant("acme") as tx:
        return await planned(tx, read_manifest("f", text.encode(), ACME), ACME, prune=prune)


async def apply(database: Database, made: Plan) -> None:
    async with database.tenant("acme") as tx:
        await carry_out(tx, made, actor=ADA)


async def stored(database: Database) -> dict[str, Endpoint]:
    async with database.tenant("acme") as tx:
        return {each.endpoint_id: each for each in await endpoints.listed(tx, ACME)}


async def test_somebody_elses_change_since_the_plan_was_made_undoes_all_of_it(database: Database) -> None:
    await apply(database, await plan(database, TWO))
    wanted = (
        TWO.replace("1h", "2h").replace("/srv/shares", "/srv/share") + "  a: {connector: git, config: {path: /n}}\n"
    )
    made = await plan(database, wanted)
    async with database.tenant("acme") as tx:
        before = await endpoints.get(tx, ACME, "shares")
        await endpoints.edit(tx, before, {"schedule": "1d"}, expected_version=before.version, actor=ADA)

    with pytest.raises(Conflict):
        await apply(database, made)

    now = await stored(database)
    assert {name: each.schedule for name, each in now.items()} == {"handbook": "1h", "shares": "1d"}


async def test_an_endpoint_that_somebody_else_has_added_since_is_a_conflict(database: Database) -> None:
    made = await plan(database, TWO)
    await apply(database, made)

    with pytest.raises(Conflict):
        await apply(database, made)

    assert [step.action for step in made.steps] == [Action.ADD, Action.ADD]


async def test_an_endpoint_that_changed_since_is_not_removed(database: Database) -> None:
    await apply(database, await plan(database, TWO))
    made = await plan(database, "endpoints: {}", prune=True)
    async with database.tenant("acme") as tx:
        before = await endpoints.get(tx, ACME, "shares")
        await endpoints.edit(tx, before, {"schedule": "1d"}, expected_version=before.version, actor=ADA)

    with pytest.raises(Conflict):
        await apply(database, made)

    assert set(await stored(database)) == {"handbook", "shares"}


async def test_what_is_the_same_already_keeps_its_version_and_leaves_no_line(database: Database) -> None:
    await apply(database, await plan(database, TWO))
    before = await stored(database)

    made = await plan(database, TWO.replace("schedule: 1h", "schedule: ' 1H '"))
    await apply(database, made)

    assert (made.steps, made.unchanged) == ((), ("handbook", "shares"))
    assert await stored(database) == before
    async with database.tenant("acme") as tx:
        assert len(await audit.history(tx)) == 2
