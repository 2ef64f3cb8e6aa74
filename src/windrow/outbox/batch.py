"""A batch: what one page (or a part of a very large one) becomes in the outbox."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import zstandard

from windrow.outbox.lane import Lane, Slice
from windrow.postgres import Transaction, load

Q = load(__package__, "batch.sql")

CHANNEL = "windrow_outbox"
# D16: above this the payload is compressed
COMPRESSED_ABOVE = 10 * 1024 * 1024


class Encoding(StrEnum):
    """How a payload is written: a JSON array of rows, plain or compressed."""

    JSON = "json"
    ZSTD = "zstd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A batch to be published. `payload` is JSON; `generation` names the listing that this batch makes whole."""

    batch_id: str
    observation: int
    source_system: str
    connector: str
    connector_version: str
    spec_ref: str
    fetched_at: datetime
    items: int
    relations: int
    tombstones: int
    payload: bytes
    generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch that waits to be persisted. Its payload stays in the database, unless it is compressed."""

    seq: int
    batch_id: str
    observation: int
    run_id: str
    connector: str
    items: int
    bytes: int
    encoding: str
    generation: int | None


async def append(tx: Transaction, piece: Slice, seq: int, draft: Draft) -> None:
    """Publish the batch as this version of the lane's cursor, and wake the subscribers when that commits."""
    encoding, payload = _packed(draft.payload)
    await tx.execute(
        Q.append,
        **piece.lane.key,
        seq=seq,
        epoch=piece.epoch,
        run_id=piece.run_id,
        batch_id=draft.batch_id,
        observation=draft.observation,
        source_system=draft.source_system,
        connector=draft.connector,
        connector_version=draft.connector_version,
        spec_ref=draft.spec_ref,
        fetched_at=draft.fetched_at,
        items=draft.items,
        relations=draft.relations,
        tombstones=draft.tombstones,
        bytes=len(draft.payload),
        encoding=encoding,
        payload=payload,
        generation=draft.generation,
    )


async def unpacked(tx: Transaction, lane: Lane, batch: Batch) -> bytes | None:
    """The JSON of a compressed batch; None where the database can read the payload itself."""
    if batch.encoding == Encoding.JSON:
        return None
    payload: bytes = await tx.value(Q.payload, **lane.key, seq=batch.seq)
    return zstandard.ZstdDecompressor().decompress(payload, max_output_size=batch.bytes)


def _packed(payload: bytes) -> tuple[Encoding, bytes]:
    if len(payload) <= COMPRESSED_ABOVE:
        return Encoding.JSON, payload
    return Encoding.ZSTD, zstandard.ZstdCompressor(level=3).compress(payload)
