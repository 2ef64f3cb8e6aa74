"""A GitHub of one's own, and a reader that harvests it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.github import GitHub
from tests.integration.connectors.github.reading import Reader


@pytest.fixture
def hub() -> Iterator[GitHub]:
    """An organisation without a repository."""
    with GitHub() as made:
        yield made


@pytest.fixture
def reader(hub: GitHub, tmp_path: Path) -> Reader:
    """Reads that organisation with a token that sees all of it."""
    return Reader(hub, tmp_path, secret=hub.credential)
