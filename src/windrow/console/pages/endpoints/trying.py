"""An endpoint is tried before it is saved: what was found, in order, and some of what would come of it."""

import asyncio

from windrow.console.pages.desk import Desk
from windrow.console.trial import Finding, Trial
from windrow.endpoints import Endpoint

SHOWN = 8
# whoever waits holds a connection open meanwhile
MOST_SECONDS = 60.0


async def tried(desk: Desk, endpoint: Endpoint, *, seconds: float = MOST_SECONDS) -> Trial:
    """Nothing is written. A source that does not answer is a finding like any other."""
    try:
        async with asyncio.timeout(seconds) as limit:
            return await desk.ports.attempt(endpoint, SHOWN)
    except TimeoutError:
        if not limit.expired():
            raise
        return Trial(well=False, findings=[_slow(seconds)])


def _slow(seconds: float) -> Finding:
    hint = "try again, or read less of it; a run has more time than a test"
    return Finding(name="source", well=False, detail=f"it was not read within {seconds:g} seconds", hint=hint)
