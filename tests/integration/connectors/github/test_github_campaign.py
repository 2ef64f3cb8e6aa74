"""Seeded: people change things before and during passes, some of which break off; between two listings nothing is missed."""

import random
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.requests import Request
from tests.fakes.github import GitHub, people
from tests.integration.connectors.github.reading import Reader

from windrow.contracts.errors import RetryableTransient


@pytest.mark.campaign
async def test_passes_of_changes_leave_what_is_there(seed: int, tmp_path: Path) -> None:
    drawn = random.Random(seed)
    with GitHub() as hub:
        people.settle(hub.account, drawn, repositories=4, things=250)
        hub.large = drawn.choice((50, 300, 10_000))
        reader = Reader(hub, tmp_path, secret=hub.credential)
        for _ in range(3):
            hub.account.tick(drawn.choice((1, 60, 3600)))
            for _ in range(drawn.randint(0, 30)):
                hub.change(drawn)
            await harvested(hub, reader, drawn)
        hub.before = None
        hub.calm()
        reader.size = 100
        # what was going on in the last pass is told by the next one
        await reader.run()

        assert reader.wrong(gone_too=False) == {}
        reader.ahead = timedelta(days=2)
        await reader.run()
        assert reader.wrong() == {}


async def harvested(hub: GitHub, reader: Reader, drawn: random.Random) -> None:
    """A pass to its end, through whatever trouble."""

    def meanwhile(_: Request) -> None:
        if drawn.random() < 0.1:
            hub.change(drawn)
        if drawn.random() < 0.02:
            hub.trouble(drawn)

    hub.before = meanwhile
    for _ in range(60):
        reader.size = drawn.choice((50, 100)) if reader.size > 50 else reader.size
        try:
            if drawn.random() < 0.5 and not (await reader.page()).last:
                continue
            await reader.run()
        except RetryableTransient:
            reader.size = max(reader.size // 2, 25)
            continue
        reader.size = 100
        return
    raise AssertionError("no pass came to its end")
