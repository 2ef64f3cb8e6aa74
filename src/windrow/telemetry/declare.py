"""What a declaration is: an event with its level and fields, a metric with its labels, a span with its attributes.

A metric declared here is bound to whatever meter provider the process sets up later; until then it counts nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from opentelemetry import metrics

_meter = metrics.get_meter("windrow")

# D21: ids belong in logs, spans and exemplars; as labels they would make a time series each
ID_LABELS = frozenset({"tenant_id", "project_id", "endpoint_id", "job_id", "run_id", "request_id", "correlation_id"})


class Level(StrEnum):
    """The levels of the log taxonomy."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"
    FATAL = "FATAL"


@dataclass(frozen=True, slots=True)
class Event:
    """A log event: `noun.verb_past`, what it means, and the fields that every line of it carries."""

    name: str
    level: Level
    says: str
    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A traced stretch of work and the attributes it carries."""

    name: str
    says: str
    attributes: tuple[str, ...] = ()


class Metric:
    """A metric family: its Prometheus-style name, what it counts, its labels."""

    kind = ""

    def __init__(self, name: str, says: str, *, labels: tuple[str, ...] = (), unit: str = "") -> None:
        if ids := ID_LABELS.intersection(labels):
            raise ValueError(f"metric {name} has ids as labels: {sorted(ids)}")
        self.name, self.says, self.labels, self.unit = name, says, labels, unit

    def checked(self, labels: dict[str, Any]) -> dict[str, Any]:
        if set(labels) != set(self.labels):
            raise ValueError(f"metric {self.name} has the labels {self.labels}, not {tuple(labels)}")
        return labels


class Counter(Metric):
    """Only rises."""

    kind = "counter"

    def __init__(self, name: str, says: str, *, labels: tuple[str, ...] = (), unit: str = "") -> None:
        super().__init__(name, says, labels=labels, unit=unit)
        self._instrument = _meter.create_counter(name, description=says)

    def add(self, amount: int = 1, **labels: str) -> None:
        self._instrument.add(amount, self.checked(labels))


class Gauge(Metric):
    """The latest value."""

    kind = "gauge"

    def __init__(self, name: str, says: str, *, labels: tuple[str, ...] = (), unit: str = "") -> None:
        super().__init__(name, says, labels=labels, unit=unit)
        self._instrument = _meter.create_gauge(name, description=says)

    def set(self, value: float, **labels: str) -> None:
        self._instrument.set(value, self.checked(labels))


SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Histogram(Metric):
    """How values are spread."""

    kind = "histogram"

    def __init__(
        self,
        name: str,
        says: str,
        *,
        labels: tuple[str, ...] = (),
        unit: str = "",
        buckets: tuple[float, ...] = SECONDS,
    ) -> None:
        super().__init__(name, says, labels=labels, unit=unit)
        self._instrument = _meter.create_histogram(
            name, description=says, explicit_bucket_boundaries_advisory=list(buckets)
        )

    def record(self, value: float, **labels: str) -> None:
        self._instrument.record(value, self.checked(labels))
