"""What an endpoint may say, and what a cursor may be."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windrow.connectors.configuration import configured
from windrow.connectors.confluence import ConfluenceConnector
from windrow.connectors.confluence.config import ConfluenceConfig
from windrow.connectors.confluence.cursor import Kind, Way, begin, fingerprint, read
from windrow.contracts.errors import ValidationFailure

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


def config(**given: Any) -> ConfluenceConfig:
    made = configured(ConfluenceConnector, {"base_url": "https://acme.atlassian.net/wiki/", **given})
    assert isinstance(made, ConfluenceConfig)
    return made


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "acme.atlassian.net"},
        {"base_url": "ftp://acme.atlassian.net"},
        {"base_url": "http://acme.atlassian.net/wiki"},
        {"base_url": "https://acme.atlassian.net/wiki?x=1"},
        {"base_url": "https://acme.atlassian.net/wiki#x"},
        {"base_url": "https:///wiki"},
        {"spaces": ['OPS" or type = user']},
        {"spaces": ["A B"]},
        {"email": "ada:lovelace"},
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../../etc/passwd"},
        {"entities": []},
        {"relist_hours": -1},
        {"edition": "server"},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure):
        config(**wrong)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationFailure, match="credential_ref") as refused:
        config(base_url="https://ada:hunter2hunter2@acme.atlassian.net")

    assert "hunter2" not in refused.value.message


@pytest.mark.parametrize("cursor", [{}, [], "x", 7, {"config": "a", "kind": "all"}, {"config": "a", "secret": "b"}])
def test_a_cursor_that_somebody_made_up_is_refused(cursor: Any) -> None:
    with pytest.raises(ValidationFailure, match="cursor"):
        read(cursor)


def test_a_cursor_comes_back_as_it_was_written() -> None:
    way = Way(config="a", since=NOW, listed=NOW, kind=Kind.CHANGES, began=NOW, list="changed", next="x?y", again=2)

    assert read(way.written()) == way


@pytest.mark.parametrize(
    ("hours", "relist_hours", "kind"),
    [(1, 24, Kind.CHANGES), (24, 24, Kind.LISTING), (0, 0, Kind.LISTING), (700, 8760, Kind.CHANGES)],
)
def test_all_is_listed_anew_when_it_is_time(hours: int, relist_hours: int, kind: Kind) -> None:
    wanted = config(relist_hours=relist_hours)
    before = Way(config=fingerprint(wanted), since=NOW, listed=NOW - timedelta(hours=hours))

    assert begin(before, wanted, NOW).kind is kind


def test_another_configuration_lists_anew() -> None:
    before = Way(config=fingerprint(config()), since=NOW, listed=NOW)

    assert begin(before, config(spaces=["OPS"]), NOW) == Way(
        config=fingerprint(config(spaces=["OPS"])), kind=Kind.LISTING
    )
