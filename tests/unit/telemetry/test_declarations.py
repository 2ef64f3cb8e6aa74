"""What may be declared, and what a metric page shows."""

import re

import pytest
from opentelemetry.trace import get_current_span
from prometheus_client import generate_latest
from tests.conftest import Spans

from windrow.telemetry import bound, catalogue, span
from windrow.telemetry.catalogue.process import RETRIES
from windrow.telemetry.declare import Counter
from windrow.telemetry.redaction import PROCESS


def test_every_event_is_named_noun_dot_verb() -> None:
    for name in catalogue.events():
        assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", name), name


def test_no_metric_has_an_id_as_a_label() -> None:
    with pytest.raises(ValueError, match="tenant_id"):
        Counter("x_total", "x", labels=("tenant_id",))


def test_a_metric_is_counted_only_with_the_labels_it_declares() -> None:
    with pytest.raises(ValueError, match="error_class"):
        RETRIES.add(1, runtime="x")


def test_the_prometheus_page_shows_each_family_once_with_its_declared_name() -> None:
    RETRIES.add(1, runtime="test", error_class="Conflict", code="CAS_MISMATCH")

    page = generate_latest().decode()

    assert page.count("# TYPE worker_retry_attempts_total counter") == 1
    assert re.search(r'^worker_retry_attempts_total\{[^}]*error_class="Conflict"[^}]*\} ', page, re.MULTILINE)


def test_dotted_instrument_names_are_shown_with_underscores() -> None:
    Counter("test.dotted_total", "x").add(2)

    assert re.search(r"^test_dotted_total(\{[^}]*\})? 2", generate_latest().decode(), re.MULTILINE)


def test_a_span_carries_the_correlation_id_of_its_log_lines(spans: Spans) -> None:
    with bound(correlation_id="c-42"), span("test.work", rows=3):
        assert get_current_span().is_recording()

    (finished,) = spans.named("test.work")
    assert finished.attributes == {"correlation_id": "c-42", "rows": 3}


@pytest.mark.req("LT-3")
def test_a_secret_reaches_no_span_not_even_by_its_exception(spans: Spans) -> None:
    PROCESS.know("span-canary-123")
    with pytest.raises(RuntimeError), span("test.leaky", note="uses span-canary-123", password="whatever"):
        raise RuntimeError("failed with span-canary-123")

    (finished,) = spans.named("test.leaky")
    told = finished.to_json()
    assert "RuntimeError" in told
    assert "span-canary-123" not in told
    assert "whatever" not in told
