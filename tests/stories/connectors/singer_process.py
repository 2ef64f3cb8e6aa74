"""A process that harvests a tap, page after page, and says so: `python -m tests.stories.connectors.singer_process PLACE`."""

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path

from tests.integration.connectors.singer.reading import Reader


async def main(place: Path) -> None:
    reader = Reader(place, place / "tap-fake", {"tap_config": {"lifeline": str(place / "lifeline")}})
    async with aclosing(reader.connector().fetch_pages(None, 50)) as pages:  # type: ignore[type-var]
        async for page in pages:
            print(len(page.records), flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
