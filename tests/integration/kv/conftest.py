"""One database for a whole module, emptied before each test: to copy a fresh one takes longer than most tests here."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from httpx2 import URL


@pytest.fixture(scope="module")
def module_url(server_url: str, template: str) -> Iterator[str]:
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield str(URL(server_url).copy_with(path=f"/{name}"))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(module_url: str) -> str:
    with psycopg.connect(module_url, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT string_agg(format('windrow.%I', tablename), ', ') FROM pg_tables"
            " WHERE schemaname = 'windrow' AND tablename <> 'migrations'"
        ).fetchone()
        assert tables
        connection.execute(f"TRUNCATE {tables[0]} RESTART IDENTITY")
    return module_url
