"""How a command finds the stack that another process runs."""

from dataclasses import dataclass, field
from pathlib import Path

from windrow.stack.password import read_password
from windrow.stack.postgres import Postgres, database_url
from windrow.stack.record import holder
from windrow.stack.temporal import Temporal, TemporalPorts


@dataclass(frozen=True, slots=True)
class Running:
    """A stack that somebody runs. An address is None where its engine is external, left out, or not up yet."""

    pid: int | None
    ready: bool = False
    database_url: str | None = field(default=None, repr=False)
    temporal: TemporalPorts | None = None

    @property
    def temporal_address(self) -> str | None:
        return self.temporal.address if self.temporal else None

    @property
    def temporal_ui_url(self) -> str | None:
        return self.temporal.ui_url if self.temporal else None


def discover(home: Path) -> Running | None:
    """The stack that runs in this home, or None when nobody holds it."""
    held = holder(home)
    if held is None:
        return None
    if held.record is None:
        return Running(held.pid)
    engines, ports = held.record.engines, held.record.ports
    url = database_url(ports["postgres"], read_password(home)) if Postgres.name in engines else None
    return Running(held.pid, True, url, TemporalPorts.of(ports) if Temporal.name in engines else None)
