"""The border of an activity: whose it is becomes known here, and errors that leave are mapped to our classes, counted, traced."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from temporalio import activity
from temporalio.converter import PayloadConverter
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from windrow.contracts.errors import Code, classify
from windrow.orchestration.failure import Failure
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import orchestration as told
from windrow.telemetry.redaction import PROCESS

_KNOWN = ("tenant_id", "project_id", "endpoint_id", "run_id", "correlation_id")


class Border(Interceptor):
    """What libraries and our own code raise becomes a `Failure`, whatever the activity."""

    def __init__(self, *, payload_hashes: bool = False) -> None:
        self._payload_hashes = payload_hashes

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - the SDK's name
        mapping = _Mapping(super().intercept_activity(next))
        return _Telling(_Hashing(mapping) if self._payload_hashes else mapping)


class _Telling(ActivityInboundInterceptor):
    """OR-42: a span for each activity; it and every line below carry whose work it is, and what it was done for."""

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        info = activity.info()
        with (
            bound(workflow_id=info.workflow_id or "", temporal_run_id=info.workflow_run_id or ""),
            bound(**({"correlation_id": info.workflow_run_id or ""} | whose(input.args))),
            span("activity.execute", activity=info.activity_type, attempt=info.attempt),
        ):
            return await super().execute_activity(input)


class _Hashing(ActivityInboundInterceptor):
    """OR-40: two histories can be compared by their log lines, which show nothing of what they hold."""

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        given, returned = payload_hash(input.args), None
        try:
            done = await super().execute_activity(input)
            returned = payload_hash([done])
            return done
        finally:
            emit("payloads.hashed", activity=activity.info().activity_type, given=given, returned=returned)


class _Mapping(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        info = activity.info()
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


def whose(args: Sequence[Any]) -> dict[str, str]:
    """What an order says about the work: for whom, of which run, by which spec, and for what cause."""
    order = getattr(args[0], "order", args[0]) if args else None
    said = {name: getattr(order, name, None) for name in _KNOWN} | {"spec_id": getattr(order, "spec_ref", None)}
    return {name: value for name, value in said.items() if value}


def payload_hash(values: Sequence[Any]) -> str:
    """Of values as Temporal is given them, before they are sealed: `temporal workflow show` has the same bytes."""
    digest = hashlib.sha256()
    for payload in PayloadConverter.default.to_payloads(values):
        digest.update(payload.data)
    return f"sha256:{digest.hexdigest()}"


def redacted(failure: Failure) -> Failure:
    """What may be kept in a history."""
    hint = PROCESS.text(failure.hint) if failure.hint else None
    return replace(failure, message=PROCESS.text(failure.message), hint=hint)
