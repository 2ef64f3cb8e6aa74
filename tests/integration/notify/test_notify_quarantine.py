"""Refused records: the maintainers hear of the first, and once more when they are many (HV-70, MW-22)."""

import pytest
from tests.integration.notify.desk import TENANT, Desk

from windrow.notify import Channel, quarantine
from windrow.notify.quarantine import Refusals


async def watch(desk: Desk, fetched: int, refused: int, run_id: str = "wiki-7") -> None:
    refusals = Refusals(project_id="docs", endpoint_id="wiki", run_id=run_id, fetched=fetched, refused=refused)
    async with desk.database.tenant(TENANT) as tx:
        await quarantine.watch(tx, refusals)


@pytest.mark.req("HV-70", "MW-22")
async def test_each_threshold_is_told_once_a_run_however_often_the_counts_are_looked_at(desk: Desk) -> None:
    for fetched, refused in [(100, 0), (200, 1), (300, 2), (400, 5), (500, 9), (600, 9)]:
        await watch(desk, fetched, refused)
    await watch(desk, 10, 1, run_id="wiki-8")

    notices = await desk.told(Channel.MAINTAINERS)
    assert [(notice["run_id"], notice["severity"]) for notice in notices] == [
        ("wiki-7", "info"),
        ("wiki-7", "warning"),
        ("wiki-8", "info"),
    ]
    assert notices[1]["title"] == "wiki: 5 of 400 records were refused (1.2 %)"


async def test_a_run_without_refused_records_tells_nobody(desk: Desk) -> None:
    await watch(desk, 1000, 0)

    assert await desk.told(Channel.MAINTAINERS) == []
