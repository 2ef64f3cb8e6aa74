"""Fixtures of the tests of messages: one database for all of them, emptied before each."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from httpx2 import URL
from tests.integration.messages.post import Post

from windrow.postgres import Database


@pytest.fixture(scope="session")
def messages_url(server_url: str, template: str) -> Iterator[str]:
    """A database that these tests share: a relay looks at all tenants, so a tenant each would not keep them apart."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield str(URL(server_url).copy_with(path=f"/{name}"))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(messages_url: str) -> str:
    """That database, with nothing said in it yet."""
    with psycopg.connect(messages_url, options="-c search_path=windrow") as connection:
        connection.execute(
            "TRUNCATE topics, subscriptions, messages, topic_log, strands, dead_letters, audit_log, idempotency_keys"
        )
    return messages_url


@pytest.fixture
def post(database: Database) -> Post:
    """A recorder, a relay to it, and the ways to speak to both."""
    return Post(database)
