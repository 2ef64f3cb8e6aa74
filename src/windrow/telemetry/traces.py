"""Spans: a traced stretch of work, with the correlation id that its log lines carry too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import Attributes

from windrow.telemetry import context
from windrow.telemetry.redaction import PROCESS

_tracer = trace.get_tracer("windrow")


@contextmanager
def span(name: str, **attributes: str | int | float | bool) -> Iterator[Span]:
    """Trace the work inside; an exception marks the span as failed and goes on. Where nobody listens it costs next to nothing."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield trace.INVALID_SPAN
        return
    known = {"correlation_id": context.correlation_id(), **attributes}
    with _tracer.start_as_current_span(name, attributes=known) as current:
        yield current


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
