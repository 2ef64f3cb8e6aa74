"""A house for every test."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.fakes.oidc_issuer import SECRET, OidcIssuer
from tests.integration.console.house import HASTE, House, house

from windrow.postgres import Database


@pytest.fixture
async def open_house(database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """With the patience of every day."""
    async with house(database, tmp_path) as opened:
        yield opened


@pytest.fixture
async def hasty_house(database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """With hardly any patience."""
    async with house(database, tmp_path, HASTE) as opened:
        yield opened


@pytest.fixture(scope="module")
def standing() -> Iterator[OidcIssuer]:
    with OidcIssuer() as issuer:
        yield issuer


@pytest.fixture
def issuer(standing: OidcIssuer, monkeypatch: pytest.MonkeyPatch) -> OidcIssuer:
    """Who vouches for people and programs, without a memory of the tests before."""
    standing.forgets()
    monkeypatch.setenv("OIDC_SECRET", SECRET)
    return standing
