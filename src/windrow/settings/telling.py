"""Logs, metrics and spans."""

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import also_as
from windrow.telemetry.declare import Level
from windrow.telemetry.log import Format


class Telling(BaseSettings):
    """Logs, metrics and spans."""

    log_format: Format = Field(
        Format.AUTO, description="`json`, `pretty`, or `auto`: pretty at a terminal, JSON elsewhere."
    )
    log_level: Level | None = Field(
        None,
        description="The lowest level that is written: INFO for processes that stay, ERROR for commands, when not set.",
    )
    log_payload_hashes: bool = Field(
        False,
        description="Say at DEBUG the hash of what each activity was given and returned, never what it was.",
    )
    debug: bool = Field(False, description="Show the traceback when a command fails unexpectedly.")
    metrics_port: int = Field(0, ge=0, le=65535, description="The port of the Prometheus page; 0 finds a free one.")
    otlp_endpoint: str | None = also_as(
        "OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        default=None,
        description="Where metrics and spans are sent by OTLP over HTTP; nowhere when not set.",
    )
