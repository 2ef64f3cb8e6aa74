"""How often a tenant may call."""

import pytest

from windrow.web.pace import Pace, PaceLimits
from windrow.web.problem import Refusal


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def held_back(pace: Pace, tenant: str) -> str | None:
    """With what the tenant is held back; None if it may call."""
    try:
        pace.step(tenant)
    except Refusal as refusal:
        return f"{refusal.status} after {refusal.headers['retry-after']}"
    return None


def test_a_burst_is_taken_and_then_the_pace_holds() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(per_second=0.5, burst=3), clock=clock)

    assert [held_back(pace, "acme") for _ in range(4)] == [None, None, None, "429 after 2"]
    clock.now += 2
    assert [held_back(pace, "acme") for _ in range(2)] == [None, "429 after 2"]


def test_one_tenant_does_not_use_up_anothers() -> None:
    pace = Pace(PaceLimits(per_second=1, burst=1), clock=Clock())
    held_back(pace, "acme")

    assert held_back(pace, "acme") == "429 after 1"
    assert held_back(pace, "other") is None


def test_a_long_rest_saves_up_no_more_than_a_burst() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(per_second=1, burst=2), clock=clock)
    held_back(pace, "acme")
    clock.now += 1000

    assert [held_back(pace, "acme") for _ in range(3)] == [None, None, "429 after 1"]


@pytest.mark.parametrize("tenants", [1, 10])
def test_no_more_tenants_are_remembered_than_said(tenants: int) -> None:
    pace = Pace(PaceLimits(remembered=tenants), clock=Clock())
    for each in range(tenants * 3):
        pace.step(f"t{each}")

    assert len(pace._buckets) == tenants
