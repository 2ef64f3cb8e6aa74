"""The catalog of a project, written down: parts of items, and a manifest last, so that a reader knows it is whole.

    part-00000.ndjson.zst   the items in the order of their ids, so many in a part
    part-00001.ndjson.zst
    manifest.json           what was asked for, every part with its count and hash, and how to read them
    unfinished.json         until then: how far it is

A part is the catalog at one moment (`as_of`); the next part is of a later one. A snapshot of the whole would have to be held
open for as long as the export takes, which keeps Postgres from tidying up, and would be lost with the process. Ids never
change, so every item that was there throughout is in exactly one part. What changed since the first `as_of` is in the change
feed.

A process may die at any moment: whoever goes on from the last `ExportProgress`, which lies beside the parts, writes the next
one, and over what the dead one left of it. Two that write the same export at once would spoil it; `finish` refuses parts that
were written by another.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from windrow.catalog.destination import Destination, Write
from windrow.catalog.formats import Encoder, described, encoder
from windrow.catalog.reading import Held, held
from windrow.catalog.unfinished import (
    MANIFEST,
    UNFINISHED,
    ExportOrder,
    ExportProgress,
    Part,
    asked,
    keep,
    left,
    refuse_others,
)
from windrow.contracts.errors import Code, Conflict
from windrow.objects.threads import in_thread
from windrow.postgres import Database, Transaction, load
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import export as told

Q = load(__package__, "export.sql")

DIRECTIVE = "exportWorkflow"
# items have at most 256 KiB: so many at once are at most 50 MiB
AT_ONCE = 200

_FIRST = UUID(int=0)
_PART = re.compile(r"part-[0-9]{5,}\..+")


async def export(
    database: Database,
    destination: Destination,
    order: ExportOrder,
    progress: ExportProgress | None = None,
    watch: Callable[[ExportProgress], None] = lambda _: None,
) -> dict[str, Any]:
    """From where it was left to the manifest, which is answered. `watch` is told of every part that is there."""
    scope = order.scope
    with (
        bound(agent="meta-worker", directive=DIRECTIVE, tenant_id=scope.tenant_id, project_id=scope.project_id),
        span("export.write", export_id=order.export_id),
    ):
        progress = await begin(destination, order) if progress is None else progress
        while not progress.read:
            progress = await write_part(database, destination, order, progress)
            watch(progress)
        return await finish(destination, order, progress)


async def begin(destination: Destination, order: ExportOrder) -> ExportProgress:
    """Where an earlier attempt of the same was left; else, and where it is whole, from the beginning.

    What is there is not whole any more. Another export is left alone.
    """
    described(order.format)  # a library that is missing is better told of now
    await refuse_others(destination, order)
    progress = await left(destination, order)
    if progress is not None:
        emit("export.resumed", export_id=order.export_id, parts=len(progress.parts), item_count=progress.items)
        return progress
    await keep(destination, order, ExportProgress())  # before the manifest goes: nobody goes on from the old one
    await destination.delete(MANIFEST)
    emit("export.started", export_id=order.export_id, format=str(order.format), destination=str(destination))
    return ExportProgress()


async def write_part(
    database: Database, destination: Destination, order: ExportOrder, progress: ExportProgress
) -> ExportProgress:
    """The next part, as the catalog is now; the progress behind it."""
    name = f"part-{len(progress.parts):05d}.{order.format}"
    async with database.tenant(order.scope.tenant_id) as tx:
        as_of: datetime = await tx.value(Q.moment)
        async with aclosing(_chunks(tx, order, progress.after)) as chunks:
            first = await anext(chunks, None)
            if first is None:
                return replace(progress, read=True)
            filling = _Filling(order, await in_thread(encoder, order.format))
            async with destination.writing(name, order.format.media_type) as write:
                await filling.fill(first, chunks, write)
    part = Part(
        name=name,
        items=filling.items,
        bytes=filling.bytes,
        sha256=filling.sha256,
        as_of=as_of.isoformat(),
        stamp=await _stamp(destination, name),
    )
    emit("export.part_written", export_id=order.export_id, part=name, item_count=part.items, bytes=part.bytes)
    told.ITEMS.add(part.items, format=str(order.format))
    done = ExportProgress(parts=(*progress.parts, part), after=filling.after, read=filling.is_last)
    await keep(destination, order, done)
    return done


async def finish(destination: Destination, order: ExportOrder, progress: ExportProgress) -> dict[str, Any]:
    """Nothing but the parts is left there, and then the manifest says that they are whole. The same again is the same."""
    for part in progress.parts:
        if await destination.stamp(part.name) != part.stamp:
            raise Conflict(
                f"{part.name} of export {order.export_id} was written again by somebody else",
                code=Code.CAS_MISMATCH,
                hint="only one may write an export at a time: begin it anew",
            )
    kept = {part.name for part in progress.parts}
    for name in [name async for name in destination.names() if _PART.fullmatch(name) and name not in kept]:
        await destination.delete(name)
    made = manifest(order, progress)
    async with destination.writing(MANIFEST, "application/json") as write:
        await write(json.dumps(made, indent=2, ensure_ascii=False).encode() + b"\n")
    await destination.delete(UNFINISHED)
    emit(
        "export.ended",
        export_id=order.export_id,
        parts=len(progress.parts),
        item_count=progress.items,
        bytes=progress.bytes,
    )
    return made


def manifest(order: ExportOrder, progress: ExportProgress) -> dict[str, Any]:
    """What a reader has to know; it follows from the parts alone."""
    moments = [part.as_of for part in progress.parts]
    return {
        **asked(order),
        "consistency": "each part is the catalog at its `as_of`; every item is in one part at the most",
        "as_of": {"first": min(moments, default=None), "last": max(moments, default=None)},
        "items": progress.items,
        "bytes": progress.bytes,
        "parts": [{name: value for name, value in asdict(part).items() if name != "stamp"} for part in progress.parts],
        "schema": described(order.format),
    }


class _Filling:
    """A part under way: up to so many items, or so many bytes and the few items more that came with the last of them."""

    def __init__(self, order: ExportOrder, encoder: Encoder) -> None:
        self._order, self._encoder = order, encoder
        self._digest = hashlib.sha256()
        self.items = self.bytes = 0
        self.after: str | None = None
        self.is_last = False

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    async def fill(self, first: list[Held], rest: AsyncIterator[list[Held]], write: Write) -> None:
        await self._add(first, write)
        is_full = self.bytes >= self._order.part_bytes
        while not is_full and (chunk := await anext(rest, None)):
            await self._add(chunk, write)
            is_full = self.bytes >= self._order.part_bytes
        self.is_last = not is_full and self.items < self._order.part_items
        await self._write(await in_thread(self._encoder.end), write)

    async def _add(self, chunk: list[Held], write: Write) -> None:
        await self._write(await in_thread(self._encoder.add, chunk), write)
        self.items += len(chunk)
        self.after = chunk[-1].item.item_id

    async def _write(self, data: bytes, write: Write) -> None:
        if data:
            await write(data)
            self._digest.update(data)
            self.bytes += len(data)


async def _chunks(tx: Transaction, order: ExportOrder, after: str | None) -> AsyncGenerator[list[Held], None]:
    async with tx.connection.cursor(name="export") as cursor:
        parameters = asdict(order.filters) | {
            "project": order.scope.project_id,
            "after": UUID(after) if after else _FIRST,
            "limit": order.part_items,
        }
        await cursor.execute(Q.part.text, parameters)
        while rows := await cursor.fetchmany(AT_ONCE):
            if is_cancelled():
                raise asyncio.CancelledError
            yield list(map(held, rows))


async def _stamp(destination: Destination, name: str) -> str:
    stamp = await destination.stamp(name)
    if stamp is None:
        raise Conflict(f"{name} is gone as soon as it was written", hint="only one may write an export at a time")
    return stamp
