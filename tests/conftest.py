"""What every test may ask for: a database of its own on a real server, and what the code under test has said."""

import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from windrow.postgres import Database
from windrow.postgres.migrate import migrate
from windrow.telemetry import log
from windrow.telemetry.declare import Level
from windrow.telemetry.export import Exported, export


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=0, help="how many seeds a campaign runs")


@pytest.fixture(scope="session")
def server_url() -> str:
    """A real Postgres whose login may create databases."""
    return os.environ["WINDROW_TEST_DATABASE_URL"]


@pytest.fixture(scope="session")
def template(server_url: str) -> Iterator[str]:
    """A migrated database of this worker's, to be copied."""
    import asyncio

    name = f"template_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    asyncio.run(migrate(make_conninfo(server_url, dbname=name)))
    yield name
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a fresh, migrated database."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    given = conninfo_to_dict(server_url)
    user = given["user"] + (f":{given['password']}" if given.get("password") else "")
    yield f"postgresql://{user}@{given['host']}:{given.get('port', 5432)}/{name}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


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
def said() -> Said:
    """Every line said; an undeclared event, or one without a required field, fails the test that said it."""
    heard = Said()
    log.configure(format=log.Format.JSON, level=Level.DEBUG, write=heard.raw.append, strict=True)
    return heard


class Spans:
    """The finished spans of a test."""

    def __init__(self, exported: Exported, memory: InMemorySpanExporter) -> None:
        self._exported, self._memory = exported, memory

    def named(self, name: str) -> list[ReadableSpan]:
        self._exported.tracers.force_flush()
        return [span for span in self._memory.get_finished_spans() if span.name == name]


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
