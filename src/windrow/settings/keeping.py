"""How much is done at once, and how long things are kept."""

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import also_as


class Keeping(BaseSettings):
    """How much is done at once, and how long things are kept."""

    tenant_runs: int = Field(4, ge=1, description="How many slices of a tenant's runs may be at work at once.")
    endpoint_previews: int = Field(2, ge=1, description="How many previews of an endpoint may be at work at once.")
    transition_days: int = Field(90, ge=1, description="How long the steps of endpoints' lifecycles are kept.")
    run_log_days: int = Field(14, ge=1, description="How long the log lines of runs are kept.")
    kv_ledger_days: int = Field(90, ge=1, description="How long a replayed KV request is recognised.")
    outbox_retention_hours: int = Field(48, ge=1, description="How long persisted batches are kept in the outbox.")
    message_retention_hours: int = Field(48, ge=1, description="How long delivered messages are kept.")
    shutdown_timeout_sec: float = also_as(
        "SHUTDOWN_TIMEOUT_SEC",
        default=30,
        gt=0,
        description="How long a process that is asked to end waits for what it has in hand.",
    )
