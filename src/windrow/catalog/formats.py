"""How items are written down: lines of JSON, plain or compressed, and Parquet.

An encoder makes the bytes of one part, a few items at a time; it holds no more than it must.
"""

import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

import msgspec
import zstandard

from windrow.catalog.reading import Held
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.item import NormalizedItem

# a group of rows is what a reader of Parquet takes at once
GROUP_ITEMS, GROUP_BYTES = 20_000, 16 * 1024 * 1024


class Format(StrEnum):
    """What a part is."""

    NDJSON = "ndjson"
    NDJSON_ZSTD = "ndjson.zst"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {
    Format.NDJSON: "application/x-ndjson",
    Format.NDJSON_ZSTD: "application/zstd",
    Format.PARQUET: "application/vnd.apache.parquet",
}


class Encoder(Protocol):
    """Makes a part. What it gives is the next piece of it, and may be empty."""

    def add(self, items: Sequence[Held]) -> bytes: ...
    def end(self) -> bytes: ...


def encoder(kind: Format) -> Encoder:
    """A new part in this format."""
    return Columns() if kind is Format.PARQUET else Lines(compressed=kind is Format.NDJSON_ZSTD)


def described(kind: Format) -> Any:
    """What a reader may expect: the contract as JSON Schema, or the names and types of the columns."""
    if kind is Format.PARQUET:
        return {field.name: str(field.type) for field in _columns()}
    return msgspec.json.schema(Line)


class Line(NormalizedItem, frozen=True, kw_only=True):
    """The contract, and what the catalog itself knows."""

    revision: int
    first_seen_at: datetime
    first_run_id: str
    changed_at: datetime


class Lines:
    """An item a line, as `windrow items show --json` has it."""

    def __init__(self, *, compressed: bool) -> None:
        self._compressor = zstandard.ZstdCompressor().compressobj() if compressed else None

    def add(self, items: Sequence[Held]) -> bytes:
        lines = b"".join(msgspec.json.encode(held.document()) + b"\n" for held in items)
        return self._compressor.compress(lines) if self._compressor else lines

    def end(self) -> bytes:
        return self._compressor.flush() if self._compressor else b""


class Columns:
    """A row an item. Attributes, which every source has its own, are JSON in a text."""

    def __init__(self) -> None:
        arrow, parquet = _arrow()
        self._table, self._schema = arrow.Table, _columns()
        self._sink = _Sink()
        self._writer = parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []
        self._weight = 0

    def add(self, items: Sequence[Held]) -> bytes:
        for row in map(_row, items):
            self._waiting.append(row)
            # the rest of a row is about as much again as its longest parts
            self._weight += 512 + len(row["attributes"]) + len(row["external_id"]) + 64 * len(row["relations"])
            if len(self._waiting) >= GROUP_ITEMS or self._weight >= GROUP_BYTES:
                self._flush()
        return self._sink.taken()

    def end(self) -> bytes:
        if self._waiting:
            self._flush()
        self._writer.close()
        return self._sink.taken()

    def _flush(self) -> None:
        self._writer.write_table(self._table.from_pylist(self._waiting, schema=self._schema))
        self._waiting, self._weight = [], 0


class _Sink(io.RawIOBase):
    """Where the library writes to: what it has written is taken away piece by piece, and it still knows how far it is."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        self._length += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _row(held: Held) -> dict[str, Any]:
    item = held.item
    names: Iterable[str] = item.__struct_fields__
    row = {name: getattr(item, name) for name in names if name not in ("provenance", "attributes", "relations")}
    row |= msgspec.structs.asdict(item.provenance)
    row |= {name: getattr(held, name) for name in ("revision", "first_seen_at", "first_run_id", "changed_at")}
    row["attributes"] = msgspec.json.encode(item.attributes, order="sorted").decode()
    row["relations"] = [{"type": each.type, "target": each.target} for each in item.relations]
    return row


def _columns() -> Any:
    arrow, _ = _arrow()
    text, texts, moment = arrow.string(), arrow.list_(arrow.string()), arrow.timestamp("us", tz="UTC")
    relation = arrow.struct([arrow.field("type", text), arrow.field("target", text)])
    kinds = {
        "item_id": text,
        "tenant_id": text,
        "project_id": text,
        "endpoint_id": text,
        "source_system": text,
        "entity_type": text,
        "external_id": text,
        "display_name": text,
        "canonical_path": text,
        "url": text,
        "owners": texts,
        "labels": texts,
        "source_version": text,
        "source_created_at": moment,
        "source_updated_at": moment,
        "deleted": arrow.bool_(),
        "attributes": text,
        "relations": arrow.list_(relation),
        "content_hash": text,
        "connector": text,
        "connector_version": text,
        "spec_ref": text,
        "run_id": text,
        "fetched_at": moment,
        "observation": arrow.int64(),
        "revision": arrow.int64(),
        "first_run_id": text,
        "first_seen_at": moment,
        "changed_at": moment,
    }
    return arrow.schema(list(kinds.items()))


def _arrow() -> tuple[Any, Any]:
    """The library, if it is there: it is large, and only those who want Parquet need it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise Fatal(
            "Parquet needs a library that is not installed",
            code=Code.CONFIGURATION,
            hint="`pip install 'windrow[parquet]'`, or choose --format ndjson",
        ) from None
    return pyarrow, pyarrow.parquet
