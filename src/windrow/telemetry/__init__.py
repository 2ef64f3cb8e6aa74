"""How the system speaks: log events, metrics and spans are declared once in `catalogue`, and said through here."""

from windrow.telemetry.context import bound, correlation_id
from windrow.telemetry.log import emit
from windrow.telemetry.redaction import redact
from windrow.telemetry.traces import span

__all__ = ["bound", "correlation_id", "emit", "redact", "span"]
