"""Whoever follows a run is told why it does not get on: a source that is down is tried again for most of an hour."""

import asyncio
from typing import Any, cast

import pytest
from temporalio.client import WorkflowHandle
from tests.integration.harvest.shop import ACME, Shop, open_shop, run_slice

from windrow.app.following import Following
from windrow.cli.sync import progress
from windrow.contracts.errors import Code, RetryableTransient
from windrow.harvest.slice import SliceReport
from windrow.postgres import Database


class UnderWay:
    """A workflow that goes on until it is cancelled, and says which run is its own."""

    def __init__(self, run_id: str) -> None:
        self.run_id, self.over = run_id, asyncio.Event()

    async def query(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"run_id": self.run_id, "state": "Running"}

    async def result(self) -> None:
        await self.over.wait()

    async def cancel(self) -> None:
        self.over.set()


def down(*_: object) -> None:
    raise RetryableTransient("the shop answered 503", code=Code.UNAVAILABLE)


async def followed(database: Database, run_id: str) -> SliceReport:
    """What is seen of a run at the first look."""
    seen: list[SliceReport] = []
    stopped = asyncio.Event()

    def watch(at: SliceReport) -> None:
        seen.append(at)
        stopped.set()

    handle = cast("WorkflowHandle[Any, Any]", UnderWay(run_id))
    await asyncio.wait_for(Following(database, ACME, handle, watch, stopped).to_the_end(), 30)
    return seen[0]


async def test_a_run_whose_source_is_down_says_so_while_it_waits(database: Database) -> None:
    endpoint, shop = await open_shop(database), Shop()
    shop.puts("apple")
    shop.asked = down
    with pytest.raises(RetryableTransient):
        await run_slice(database, shop, endpoint, "run-1")

    at = await followed(database, "run-1")

    assert at.trouble == "the shop answered 503"
    assert str(progress("shop", at, 1.0)) == (
        " shop: 0 items; it is tried again by itself, because the shop answered 503"
    )


async def test_the_trouble_of_another_run_is_not_told_as_its_own(database: Database) -> None:
    endpoint, shop = await open_shop(database), Shop()
    shop.puts("apple")
    await run_slice(database, shop, endpoint, "run-1")
    shop.asked = down
    with pytest.raises(RetryableTransient):
        await run_slice(database, shop, endpoint, "run-2")

    assert (await followed(database, "run-1")).trouble is None
