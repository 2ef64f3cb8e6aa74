"""What an endpoint of onedrive may say."""

from typing import Any

import pytest

from windrow.connectors.configuration import faults
from windrow.connectors.onedrive import OneDriveConnector

GOOD = {"directory": "acme.example", "client_id": "app", "drive": "b!one"}


def wrong(**said: Any) -> list[str]:
    return [str(each) for each in faults(OneDriveConnector, {**GOOD, **said})]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"drive": None, "user": "ada@example.org"},
        {"drive": None, "site": "acme.sharepoint.com:/sites/team", "libraries": ["Documents"]},
        {"drive": None, "me": True, "sign_in": "user"},
        {"folder": "Projects/2026/"},
        {"base_url": "http://127.0.0.1:8080/v1.0", "login_url": "http://[::1]:8080"},
        {"relist_hours": 0},
    ],
)
def test_good_ones_are_taken(said: dict[str, Any]) -> None:
    assert wrong(**said) == []


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ({"user": "ada"}, "give one of me, user, drive and site"),
        ({"drive": None}, "give one of me, user, drive and site"),
        ({"drive": None, "me": True}, "me means nothing to an application"),
        ({"libraries": ["x"]}, "libraries are those of a site"),
        ({"drive": "../../me/drive"}, "ids and names do not have"),
        ({"drive": "x?token=y"}, "ids and names do not have"),
        ({"folder": "/a/../b"}, "write it as a path"),
        ({"folder": "/"}, "write it as a path"),
        ({"include": ["!x"]}, "! has a meaning in exclude only"),
        ({"exclude": ["a//b"]}, "empty part"),
        ({"base_url": "http://graph.example/v1.0"}, "it is not encrypted"),
        ({"login_url": "http://8.8.8.8/"}, "it is not encrypted"),
        ({"login_url": "https://user:pass@login.example"}, "it is no address"),
        ({"base_url": "https://graph.example/v1.0?x=y"}, "a query"),
        ({"directory": "a/b"}, "neither an id nor a domain"),
        ({"relist_hours": -1}, "greater than or equal"),
        ({"secret": "x"}, "secret"),
    ],
)
def test_bad_ones_are_told(said: dict[str, Any], because: str) -> None:
    assert any(because in each for each in wrong(**said))


def test_a_password_in_an_address_is_not_repeated() -> None:
    assert "pass" not in "".join(wrong(login_url="https://user:hunter2@login.example")).replace("password", "")
