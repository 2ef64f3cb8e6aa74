"""The subscriber of the harvest benchmark, in a process of its own as in a deployment; it ends with its input."""

import asyncio
import json
import resource
import sys

from windrow.harvest.subscriber import Subscriber
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import log
from windrow.telemetry.declare import Level


async def main(url: str) -> None:
    log.configure(format=log.Format.JSON, level=Level.ERROR)
    async with Database(url, size=4) as database:
        wakeups = Wakeups(url)
        subscriber = Subscriber(database, wakeups)
        serving = [asyncio.create_task(wakeups.run()), asyncio.create_task(subscriber.run())]
        await wakeups.listening.wait()
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
    print(json.dumps({"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
