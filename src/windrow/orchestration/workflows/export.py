"""`exportWorkflow`: the catalog as files in object storage, part by part; the manifest makes it whole."""

from dataclasses import replace
from typing import Any

from temporalio import workflow

from windrow.contracts.orders import ExportOrder, ExportState, ExportStep
from windrow.orchestration import names
from windrow.orchestration.workflows.steps import HEARTBEAT, Stubborn, sleeps

_PARTS = 200


@workflow.defn(name=names.EXPORT)
class ExportWorkflow:
    """Each part is one activity: a worker that dies costs one part."""

    def __init__(self) -> None:
        self._progress: dict[str, Any] = {}

    @workflow.query
    def progress(self) -> dict[str, Any]:
        """The parts that are there."""
        return self._progress

    @workflow.run
    async def run(self, order: ExportOrder) -> dict[str, Any]:
        steps = Stubborn(order.tenant_id, sleeps)
        step = ExportStep(order=order, progress=order.progress)
        for _ in range(_PARTS):
            state = await steps.call(names.WRITE_PART, step, ExportState, queue=names.META_PY, heartbeat=HEARTBEAT)
            if state.manifest is not None:
                return state.manifest
            self._progress = state.progress
            step = ExportStep(order=order, progress=state.progress)
            # each step carries all the parts before it: some hundred of them are a long history
            if workflow.info().is_continue_as_new_suggested() and workflow.patched("anew-as-suggested"):
                break
        return workflow.continue_as_new(replace(order, progress=step.progress))
