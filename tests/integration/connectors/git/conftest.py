"""A repository of one's own, and a reader that harvests it."""

from pathlib import Path

import pytest
from tests.integration.connectors.git.reading import Reader
from tests.integration.connectors.git.workshop import Workshop


@pytest.fixture
def repository(tmp_path: Path) -> Workshop:
    """A repository with nothing in it."""
    return Workshop(tmp_path / "repository")


@pytest.fixture
def reader(tmp_path: Path, repository: Workshop) -> Reader:
    """Reads that repository."""
    return Reader(tmp_path, tmp_path / "cache", {"path": str(repository.place)})
