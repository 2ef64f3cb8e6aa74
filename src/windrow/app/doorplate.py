"""Where this machine's HTTP application answers, for the commands that are its clients; and where each server listened last.

The file is locked as long as its writer lives. A command sends its token to no address whose server is gone: somebody
else on the machine could listen there by now.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

HTTP = "http"
TOKEN = "token"  # noqa: S105 - the name of its file
# whoever looks where the server is holds the lock for an instant
LOOKS, LOOK_SECONDS = 10, 0.02


@asynccontextmanager
async def doorplate(home: Path, url: str, name: str = HTTP) -> AsyncIterator[None]:
    """Say where it answers, as long as the block lasts. Where another server of this home says so already, it goes on."""
    descriptor = os.open(_file(home, name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if await _locked(descriptor):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps({"url": url}).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def address(home: Path) -> str | None:
    """Where a server that lives answers."""
    try:
        descriptor = os.open(_file(home, HTTP), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def last_port(home: Path, name: str = HTTP) -> dict[str, int]:
    """Where the server of that name listened last time, so that it does again if it can."""
    try:
        descriptor = os.open(_file(home, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        port = urlsplit(_read(descriptor) or "").port
    except ValueError:
        port = None
    finally:
        os.close(descriptor)
    return {name: port} if port else {}


def _file(home: Path, name: str) -> Path:
    return home / f"{name}.json"


async def _locked(descriptor: int) -> bool:
    for _ in range(LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return True
    return False


def _read(descriptor: int) -> str | None:
    try:
        return str(json.loads(os.pread(descriptor, 4096, 0))["url"])
    except (ValueError, KeyError, TypeError):
        return None
