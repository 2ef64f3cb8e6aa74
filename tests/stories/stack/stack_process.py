"""A supervisor in a process of its own: `python stack_process.py HOME ENGINE…` runs a stack until it is killed.

It prints one line of JSON once its engines answer.
"""

import asyncio
import json
import sys
from pathlib import Path

from windrow.stack import UNSAFE_BUT_FAST, EmbeddedPostgres, EmbeddedTemporal, Stack, StackConfig


async def main(home: Path, *engines: str) -> None:
    postgres = EmbeddedPostgres(settings=UNSAFE_BUT_FAST) if "postgres" in engines else None
    temporal = EmbeddedTemporal() if "temporal" in engines else None
    async with Stack(StackConfig(home, postgres, temporal, system_directory=home.parent / "system")) as stack:
        print(json.dumps({"database_url": stack.database_url}), flush=True)  # noqa: T201 - the test reads it
        await stack.watch()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
