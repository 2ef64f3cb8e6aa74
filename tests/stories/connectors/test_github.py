"""A season of GitHub: after the dust the catalog equals the account, and no token was ever seen."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.github import GitHub, people
from tests.stories.connectors.season import Season

from windrow.postgres import Database

REPOSITORIES = 50


def settled(seed: int, *, repositories: int, things: int) -> GitHub:
    hub = GitHub()
    people.settle(hub.account, random.Random(seed), repositories=repositories, things=things)
    return hub


@pytest.mark.campaign
@pytest.mark.req("HV-4")
@pytest.mark.parametrize("which", range(3))
async def test_after_the_dust_the_catalog_equals_the_account(
    database: Database, tmp_path: Path, seed: int, which: int, record_property: Callable[[str, object], None]
) -> None:
    drawn = 3 * seed + which
    with settled(drawn, repositories=10, things=5000) as hub:
        season = await Season.begin(database, hub, drawn, tmp_path)
        await season.weather()
        stormy = len(hub.requests)
        await season.dust()

        assert await season.difference() == {}
        record_property(
            "figure",
            f"{len(hub.truth())} things: {stormy} requests in the weather, {len(hub.requests) - stormy} to list anew",
        )
    assert (hub.credential or "") not in (tmp_path / "log.jsonl").read_text()


async def test_a_first_harvest_asks_nothing_twice_and_the_next_is_all_304(
    database: Database, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with settled(1, repositories=REPOSITORIES, things=1000) as hub:
        season = await Season.begin(database, hub, 1, tmp_path)
        assert await season.run() == "ok"
        first = hub.asked()
        assert [line for line, times in first.items() if times > 1] == []
        hub.requests.clear()
        assert await season.run() == "ok"

        empty = sum(not each.head for each in hub.account.repositories.values())
        assert max(hub.asked().values()) == 1
        assert len(hub.asked(304)) == len(hub.requests) - empty
        # who it is, which repositories there are, and six lists of each
        assert len(hub.requests) <= 2 + 6 * REPOSITORIES
        assert await season.difference() == {}
        figure = f"{len(hub.truth())} things: first {first.total()} requests, then {len(hub.requests)}, {empty} not 304"
        record_property("figure", figure)


@pytest.mark.req("HV-62")
async def test_a_token_that_is_revoked_halts_the_run_and_harms_nothing_and_a_new_one_is_picked_up(
    database: Database, tmp_path: Path
) -> None:
    with settled(2, repositories=3, things=150) as hub:
        season = await Season.begin(database, hub, 2, tmp_path)
        assert await season.run() == "ok"
        old, new = str(hub.credential), "ghp_rotated9876543210fedcba"
        hub.tokens = {new: hub.tokens[old]}
        told = await season.run()
        assert told.startswith("Fatal UNAUTHORIZED")
        assert await season.difference() == {}

        hub.credential = new
        assert await season.run() == "ok"

    written = told + (tmp_path / "log.jsonl").read_text()
    assert old not in written
    assert new not in written
