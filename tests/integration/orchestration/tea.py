"""A workflow that says its secret wherever a workflow can say something."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import activity, client, worker, workflow
from temporalio.common import RetryPolicy
from temporalio.converter import PayloadConverter
from temporalio.exceptions import ApplicationError

SECRET = "zanzibar"
QUEUE = "tea"


@dataclass(frozen=True, slots=True)
class Leaves:
    """What crosses the border."""

    origin: str
    grams: int


@activity.defn(name="tea.brew")
async def brew(leaves: Leaves) -> Leaves:
    """Fails once, saying everything, and then succeeds."""
    activity.heartbeat(leaves)
    if activity.info().attempt == 1:
        raise ApplicationError(f"no water for {leaves.origin}", leaves, type="NoWater")
    return Leaves(leaves.origin, leaves.grams * 2)


@workflow.defn(name="teaWorkflow")
class TeaWorkflow:
    """Brews, waits for a guest, brews again."""

    def __init__(self) -> None:
        self._guest = ""

    @workflow.signal
    def arrive(self, guest: str) -> None:
        self._guest = guest

    @workflow.query
    def origin(self) -> str:
        return SECRET

    @workflow.run
    async def run(self, leaves: Leaves) -> Leaves:
        brewed = await self._brew(leaves)
        workflow.upsert_memo({"brewed": brewed.origin})
        await workflow.wait_condition(lambda: bool(self._guest))
        return await self._brew(Leaves(f"{brewed.origin} for {self._guest}", brewed.grams))

    async def _brew(self, leaves: Leaves) -> Leaves:
        return await workflow.execute_activity(
            brew,
            leaves,
            start_to_close_timeout=timedelta(seconds=10),
            summary=f"tea from {leaves.origin}",
            retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=10), maximum_attempts=2),
        )


class Cause(client.Interceptor, worker.Interceptor):
    """Sends the secret along in a header, from the client to the activities, and hears what arrives there."""

    def __init__(self) -> None:
        self.heard: set[str] = set()

    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:  # noqa: A002 - theirs
        return _FromClient(next)

    def workflow_interceptor_class(
        self,
        input: worker.WorkflowInterceptorClassInput,  # noqa: A002, ARG002 - theirs
    ) -> type[worker.WorkflowInboundInterceptor]:
        return _FromWorkflow

    def intercept_activity(self, next: worker.ActivityInboundInterceptor) -> worker.ActivityInboundInterceptor:  # noqa: A002
        return _AtActivity(next, self.heard)


def _header() -> dict[str, Any]:
    return {"cause": PayloadConverter.default.to_payloads([SECRET])[0]}


class _FromClient(client.OutboundInterceptor):
    async def start_workflow(self, input: client.StartWorkflowInput) -> client.WorkflowHandle[Any, Any]:  # noqa: A002
        input.headers = _header()
        return await super().start_workflow(input)


class _FromWorkflow(worker.WorkflowInboundInterceptor):
    def init(self, outbound: worker.WorkflowOutboundInterceptor) -> None:
        super().init(_Onwards(outbound))


class _Onwards(worker.WorkflowOutboundInterceptor):
    def start_activity(self, input: worker.StartActivityInput) -> workflow.ActivityHandle[Any]:  # noqa: A002
        input.headers = _header()
        return super().start_activity(input)


class _AtActivity(worker.ActivityInboundInterceptor):
    def __init__(self, next: worker.ActivityInboundInterceptor, heard: set[str]) -> None:  # noqa: A002
        super().__init__(next)
        self._heard = heard

    async def execute_activity(self, input: worker.ExecuteActivityInput) -> Any:  # noqa: A002
        self._heard.add(PayloadConverter.default.from_payloads([input.headers["cause"]])[0])
        return await super().execute_activity(input)
