"""A season of a team's OneDrive: after the dust the catalog equals the drives, and no token was ever seen."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.onedrive.season import Team
from tests.stories.connectors.season import Season

from windrow.postgres import Database


@pytest.mark.campaign
@pytest.mark.req("HV-4")
@pytest.mark.parametrize("which", range(3))
async def test_after_the_dust_the_catalog_equals_the_drives(
    database: Database,
    tmp_path: Path,
    seed: int,
    which: int,
    record_property: Callable[[str, object], None],
) -> None:
    with Team() as team:
        season = await Season.begin(database, team, 3 * seed + which, tmp_path)
        await season.weather()
        stormy = len(team.requests)
        await season.dust()

        assert await season.difference() == {}
        record_property("figure", f"{stormy} requests in the weather, {len(team.requests) - stormy} to list anew")
    assert "canary" not in (tmp_path / "log.jsonl").read_text()


async def test_a_first_harvest_asks_nothing_twice_and_the_next_asks_little(database: Database, tmp_path: Path) -> None:
    with Team() as team:
        season = await Season.begin(database, team, 1, tmp_path)
        assert await season.run() == "ok"
        first = Counter(each.line for each in team.requests)
        assert await season.run() == "ok"

        # to sign in, the site, its libraries; pages of 200; one for each thing that is shared
        assert max(first.values()) == 1
        assert first.total() == 3 + 3 * 9 + 30
        # to sign in, the site, its libraries, and the changes of each
        assert len(team.requests) - first.total() == 3 + 3
        assert await season.difference() == {}


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_revoked_halts_the_run_and_harms_nothing_and_a_new_one_is_picked_up(
    database: Database, tmp_path: Path
) -> None:
    with Team(size=300) as team:
        season = await Season.begin(database, team, 2, tmp_path)
        assert await season.run() == "ok"
        team.login.secret = "canary-of-another-secret"
        team.login.revoke_access()
        told = await season.run()
        assert told.startswith("Fatal UNAUTHORIZED")
        assert await season.difference() == {}

        team.credential = team.login.secret
        assert await season.run() == "ok"

    assert "canary" not in told + (tmp_path / "log.jsonl").read_text()
