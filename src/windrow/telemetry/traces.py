"""Spans: a traced stretch of work, with the correlation id that its log lines carry too."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ClassVar

from opentelemetry import trace
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import Attributes

from windrow.telemetry import context
from windrow.telemetry.redaction import PROCESS

_tracer = trace.get_tracer("windrow")


class span:  # noqa: N801 - reads like the function that it stands for
    """Trace the work inside; an exception marks the span as failed and goes on. Where nobody listens it costs next to nothing."""

    __slots__ = ("_attributes", "_name", "_tracing")
    # set once spans are sent anywhere; to ask the library each time is most of the price of a span that nobody sees
    heard: ClassVar[bool] = False

    def __init__(self, name: str, **attributes: str | int | float | bool) -> None:
        self._name, self._attributes = name, attributes
        self._tracing: AbstractContextManager[Span] | None = None

    def __enter__(self) -> Span:
        if not span.heard:
            return trace.INVALID_SPAN
        known = {"correlation_id": context.correlation_id(), **self._attributes}
        self._tracing = _tracer.start_as_current_span(self._name, attributes=known)
        return self._tracing.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trail: TracebackType | None
    ) -> None:
        if self._tracing is not None:
            self._tracing.__exit__(kind, error, trail)


class RedactingExporter(SpanExporter):
    """Wraps the exporter that leaves the process: our spans and the libraries' pass through the same net."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_redacted(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _redacted(span: ReadableSpan) -> ReadableSpan:
    status = span.status
    if status.status_code is StatusCode.ERROR and status.description:
        status = Status(StatusCode.ERROR, PROCESS.text(status.description))
    return ReadableSpan(
        name=PROCESS.text(span.name),
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_redacted_attributes(span.attributes),
        events=[Event(event.name, _redacted_attributes(event.attributes), event.timestamp) for event in span.events],
        links=span.links,
        kind=span.kind,
        status=status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _redacted_attributes(attributes: Attributes) -> Attributes:
    return PROCESS.value(dict(attributes)) if attributes else attributes
