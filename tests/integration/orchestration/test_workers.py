"""Workers that are run again: whoever owns them does so after every failure."""

import asyncio

from temporalio.client import Client
from tests.integration.orchestration.stage import Turnstile, staged

from windrow.postgres import Database


async def test_workers_that_had_ended_work_again(database: Database, client: Client) -> None:
    shop = Turnstile(things=2)
    shop.lets(5)
    async with staged(database, client, shop) as stage:
        stage.working.cancel()
        await asyncio.gather(stage.working, return_exceptions=True)
        assert not stage.workers.ready.is_set()

        again = asyncio.create_task(stage.workers.run())
        done = await asyncio.wait_for((await stage.start()).result(), 60)
        again.cancel()
        await asyncio.gather(again, return_exceptions=True)

        assert done["state"] == "Completed"
