"""A worker in a process of its own that gives one page and then none: to be killed in the middle of a slice."""

import asyncio
import sys
from datetime import timedelta

from temporalio.client import Client
from tests.integration.orchestration.stage import Means, Turnstile, working

from windrow.postgres import Database


async def main(address: str, namespace: str, database_url: str) -> None:
    shop = Turnstile(things=120)
    shop.lets(1)
    client = await Client.connect(address, namespace=namespace)
    async with Database(database_url, size=5) as database:
        means = Means(heartbeat=timedelta(seconds=1))
        running = asyncio.create_task(working(database, client, shop, "harvesters", means).run())
        while True:
            asked = await shop.reached.get()
            print("first" if asked is None else "second", flush=True)  # noqa: T201 - whoever started it waits for this
            if running.done():
                running.result()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
