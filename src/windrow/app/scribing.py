"""The log lines of runs, kept with them for as long as a process works on runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from windrow.app.background import Background
from windrow.harvest.scribe import Scribe
from windrow.postgres import Database
from windrow.telemetry.log import listening


@asynccontextmanager
async def written_down(database: Database) -> AsyncIterator[None]:
    """What is said about runs inside is written down; entered before the work, it hears how that ended too."""
    scribe = Scribe(database)
    with listening(scribe.hear):
        try:
            async with Background() as background:
                background.start("run_log", scribe.run)
                yield
        finally:
            await scribe.finish()
