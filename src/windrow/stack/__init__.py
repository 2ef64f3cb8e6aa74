"""The engines on this machine: PostgreSQL and Temporal, started, watched and stopped by us.

    async with Stack(StackConfig(home, EmbeddedPostgres(), EmbeddedTemporal(namespaces=("meta",)))) as stack:
        stack.database_url, stack.temporal_address

Another command on the same machine finds a running stack with `discover(home)`.
"""

from windrow.stack.config import (
    FAIR,
    UNSAFE_BUT_FAST,
    Care,
    EmbeddedPostgres,
    EmbeddedTemporal,
    ExternalPostgres,
    ExternalTemporal,
    StackConfig,
)
from windrow.stack.discover import Running, discover
from windrow.stack.examine import examine
from windrow.stack.health import Health, State
from windrow.stack.stack import Stack

__all__ = [
    "FAIR",
    "UNSAFE_BUT_FAST",
    "Care",
    "EmbeddedPostgres",
    "EmbeddedTemporal",
    "ExternalPostgres",
    "ExternalTemporal",
    "Health",
    "Running",
    "Stack",
    "StackConfig",
    "State",
    "discover",
    "examine",
]
