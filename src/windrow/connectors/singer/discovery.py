"""What a tap says of its streams (`--discover`), asked once an hour and kept in the cache of the machine meanwhile."""

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

from windrow.connectors.context import Context
from windrow.connectors.singer.complaints import Say
from windrow.connectors.singer.failures import crashed, hung
from windrow.connectors.singer.process import Order, Running
from windrow.contracts.errors import Code, ValidationFailure

KEPT_SECONDS = 3600


def kept(context: Context, name: str) -> bytes | None:
    """What was said not long ago."""
    file = _file(context, name)
    try:
        age = context.now().timestamp() - file.stat().st_mtime
        return file.read_bytes() if 0 <= age < KEPT_SECONDS else None
    except FileNotFoundError:
        return None


def keep(context: Context, name: str, said: bytes) -> None:
    """Keep it. Two who do so at once do not mix."""
    context.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=context.cache, delete=False) as written:
        written.write(said)
    Path(written.name).replace(_file(context, name))


def _file(context: Context, name: str) -> Path:
    return context.cache / f"catalog-{name}.json"


async def discover(tap: str, order: Order, say: Say) -> bytes:
    """Ask the tap. The whole answer may be one line."""
    limits = order.limits
    wide = replace(order, limits=replace(limits, message_bytes=limits.catalog_bytes))
    running = await Running.start(wide, say)
    try:
        async with asyncio.timeout(limits.discovery_seconds):
            said = await _heard(tap, running, limits.catalog_bytes)
            ended = await running.ended()
    except TimeoutError:
        raise hung(tap, limits.discovery_seconds, running.words) from None
    finally:
        await running.end()
    if not ended.well:
        raise crashed(tap, ended, memory=order.memory)
    return said


async def _heard(tap: str, running: Running, most: int) -> bytes:
    lines: list[bytes] = []
    room = most
    while (line := await running.line()) is not None:
        room -= line.length + 1
        if room < 0:
            raise ValidationFailure(
                f"the tap {tap} says more than {most >> 20} MiB of its streams",
                code=Code.INVALID,
                hint="configure the tap to offer fewer of them",
            )
        lines.append(line.text)
    return b"\n".join(lines)
