"""procrastinate on as many jobs that do nothing, in the peers' virtual environment: deferred first, then run by one worker."""

import asyncio
import json
import sys
import time

import procrastinate


async def main(url: str, count: int, concurrency: int) -> None:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
    seen = 0

    @app.task(name="rest")
    async def rest() -> None:
        nonlocal seen
        seen += 1

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await rest.batch_defer_async(*[{} for _ in range(count)])
        began = time.perf_counter()
        await app.run_worker_async(wait=False, concurrency=concurrency, install_signal_handlers=False)
        seconds = time.perf_counter() - began
    assert seen == count
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
