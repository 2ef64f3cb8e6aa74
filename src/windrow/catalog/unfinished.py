"""How far an export is: kept beside its parts until it is whole, so that another process can go on with it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from windrow.catalog.destination import Destination
from windrow.catalog.filters import Filters
from windrow.catalog.formats import Format
from windrow.contracts.errors import Code, Conflict
from windrow.contracts.item import CONTRACT
from windrow.contracts.scope import Scope, checked_name

MANIFEST, UNFINISHED = "manifest.json", "unfinished.json"
PART_ITEMS, PART_BYTES = 100_000, 128 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What is written down, and how."""

    scope: Scope
    export_id: str
    filters: Filters = field(default_factory=Filters)
    format: Format = Format.NDJSON
    part_items: int = PART_ITEMS
    part_bytes: int = PART_BYTES

    def __post_init__(self) -> None:
        checked_name("export", self.export_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part that is there: `stamp` is how its destination knows that nobody has written it since."""

    name: str
    items: int
    bytes: int
    sha256: str
    as_of: str
    stamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportProgress:
    """How far an export is: plain values, to be kept between two attempts. `after` is the last id that was written."""

    parts: tuple[Part, ...] = ()
    after: str | None = None
    read: bool = False

    @classmethod
    def read_from(cls, document: Mapping[str, Any]) -> "ExportProgress":
        """As it was kept."""
        parts = tuple(Part(**part) for part in document["parts"])
        return cls(parts=parts, after=document["after"], read=document["read"])

    @property
    def items(self) -> int:
        return sum(part.items for part in self.parts)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)


async def refuse_others(destination: Destination, order: ExportOrder) -> None:
    """A place belongs to one export, also to one that is not whole."""
    for name, what in ((MANIFEST, "another export"), (UNFINISHED, "an unfinished export")):
        there = await destination.read(name)
        if there is not None and (known := _document(there).get("export_id")) != order.export_id:
            hint = "choose another place for this one"
            if name == UNFINISHED and isinstance(known, str) and known.isprintable():
                hint = f"go on with it by `--id {known[:80]}`, or choose another place for this one"
            raise Conflict(f"{what} is in {destination}", code=Code.ALREADY_EXISTS, hint=hint)


async def keep(destination: Destination, order: ExportOrder, progress: ExportProgress) -> None:
    """Say how far it is, beside the parts."""
    async with destination.writing(UNFINISHED, "application/json") as write:
        await write(json.dumps(_kept(order) | {"progress": asdict(progress)}).encode())


async def left(destination: Destination, order: ExportOrder) -> ExportProgress | None:
    """How far an earlier attempt came. None if it is whole, was asked for otherwise, or a part is not as it left it."""
    there = await destination.read(UNFINISHED)
    if there is None or await destination.stamp(MANIFEST) is not None:
        return None
    document = _document(there)
    try:
        progress = ExportProgress.read_from(document.pop("progress"))
    except (KeyError, TypeError):
        return None
    same = document == _kept(order) and [await destination.stamp(part.name) for part in progress.parts] == [
        part.stamp for part in progress.parts
    ]
    return progress if same and progress.parts else None


def asked(order: ExportOrder) -> dict[str, Any]:
    """What was asked for, as a reader is told it."""
    return {
        "export_id": order.export_id,
        "tenant_id": order.scope.tenant_id,
        "project_id": order.scope.project_id,
        "filters": asdict(order.filters),
        "contract": CONTRACT,
        "format": str(order.format),
    }


def _kept(order: ExportOrder) -> dict[str, Any]:
    """All that a part depends on."""
    return asked(order) | {"part_items": order.part_items, "part_bytes": order.part_bytes}


def _document(text: bytes) -> dict[str, Any]:
    """Nothing where it is not one of ours."""
    try:
        known = json.loads(text)
    except ValueError:
        return {}
    return known if isinstance(known, dict) else {}
