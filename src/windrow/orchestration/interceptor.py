"""One place where errors leave an activity: mapped to our classes, counted, traced."""

from dataclasses import replace
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from windrow.contracts.errors import Code, classify
from windrow.orchestration.failure import Failure
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import orchestration as told
from windrow.telemetry.redaction import PROCESS


class ErrorClasses(Interceptor):
    """What libraries and our own code raise becomes a `Failure`, whatever the activity."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - the SDK's name
        return _Mapping(super().intercept_activity(next))


class _Mapping(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        info = activity.info()
        with (
            bound(workflow_id=info.workflow_id or "", temporal_run_id=info.workflow_run_id or ""),
            span("activity.execute", activity=info.activity_type, attempt=info.attempt),
        ):
            try:
                return await super().execute_activity(input)
            except (ApplicationError, CancelledError):
                raise
            except Exception as error:
                ours = classify(error)
                failure = redacted(Failure.of(ours))
                told.FAILURES.add(1, error_class=ours.error_class)
                emit(
                    "activity.failed",
                    activity=info.activity_type,
                    error_class=ours.error_class,
                    code=ours.code,
                    reason=ours.message,
                    attempt=info.attempt,
                    # where it came from is worth a look only if nobody knows what it is
                    error=error if ours.code is Code.UNKNOWN else None,
                )
                # What a workflow only writes down is written until it is: there is no decision to take.
                # Without its cause: histories keep that as it was said, and it may quote a secret.
                raise failure.raised(again=info.is_local and not failure.is_invalid) from None


def redacted(failure: Failure) -> Failure:
    """What may be kept in a history."""
    hint = PROCESS.text(failure.hint) if failure.hint else None
    return replace(failure, message=PROCESS.text(failure.message), hint=hint)
