"""How every engine of a configuration is, asked from outside: for a doctor, who does not run the stack."""

import asyncio
from collections.abc import Awaitable, Callable

from windrow.stack.config import EmbeddedPostgres, EmbeddedTemporal, ExternalPostgres, ExternalTemporal, StackConfig
from windrow.stack.discover import Running, discover
from windrow.stack.health import Health, State
from windrow.stack.postgres import server_version
from windrow.stack.temporal import reach, temporal_version
from windrow.telemetry import redact

Question = Callable[[], Awaitable[str | None]]


async def examine(config: StackConfig) -> tuple[Health, ...]:
    """Every engine, asked now. An external Temporal is only reached: its namespaces need its clients' credentials."""
    running = discover(config.home)
    found = [_postgres(config, running), _temporal(config, running)]
    return tuple(await asyncio.gather(*(health for health in found if health is not None)))


def _postgres(config: StackConfig, running: Running | None) -> Awaitable[Health] | None:
    match config.postgres:
        case ExternalPostgres(url=url):
            return _asked("postgres", True, lambda: server_version(url))
        case EmbeddedPostgres():
            found = running.database_url if running else None
            return _asked("postgres", False, (lambda: server_version(found)) if found else None, running)
    return None


def _temporal(config: StackConfig, running: Running | None) -> Awaitable[Health] | None:
    match config.temporal:
        case ExternalTemporal(address=address):
            return _asked("temporal", True, lambda: reach(address))
        case EmbeddedTemporal(namespaces=namespaces):
            ports = running.temporal if running else None
            return _asked("temporal", False, (lambda: temporal_version(ports, namespaces)) if ports else None, running)
    return None


async def _asked(engine: str, external: bool, question: Question | None, running: Running | None = None) -> Health:
    if question is None:
        return Health(engine, State.STARTING if running and not running.ready else State.STOPPED, external)
    try:
        return Health(engine, State.HEALTHY, external, version=await question())
    except Exception as error:
        return Health(engine, State.UNHEALTHY, external, detail=redact(str(error) or type(error).__name__))
