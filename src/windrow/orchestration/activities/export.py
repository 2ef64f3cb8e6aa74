"""One part of an export at a time."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from temporalio import activity

from windrow.catalog import Filters, export
from windrow.catalog.destination import Destination
from windrow.catalog.formats import Format
from windrow.contracts.orders import ExportOrder, ExportState, ExportStep
from windrow.contracts.scope import Scope
from windrow.orchestration import names
from windrow.orchestration.activities.beating import Beating
from windrow.postgres import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportActivities:
    """`destination` is a folder of the tenant's objects."""

    database: Database
    destination: Callable[[export.ExportOrder], Destination]

    @activity.defn(name=names.WRITE_PART)
    async def write_part(self, step: ExportStep) -> ExportState:
        """The next part; or, when there is nothing more to read, the manifest."""
        return await Beating().during(lambda: self._next(step))

    async def _next(self, step: ExportStep) -> ExportState:
        order = _order(step.order)
        destination = self.destination(order)
        progress = _read(step.progress) if step.progress is not None else await export.begin(destination, order)
        if not progress.read:
            progress = await export.write_part(self.database, destination, order, progress)
            return ExportState(progress=asdict(progress), read=progress.read)
        return ExportState(
            progress=asdict(progress), read=True, manifest=await export.finish(destination, order, progress)
        )


def _order(asked: ExportOrder) -> export.ExportOrder:
    return export.ExportOrder(
        scope=Scope(asked.tenant_id, asked.project_id),
        export_id=asked.export_id,
        filters=Filters(endpoint=asked.endpoint_id, entity_type=asked.entity_type, deleted=asked.deleted),
        format=Format(asked.format),
    )


def _read(document: dict[str, Any]) -> export.ExportProgress:
    parts = tuple(export.Part(**part) for part in document["parts"])
    return export.ExportProgress(parts=parts, after=document["after"], read=document["read"])
