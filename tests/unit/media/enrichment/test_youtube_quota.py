"""When YouTube may be asked again: the midnights of California, and waits that grow."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Said

from windrow.contracts.errors import Code
from windrow.media.enrichment.youtube.quota import PACIFIC, Quota, last_reset, next_reset
from windrow.media.errors import EnrichmentDelayed


class Clock:
    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def goes(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 1, 15, 12, tzinfo=UTC))


@pytest.fixture
def quota(clock: Clock) -> Quota:
    return Quota(clock, jitter=lambda: 1.0)


@pytest.mark.parametrize(
    ("now", "reset"),
    [
        ("2026-01-15T12:00:00Z", "2026-01-16T08:00:00Z"),  # winter: eight hours behind
        ("2026-01-15T07:59:59Z", "2026-01-15T08:00:00Z"),
        ("2026-01-15T08:00:00Z", "2026-01-16T08:00:00Z"),
        ("2026-07-15T12:00:00Z", "2026-07-16T07:00:00Z"),  # summer: seven
        ("2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"),  # the day that has 23 hours
        ("2026-11-01T08:00:00Z", "2026-11-02T08:00:00Z"),  # the day that has 25
        ("2026-12-31T23:30:00+09:00", "2027-01-01T08:00:00Z"),
    ],
)
def test_the_quota_is_whole_again_at_midnight_in_california(now: str, reset: str) -> None:
    assert next_reset(datetime.fromisoformat(now)) == datetime.fromisoformat(reset)


def test_every_hour_of_two_years_lies_between_two_midnights() -> None:
    for hours in range(0, 2 * 366 * 24, 7):
        now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        before, after = last_reset(now), next_reset(now)
        assert before <= now < after
        assert timedelta(hours=23) <= after - before <= timedelta(hours=25)
        assert after.astimezone(PACIFIC).time().isoformat() == "00:00:00"


def test_once_it_is_used_up_everybody_is_told_the_same_until_then(clock: Clock, quota: Quota, said: Said) -> None:
    quota.exhausted("no more")

    clock.goes(hours=19, minutes=59)
    with pytest.raises(EnrichmentDelayed) as told:
        quota.check()
    assert told.value.not_before == datetime(2026, 1, 16, 8, tzinfo=UTC)
    assert told.value.code is Code.RATE_LIMITED

    clock.goes(minutes=1)
    quota.check()
    assert [line["not_before"] for line in said.events("youtube.quota_exhausted")] == ["2026-01-16T08:00:00+00:00"]


def test_a_refusal_just_after_midnight_does_not_cost_a_day(clock: Clock, quota: Quota) -> None:
    clock.at = datetime(2026, 1, 16, 8, 0, 2, tzinfo=UTC)

    assert quota.exhausted("not yet").not_before == clock.at + timedelta(minutes=15)


def test_waits_for_the_rate_grow_until_a_request_is_served(clock: Clock, quota: Quota) -> None:
    waits = []
    for _ in range(9):
        until = quota.limited("slowly", None).not_before
        assert until is not None
        waits.append((until - clock.at).total_seconds())
        clock.at = until

    assert waits == [5, 10, 20, 40, 80, 160, 320, 600, 600]

    quota.answered()
    assert quota.limited("slowly", None).not_before == clock.at + timedelta(seconds=5)


def test_refusals_of_requests_that_went_out_together_count_as_one(clock: Clock, quota: Quota) -> None:
    assert {quota.limited("slowly", None).not_before for _ in range(3)} == {clock.at + timedelta(seconds=5)}


def test_a_wait_that_youtube_asks_for_is_kept_to(clock: Clock, quota: Quota) -> None:
    assert quota.limited("slowly", 90).not_before == clock.at + timedelta(seconds=90)
    assert quota.limited("slowly", 1).not_before == clock.at + timedelta(seconds=5)

    with pytest.raises(EnrichmentDelayed) as told:
        quota.check()
    assert told.value.not_before == clock.at + timedelta(seconds=90)
