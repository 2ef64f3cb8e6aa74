"""A server to harvest, and ways to read it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integration.connectors.postgres.estate import Estate
from tests.integration.connectors.postgres.reading import Reader

Opened = Callable[..., Reader]


@pytest.fixture(scope="session")
def lasting_estate(server_url: str) -> Iterator[Estate]:
    """A server with the databases `shop` and `stock`, for all tests of a worker."""
    made = Estate(server_url, "shop", "stock")
    yield made
    made.close()


@pytest.fixture
def estate(lasting_estate: Estate) -> Estate:
    """The same, with nothing in it."""
    lasting_estate.clear()
    return lasting_estate


@pytest.fixture
def reader(estate: Estate, tmp_path: Path) -> Opened:
    """Reads the estate's database `shop`, and what else it is told to, as an endpoint would."""
    shop = [estate.name("shop")]
    return lambda **config: Reader(estate, tmp_path, estate.config("shop", **{"databases": shop, **config}))
