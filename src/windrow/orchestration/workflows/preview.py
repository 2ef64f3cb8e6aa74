"""`previewDatasetWorkflow`: a sample of a dataset; nothing is written (OR-12)."""

from datetime import timedelta
from typing import Any

from temporalio import workflow

from windrow.contracts.orders import PreviewOrder
from windrow.orchestration import names
from windrow.orchestration.workflows.steps import HEARTBEAT, call

# how long to look for a free place among the endpoint's previews
_PLACES = 10
_A_PLACE = timedelta(seconds=1)


@workflow.defn(name=names.PREVIEW)
class PreviewWorkflow:
    """On meta-ts, unless the connector's work is heavy. A person waits: it is not tried again."""

    @workflow.run
    async def run(self, order: PreviewOrder) -> dict[str, Any]:
        for _ in range(_PLACES):
            shown: dict[str, Any] = await call(names.SAMPLE, order, dict, queue=order.queue, heartbeat=HEARTBEAT)
            if shown.get("ended") != "waiting":
                break
            await workflow.sleep(_A_PLACE * (0.5 + workflow.random().random()))
        return shown
