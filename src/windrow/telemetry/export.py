"""Where metrics and spans go: a Prometheus page, and OTLP by setting. Called once a process."""

from dataclasses import dataclass
from threading import Thread
from wsgiref.simple_server import WSGIServer

from opentelemetry import metrics, trace
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from prometheus_client import start_http_server

from windrow.contracts.errors import classify
from windrow.telemetry.traces import RedactingExporter, span


@dataclass(frozen=True, slots=True)
class Exported:
    """What was set up; `shutdown` sends what is still held back."""

    meters: MeterProvider
    tracers: TracerProvider

    def shutdown(self) -> None:
        self.tracers.shutdown()
        self.meters.shutdown()


def export(process: str, *, otlp_endpoint: str | None = None, exporter: SpanExporter | None = None) -> Exported:
    """Bind the declared metrics and spans to the Prometheus registry and, where an endpoint is given, to OTLP."""
    resource = Resource.create({"service.name": "windrow", "service.instance": process})
    readers: list[MetricReader] = [PrometheusMetricReader()]
    tracers = TracerProvider(resource=resource)
    if otlp_endpoint:
        # half of what a command takes to start, and most processes send nowhere
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        base = otlp_endpoint.rstrip("/")
        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(f"{base}/v1/metrics")))
        exporter = exporter or OTLPSpanExporter(f"{base}/v1/traces")
    if exporter:
        tracers.add_span_processor(BatchSpanProcessor(RedactingExporter(exporter)))
        trace.set_tracer_provider(tracers)
        span.heard = True
    meters = MeterProvider(readers, resource=resource)
    metrics.set_meter_provider(meters)
    return Exported(meters, tracers)


def serve_metrics(port: int, address: str = "127.0.0.1") -> tuple[WSGIServer, Thread]:
    """The Prometheus page, on a thread of the client library's own."""
    try:
        return start_http_server(port, addr=address)
    except OSError as error:
        raise classify(error) from error
