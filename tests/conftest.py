"""What every test may ask for: a database of its own on a real server, and what the code under test has said."""

import asyncio
import json
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import hypothesis
import psycopg
import pytest
from httpx2 import URL
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.engines import Engines
from windrow.postgres import Database
from windrow.postgres.migrate import migrate
from windrow.telemetry import log
from windrow.telemetry.declare import Level
from windrow.telemetry.export import Exported, export
from windrow.telemetry.redaction import PROCESS

ENGINES = pytest.StashKey[Engines]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed", type=int, default=0, help="drives the tests marked `campaign`; `make campaign` counts it up"
    )
    parser.addoption(
        "--screenshots", action="store_true", help="the browser's tests draw the pictures of docs/images anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    # the same cases in every run of `make test`; `make campaign` looks at others, seed by seed. How long one takes is a
    # matter of who else is on the machine
    hypothesis.settings.register_profile(
        "windrow",
        derandomize=config.getoption("--hypothesis-seed") is None,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("windrow")
    config.stash[ENGINES] = Engines()
    # in the background of a shell Ctrl-C is ignored, and so it would be by every process that a test starts
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A campaign is long by itself, and must not be taken for one that hangs where the machine is slow."""
    for item in items:
        if item.get_closest_marker("campaign") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """One set of engines for all workers of a parallel run: the controller starts it and tells them where."""
    node.workerinput["engines"] = node.config.stash[ENGINES].addresses()


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[ENGINES].stop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests have measured (`record_property("figure", …)`); `make campaign` shows it."""
    for report in terminalreporter.getreports("passed"):
        for name, said in report.user_properties:
            if name == "figure" and report.when == "call":
                terminalreporter.write_line(f"figure: {said}")


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    """What a generated story is generated from."""
    return int(pytestconfig.getoption("--seed"))


@pytest.fixture(scope="session")
def engines(pytestconfig: pytest.Config) -> dict[str, str]:
    """Where the real Postgres and the real Temporal of this test run answer."""
    told = getattr(pytestconfig, "workerinput", {}).get("engines")
    return told or pytestconfig.stash[ENGINES].addresses()


@pytest.fixture(scope="session")
def server_url(engines: dict[str, str]) -> str:
    """A real Postgres whose login may create databases."""
    return engines["database_url"]


@pytest.fixture(scope="session")
def temporal_address(engines: dict[str, str]) -> str:
    """A real Temporal server, with the namespace `default`."""
    return engines["temporal_address"]


@contextmanager
def made_database(server_url: str, template: str | None = None) -> Iterator[str]:
    """A database for as long as it is needed."""
    name = f"test_{secrets.token_hex(6)}"
    copied = f" TEMPLATE {template} STRATEGY file_copy" if template else ""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{copied}")
    yield str(URL(server_url).copy_with(path=f"/{name}"))
    # autovacuum may be at work in there, and is not ours to end, or a backend takes its time to leave; the whole server
    # goes soon anyway
    held = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectInUse)
    with psycopg.connect(server_url, autocommit=True) as connection, suppress(*held):
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def template(server_url: str) -> Iterator[str]:
    """A migrated database of this worker's, to be copied; nobody is connected to it."""
    with made_database(server_url) as url:
        asyncio.run(migrate(url))
        yield URL(url).path.removeprefix("/")


@pytest.fixture(scope="session")
def shared_url(server_url: str, template: str) -> Iterator[str]:
    """The database that this worker's tests use one after the other."""
    with made_database(server_url, template) as url:
        yield url


# only what was touched, which has a page: each table, with its indexes, costs milliseconds. Whoever failed to write may
# have drawn a number all the same
_EMPTY = """
DO $$
DECLARE touched text;
BEGIN
  SELECT string_agg(t.oid::regclass::text, ', ') INTO touched FROM pg_class t
   WHERE t.relnamespace = 'windrow'::regnamespace AND t.relkind = 'r' AND t.relname <> 'migrations'
     AND pg_relation_size(t.oid) > 0;
  IF touched IS NOT NULL THEN
    EXECUTE 'TRUNCATE ' || touched || ' RESTART IDENTITY CASCADE';
  END IF;
  PERFORM setval(s.seqrelid, 1, false) FROM pg_sequence s JOIN pg_depend d ON d.objid = s.seqrelid AND d.deptype = 'i'
    JOIN pg_class t ON t.oid = d.refobjid
   WHERE t.relnamespace = 'windrow'::regnamespace AND pg_sequence_last_value(s.seqrelid) IS NOT NULL;
END $$"""


@pytest.fixture
def database_url(shared_url: str) -> str:
    """A migrated database with nothing in it. Emptied, not made anew: that would take longer than most tests."""
    with psycopg.connect(shared_url, autocommit=True, options="-c lock_timeout=60s") as connection:
        connection.execute(_EMPTY)
    return shared_url


@pytest.fixture
def own_database_url(server_url: str, template: str) -> Iterator[str]:
    """A migrated database for a test that changes its schema."""
    with made_database(server_url, template) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open pool on a fresh database."""
    async with Database(database_url, size=20) as opened:
        yield opened


class Said:
    """The log lines of a test, in order."""

    def __init__(self) -> None:
        self.raw: list[str] = []

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw]

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        return [line for line in self.lines if name is None or line["event"] == name]


@pytest.fixture(autouse=True)
def _secrets_of_one_test_are_not_those_of_the_next() -> Iterator[None]:
    """A process knows its secrets for as long as it lives; a test run is many processes' worth of tests."""
    yield
    PROCESS._known.clear()
    PROCESS._longest_first = ()


@pytest.fixture(autouse=True)
def said() -> Said:
    """Every line said; an undeclared event, or one without a required field, fails the test that said it."""
    heard = Said()
    log.configure(format=log.Format.JSON, level=Level.DEBUG, write=heard.raw.append, strict=True)
    return heard


class Spans:
    """The finished spans of a test."""

    def __init__(self, exported: Exported, memory: InMemorySpanExporter) -> None:
        self._exported, self._memory = exported, memory

    def all(self) -> list[ReadableSpan]:
        self._exported.tracers.force_flush()
        return list(self._memory.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all() if span.name == name]


@pytest.fixture(scope="session")
def _exported() -> Iterator[tuple[Exported, InMemorySpanExporter]]:
    memory = InMemorySpanExporter()
    exported = export("tests", exporter=memory)
    yield exported, memory
    exported.shutdown()


@pytest.fixture(autouse=True)
def spans(_exported: tuple[Exported, InMemorySpanExporter]) -> Spans:
    """What was traced by this test, as it would have left the process."""
    exported, memory = _exported
    exported.tracers.force_flush()
    memory.clear()
    return Spans(exported, memory)
