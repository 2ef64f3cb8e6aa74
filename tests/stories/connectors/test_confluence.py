"""A season of Confluence: after the dust the catalog equals the site, and no token was ever seen."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.confluence.people import People
from tests.stories.connectors.season import Season

from windrow.postgres import Database


@pytest.mark.campaign
@pytest.mark.req("HV-4")
@pytest.mark.parametrize("which", range(3))
async def test_after_the_dust_the_catalog_equals_the_site(
    database: Database,
    tmp_path: Path,
    seed: int,
    which: int,
    record_property: Callable[[str, object], None],
) -> None:
    people = People(seed=3 * seed + which)
    with people.site:
        season = await Season.begin(database, people, people.seed, tmp_path)
        await season.weather()
        stormy = len(people.site.requests)
        await season.dust()

        assert await season.difference() == {}
        record_property(
            "figure", f"{stormy} requests in the weather, {len(people.site.requests) - stormy} to list anew"
        )
    assert "api-token-of-ada" not in (tmp_path / "log.jsonl").read_text()


async def test_a_first_harvest_asks_nothing_twice_and_the_next_asks_little(database: Database, tmp_path: Path) -> None:
    people = People(seed=1)
    with people.site as site:
        season = await Season.begin(database, people, 1, tmp_path)
        assert await season.run() == "ok"
        first = Counter(each.line for each in site.requests if "user/current" not in each.path)
        assert await season.run() == "ok"

        # a list and its descriptions, in pages of 200; a page more for each list that ends with a full one
        assert max(first.values()) == 1
        assert first.total() <= 2 * (5000 / 200 + 5) + 5
        # who we are, the spaces, the changes, and three kinds of trash
        assert len(site.requests) - first.total() - 1 <= 6
        assert await season.difference() == {}


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_revoked_halts_the_run_and_harms_nothing_and_a_new_one_is_picked_up(
    database: Database, tmp_path: Path
) -> None:
    people = People(seed=2, size=600)
    with people.site as site:
        season = await Season.begin(database, people, 2, tmp_path)
        assert await season.run() == "ok"
        site.accounts = {"ada@example.org:another-token-of-ada"}
        told = await season.run()
        assert told.startswith("Fatal UNAUTHORIZED")
        assert await season.difference() == {}

        people.credential = "another-token-of-ada"
        assert await season.run() == "ok"

    written = told + (tmp_path / "log.jsonl").read_text()
    assert "token-of-ada" not in written
