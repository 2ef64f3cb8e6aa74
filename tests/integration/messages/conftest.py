"""Fixtures of the tests of messages."""

import os

import pytest
from tests.integration.messages.post import Post

from windrow.postgres import Database

# read when gRPC is first loaded: else it tells of every connection that a test cuts
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")


@pytest.fixture
def post(database: Database) -> Post:
    """A recorder, a relay to it, and the ways to speak to both."""
    return Post(database)
