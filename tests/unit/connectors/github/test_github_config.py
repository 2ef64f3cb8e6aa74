"""What an endpoint may say."""

from typing import Any

import pytest

from windrow.connectors.configuration import configured
from windrow.connectors.github import GithubConnector
from windrow.contracts.errors import ValidationFailure


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"owner": "acme/tool"},
        {"owner": "../acme"},
        {"owner": "acme", "base_url": "http://github.example"},
        {"owner": "acme", "base_url": "https://user:word@github.example"},
        {"owner": "acme", "base_url": "ftp://github.example"},
        {"owner": "acme", "base_url": "https://github.example/?x=1"},
        {"owner": "acme", "repositories": ["acme/tool"]},
        {"owner": "acme", "files": ["!docs"]},
        {"owner": "acme", "app_id": "1"},
        {"owner": "acme", "installation_id": 1},
        {"owner": "acme", "relist_hours": -1},
        {"owner": "acme", "token": "ghp_secret"},
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure) as told:
        configured(GithubConnector, given)

    assert "ghp_secret" not in told.value.message


@pytest.mark.parametrize("url", ["https://ghe.example/api/v3/", "http://127.0.0.1:8080", "http://10.1.2.3/api/v3"])
def test_an_enterprise_or_a_private_address_is_taken(url: str) -> None:
    assert configured(GithubConnector, {"owner": "acme", "base_url": url}).base_url == url.rstrip("/")  # type: ignore[attr-defined]
