"""pgqueuer on as many jobs that do nothing, in the peers' virtual environment: enqueued first, then drained by one process."""

import asyncio
import json
import sys
import time

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.domain.types import QueueExecutionMode


async def main(url: str, count: int, batch: int) -> None:
    connection = await asyncpg.connect(url)
    queue = PgQueuer(AsyncpgDriver(connection))
    await queue.qm.queries.install()
    try:
        seen = 0

        @queue.entrypoint("rest")
        async def rest(_job) -> None:
            nonlocal seen
            seen += 1

        await queue.qm.queries.enqueue(["rest"] * count, [b"{}"] * count, [0] * count)
        began = time.perf_counter()
        await queue.qm.run(batch_size=batch, mode=QueueExecutionMode.drain)
        seconds = time.perf_counter() - began
        assert seen == count
        print(json.dumps({"seconds": seconds}))
    finally:
        connection = await asyncpg.connect(url)
        await PgQueuer(AsyncpgDriver(connection)).qm.queries.uninstall()
        await connection.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
