"""A reader whose tap each test writes for itself."""

from pathlib import Path

import pytest
from tests.integration.connectors.singer.reading import Reader


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """Harvests a tap that has yet to be made."""
    return Reader(tmp_path)
