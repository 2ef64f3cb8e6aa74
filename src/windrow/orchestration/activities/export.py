"""One part of an export at a time."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from temporalio import activity

from windrow.catalog import Filters, export
from windrow.catalog.destination import Destination
from windrow.catalog.formats import Format
from windrow.catalog.unfinished import PART_ITEMS, ExportProgress
from windrow.catalog.unfinished import ExportOrder as Asked
from windrow.contracts.orders import ExportOrder, ExportState, ExportStep
from windrow.contracts.scope import Scope
from windrow.orchestration import names
from windrow.orchestration.activities.beating import Beating
from windrow.postgres import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportActivities:
    """`destination` is a folder of the tenant's objects."""

    database: Database
    destination: Callable[[Asked], Destination]
    part_items: int = PART_ITEMS

    @activity.defn(name=names.WRITE_PART)
    async def write_part(self, step: ExportStep) -> ExportState:
        """The next part; or, when there is nothing more to read, the manifest."""
        return await Beating().during(lambda: self._next(step))

    async def _next(self, step: ExportStep) -> ExportState:
        order = self._asked(step.order)
        destination = self.destination(order)
        known = step.progress
        progress = ExportProgress.read_from(known) if known is not None else await export.begin(destination, order)
        if not progress.read:
            progress = await export.write_part(self.database, destination, order, progress)
            return ExportState(progress=asdict(progress), read=progress.read)
        return ExportState(
            progress=asdict(progress), read=True, manifest=await export.finish(destination, order, progress)
        )

    def _asked(self, order: ExportOrder) -> Asked:
        return Asked(
            scope=Scope(order.tenant_id, order.project_id),
            export_id=order.export_id,
            filters=Filters(endpoint=order.endpoint_id, entity_type=order.entity_type, deleted=order.deleted),
            format=Format(order.format),
            part_items=self.part_items,
        )
