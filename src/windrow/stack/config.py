"""What a stack consists of: values, given by whoever starts it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType

from windrow.contracts.retry import RetryPolicy

# for tests only: a power cut may corrupt everything; a kill -9 loses nothing, since commits still reach the system
UNSAFE_BUT_FAST: Mapping[str, str] = MappingProxyType({"fsync": "off", "full_page_writes": "off"})

# tenants share a task queue fairly only with the new matcher and a single partition
FAIR: Mapping[str, str] = MappingProxyType(
    {
        "matching.enableFairness": "true",
        "matching.useNewMatcher": "true",
        "matching.numTaskqueueReadPartitions": "1",
        "matching.numTaskqueueWritePartitions": "1",
    }
)

# an engine that dies is back at once; one that dies at once, six times in a row, needs a person
RESTARTS = RetryPolicy(timedelta(milliseconds=100), timedelta(seconds=5), attempts=6, spread=0.5)


@dataclass(frozen=True, slots=True)
class Care:
    """How engines are looked after."""

    restarts: RetryPolicy = RESTARTS
    # an engine that lived this long did not die at once: its earlier deaths are forgiven
    settled: timedelta = timedelta(seconds=10)
    # long: after a crash PostgreSQL repairs its data first, and must not be cut short
    start_timeout: timedelta = timedelta(minutes=10)
    stop_timeout: timedelta = timedelta(seconds=20)
    check_every: timedelta = timedelta(seconds=10)
    check_timeout: timedelta = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """Our own PostgreSQL. Without a port, a free one is found and remembered; `settings` are server settings."""

    port: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    install: Path | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedTemporal:
    """Our own Temporal development server, with the namespaces it creates at launch."""

    namespaces: tuple[str, ...] = ()
    port: int | None = None
    ui_port: int | None = None
    dynamic_config: Mapping[str, str] = field(default_factory=lambda: FAIR)
    search_attributes: Mapping[str, str] = field(default_factory=dict)
    program: Path | None = None


@dataclass(frozen=True, slots=True)
class ExternalPostgres:
    """A server that somebody else runs."""

    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExternalTemporal:
    """A cluster that somebody else runs; `host:port`."""

    address: str


@dataclass(frozen=True, slots=True)
class StackConfig:
    """Where the data lives and which engines there are; None leaves an engine out."""

    home: Path
    postgres: EmbeddedPostgres | ExternalPostgres | None
    temporal: EmbeddedTemporal | ExternalTemporal | None
    engine_user: str = "windrow"
    # where data and programs go when the engines' user cannot reach the home or the virtual environment
    system_directory: Path = Path("/var/lib/windrow")
    care: Care = field(default_factory=Care)
