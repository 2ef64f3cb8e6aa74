"""A site, and a reader that harvests it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.confluence import Confluence
from tests.fakes.confluence.people import fill
from tests.integration.connectors.confluence.reading import Reader


@pytest.fixture
def site() -> Iterator[Confluence]:
    """Some 260 things."""
    with Confluence() as made:
        fill(made.wiki, 260, random.Random(1))
        yield made


@pytest.fixture
def reader(site: Confluence, tmp_path: Path) -> Reader:
    """Reads that site."""
    return Reader(site, tmp_path)
