"""The table of sources: added, edited, removed, revived; what the audit trail and the log are told."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.conftest import Said

from windrow import endpoints
from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database, audit

ACME = Scope("acme", "main")
ADA = Actor("ada", "role:admin")
HANDBOOK = Endpoint(
    scope=ACME,
    endpoint_id="handbook",
    connector="git",
    config={"url": "/srv/handbook", "depth": 1},
    credential_ref="env:WINDROW_SECRET_GIT",
    schedule="15m",
    page_size=200,
)


async def add(database: Database, endpoint: Endpoint = HANDBOOK) -> Endpoint:
    async with database.tenant(endpoint.scope.tenant_id) as tx:
        return await endpoints.add(tx, endpoint, ADA)


async def edit(database: Database, changes: dict[str, Any], expected: int, **more: Any) -> Endpoint:
    async with database.tenant("acme") as tx:
        return await endpoints.edit(tx, HANDBOOK, changes, expected_version=expected, actor=ADA, **more)


async def remove(database: Database, **more: Any) -> Endpoint:
    async with database.tenant("acme") as tx:
        return await endpoints.remove(tx, ACME, "handbook", actor=ADA, reason="not needed", **more)


async def get(database: Database, name: str = "handbook", *, tenant: str = "acme", **more: Any) -> Endpoint:
    async with database.tenant(tenant) as tx:
        return await endpoints.get(tx, Scope(tenant, "main"), name, **more)


async def trail(database: Database) -> list[audit.Entry]:
    async with database.tenant("acme") as tx:
        return list(reversed(await audit.history(tx, subject="endpoints/main/handbook")))


async def test_what_was_added_is_found_as_it_was_given(database: Database) -> None:
    added = await add(database)

    found = await get(database)
    assert found == added
    assert found.settings() == HANDBOOK.settings()
    assert (found.version, found.filters) == (1, HANDBOOK.filters)
    assert found.created_at == found.updated_at
    assert (found.last_checked_at, found.removed_at) == (None, None)


async def test_a_name_that_is_taken_is_a_conflict_and_changes_nothing(database: Database) -> None:
    added = await add(database)

    with pytest.raises(Conflict) as conflict:
        await add(database, replace(HANDBOOK, connector="files"))

    assert conflict.value.code == Code.ALREADY_EXISTS
    assert await get(database) == added


async def test_of_many_who_add_one_name_at_once_one_does(database: Database) -> None:
    outcomes = await asyncio.gather(*(add(database) for _ in range(8)), return_exceptions=True)

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict"] * 7 + ["Endpoint"]
    assert len(await trail(database)) == 1


async def test_a_missing_one_is_told_with_near_names(database: Database) -> None:
    await add(database)

    with pytest.raises(ValidationFailure) as missing:
        await get(database, "hadnbook")

    assert missing.value.code == Code.NOT_FOUND
    assert "handbook" in (missing.value.hint or "")


async def test_a_tenant_sees_and_changes_only_its_own(database: Database) -> None:
    await add(database)
    await add(database, replace(HANDBOOK, scope=Scope("other", "main"), connector="files"))

    assert (await get(database)).connector == "git"
    assert (await get(database, tenant="other")).connector == "files"
    async with database.tenant("other") as tx:
        assert [found.scope.tenant_id for found in await endpoints.listed(tx)] == ["other"]
        assert await endpoints.find(tx, ACME, "handbook") is None
    with pytest.raises(ValidationFailure):
        async with database.tenant("other") as tx:
            await endpoints.remove(tx, ACME, "handbook", actor=ADA, reason="not mine")
    assert (await get(database)).version == 1


async def test_one_name_in_two_projects_is_two_endpoints(database: Database) -> None:
    await add(database)
    await add(database, replace(HANDBOOK, scope=Scope("acme", "second")))

    async with database.tenant("acme") as tx:
        assert [found.scope.project_id for found in await endpoints.listed(tx)] == ["main", "second"]
        assert [found.scope.project_id for found in await endpoints.listed(tx, ACME)] == ["main"]


async def test_an_edit_raises_the_version_and_changes_what_it_names(database: Database) -> None:
    await add(database)

    edited = await edit(database, {"schedule": None, "config": {"url": "/srv/handbook"}}, 1, reason="by hand")

    assert edited == await get(database)
    assert (edited.version, edited.schedule, edited.config) == (2, None, {"url": "/srv/handbook"})
    assert (edited.credential_ref, edited.page_size) == (HANDBOOK.credential_ref, HANDBOOK.page_size)
    assert edited.updated_at
    assert edited.created_at
    assert edited.updated_at > edited.created_at


async def test_an_edit_over_another_version_is_a_conflict(database: Database) -> None:
    await add(database)
    await edit(database, {"page_size": 300}, 1)

    with pytest.raises(Conflict, match="version 2, not at 1"):
        await edit(database, {"page_size": 400}, 1)

    assert (await get(database)).page_size == 300


async def test_of_many_editors_of_one_version_one_succeeds(database: Database) -> None:
    await add(database)

    edits = (edit(database, {"page_size": 50 + n}, 1) for n in range(8))
    outcomes = await asyncio.gather(*edits, return_exceptions=True)

    won = [outcome for outcome in outcomes if isinstance(outcome, Endpoint)]
    assert [type(outcome) for outcome in outcomes].count(Conflict) == 7
    assert won == [await get(database)]


async def test_an_edit_that_changes_nothing_writes_nothing(database: Database, said: Said) -> None:
    added = await add(database)

    assert await edit(database, {"page_size": 200, "config": {"depth": 1, "url": "/srv/handbook"}}, 1) == added
    assert len(await trail(database)) == 1
    assert not said.events("endpoint.edited")


async def test_true_is_not_taken_for_one(database: Database) -> None:
    await add(database)

    assert (await edit(database, {"config": {"url": "/srv/handbook", "depth": True}}, 1)).config["depth"] is True


async def test_an_edit_is_held_to_the_rules_and_to_what_may_be_edited(database: Database) -> None:
    await add(database)

    for changes in ({"page_size": 1}, {"config": {"token": "x"}}, {"connector": "files"}, {"removed_at": None}):
        with pytest.raises(ValidationFailure):
            await edit(database, changes, 1)
    assert (await get(database)).version == 1


async def test_a_removed_one_is_not_found_unless_asked_for(database: Database) -> None:
    await add(database)
    removed = await remove(database)

    with pytest.raises(ValidationFailure, match="was removed") as missing:
        await get(database)
    assert "revives it" in (missing.value.hint or "")
    assert await get(database, removed=True) == removed
    assert removed.removed_at is not None
    async with database.tenant("acme") as tx:
        assert await endpoints.listed(tx) == []
        assert await endpoints.listed(tx, removed=True) == [removed]


async def test_a_removed_one_can_be_neither_edited_nor_removed_again(database: Database) -> None:
    await add(database)
    await remove(database)

    with pytest.raises(ValidationFailure, match="was removed"):
        await edit(database, {"page_size": 100}, 2)
    with pytest.raises(ValidationFailure, match="was removed"):
        await remove(database)


async def test_what_was_edited_since_it_was_seen_is_not_removed(database: Database) -> None:
    await add(database)
    await edit(database, {"page_size": 100}, 1)

    with pytest.raises(Conflict):
        await remove(database, expected_version=1)
    assert (await remove(database, expected_version=2)).version == 3


async def test_adding_a_removed_name_revives_it_with_a_higher_version(database: Database) -> None:
    first = await add(database)
    await checked(database)
    await remove(database)

    revived = await add(database, replace(HANDBOOK, connector="files", config={"path": "/srv"}))

    assert revived == await get(database)
    assert (revived.version, revived.connector, revived.created_at) == (3, "files", first.created_at)
    assert (revived.last_checked_at, revived.removed_at) == (None, None)


async def checked(database: Database) -> None:
    async with database.tenant("acme") as tx:
        await endpoints.checked(tx, ACME, "handbook")


async def test_a_check_is_remembered_and_is_no_edit(database: Database) -> None:
    added = await add(database)
    await checked(database)
    once = await get(database)
    await checked(database)
    twice = await get(database)

    assert once.last_checked_at
    assert twice.last_checked_at
    assert twice.last_checked_at > once.last_checked_at
    assert replace(twice, last_checked_at=None) == added
    assert len(await trail(database)) == 1


async def test_a_check_of_what_was_removed_meanwhile_is_no_error(database: Database) -> None:
    await add(database)
    await remove(database)
    await checked(database)

    assert (await get(database, removed=True)).last_checked_at is None


async def test_the_trail_has_hashes_and_names_of_what_changed_and_no_value(database: Database) -> None:
    await add(database, replace(HANDBOOK, config={"url": "/canary/one"}))
    await edit(database, {"config": {"url": "/canary/two", "branch": "canary"}, "schedule": None}, 1, reason="moved")
    await remove(database)
    await add(database, replace(HANDBOOK, config={"url": "/canary/three"}))

    added, edited, removed, revived = await trail(database)
    assert [entry.action for entry in (added, edited, removed, revived)] == [
        "endpoints.add",
        "endpoints.edit",
        "endpoints.remove",
        "endpoints.revive",
    ]
    assert {(entry.actor, entry.authority, entry.project_id) for entry in (added, edited, removed)} == {
        ("ada", "role:admin", "main")
    }
    assert (added.before_hash, added.after_hash) == (None, edited.before_hash)
    assert (removed.before_hash, removed.after_hash) == (edited.after_hash, None)
    assert edited.details == {"connector": "git", "version": 2, "changed": ["schedule", "config.branch", "config.url"]}
    assert (edited.reason, removed.reason) == ("moved", "not needed")
    assert "canary" not in str([added, edited, removed, revived])


async def test_every_change_is_told_once_it_has_committed(database: Database, said: Said) -> None:
    await add(database)
    await edit(database, {"page_size": 300}, 1)
    await remove(database)
    await add(database)
    with pytest.raises(ZeroDivisionError):
        async with database.tenant("acme") as tx:
            await endpoints.remove(tx, ACME, "handbook", actor=ADA, reason="never mind")
            raise ZeroDivisionError

    told = [line for line in said.lines if line["event"].startswith("endpoint.")]
    assert [(line["event"], line["version"]) for line in told] == [
        ("endpoint.added", 1),
        ("endpoint.edited", 2),
        ("endpoint.removed", 3),
        ("endpoint.revived", 4),
    ]
    assert told[1]["changed"] == ["page_size"]
    assert "/srv/handbook" not in str(told)
