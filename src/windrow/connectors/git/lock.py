"""One at a time: a lock on a file, which ends with the process that holds it."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from windrow.contracts.errors import Code, Conflict

_LOOK_AGAIN = 0.1


@asynccontextmanager
async def locked(file: Path, *, patience: float) -> AsyncIterator[None]:
    """Hold the lock; a Conflict if somebody else does not let go of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        await _acquire(opened, patience)
        yield
    finally:
        os.close(opened)


async def _acquire(opened: int, patience: float) -> None:
    ends = asyncio.get_running_loop().time() + patience
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if asyncio.get_running_loop().time() > ends:
                raise Conflict(
                    "another run is fetching the same repository",
                    code=Code.ALREADY_RUNNING,
                    hint="it is tried again when that one has ended",
                ) from None
            await asyncio.sleep(_LOOK_AGAIN)
        else:
            return
