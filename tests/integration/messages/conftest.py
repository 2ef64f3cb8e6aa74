"""Fixtures of the tests of messages."""

import pytest
from tests.integration.messages.post import Post

from windrow.postgres import Database


@pytest.fixture
def post(database: Database) -> Post:
    """A recorder, a relay to it, and the ways to speak to both."""
    return Post(database)
