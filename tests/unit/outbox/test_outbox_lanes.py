"""Names of lanes."""

import pytest

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.outbox.lane import Lane

ACME = Scope("acme", "main")


@pytest.mark.parametrize("name", ["live", "events", "backfill:2020", "backfill:quarantine-0a1b", "backfill:a._-"])
def test_a_lane_is_live_or_events_or_a_backfill(name: str) -> None:
    assert str(Lane(ACME, "shop", name)) == f"shop/{name}"


@pytest.mark.parametrize(
    "name", ["", "Live", "backfill:", "backfill:A", "backfill:a/b", "live\n", "other", "backfill:-a"]
)
def test_nothing_else_is_a_lane(name: str) -> None:
    with pytest.raises(ValidationFailure, match="no lane"):
        Lane(ACME, "shop", name)


@pytest.mark.parametrize("endpoint", ["", "a/b", "A", "a b"])
def test_a_lane_is_of_an_endpoint_that_has_a_name(endpoint: str) -> None:
    with pytest.raises(ValidationFailure, match="not a name"):
        Lane(ACME, endpoint)
