"""A season of an API that only a definition describes: after the dust the catalog equals it, and no key was ever seen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.busy_tracker import BusyTracker
from tests.stories.connectors.season import Season

from windrow.postgres import Database


@pytest.mark.campaign
async def test_after_the_dust_the_catalog_equals_the_tracker(
    database: Database, tmp_path: Path, seed: int, record_property: Callable[[str, object], None]
) -> None:
    with BusyTracker() as tracker:
        season = await Season.begin(database, tracker, seed, tmp_path)
        await season.weather(rounds=2)
        stormy = len(tracker.requests)
        await season.dust()

        assert await season.difference() == {}
        things, calm = len(tracker.truth()), len(tracker.requests) - stormy
        record_property("figure", f"{things} things: {stormy} requests in the weather, {calm} to list anew")
    assert tracker.secret not in (tmp_path / "log.jsonl").read_text()
