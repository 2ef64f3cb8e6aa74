"""What befell a job, told as its executions."""

from datetime import UTC, datetime, timedelta

from windrow.jobs.job import JobEvent
from windrow.jobs.tries import Try, tries

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def told(*events: tuple[str, int, int], code: str | None = None) -> list[JobEvent]:
    """Events as (name, attempt, epoch), a minute apart."""
    return [
        JobEvent(
            id=minute,
            event=name,
            at=NOON + timedelta(minutes=minute),
            attempt=attempt,
            epoch=epoch,
            worker="w",
            details={"code": code} if code else None,
        )
        for minute, (name, attempt, epoch) in enumerate(events)
    ]


def ends(found: list[Try]) -> list[tuple[int, int, str | None]]:
    return [(one.attempt, one.epoch, one.end) for one in found]


def test_each_time_it_was_taken_in_hand_is_one() -> None:
    found = tries(
        told(
            ("created", 1, 0),
            ("processing", 1, 1),
            ("requeued:handed_back", 1, 1),
            ("processing", 1, 2),
            ("progress", 1, 2),
            ("requeued:error", 1, 2),
            ("processing", 2, 3),
            code="NETWORK",
        )
    )

    assert ends(found) == [(1, 1, "requeued:handed_back"), (1, 2, "requeued:error"), (2, 3, None)]
    assert (found[1].began_at, found[1].ended_at, found[1].code) == (
        NOON + timedelta(minutes=3),
        NOON + timedelta(minutes=5),
        "NETWORK",
    )


def test_what_befalls_a_job_that_waits_ends_no_execution() -> None:
    assert tries(told(("created", 1, 0), ("cancelled", 1, 0))) == []
    found = tries(
        told(("processing", 1, 1), ("requeued:error", 1, 1), ("cancelled", 2, 1), ("requeued:retry", 3, 1)),
    )
    assert ends(found) == [(1, 1, "requeued:error")]


def test_one_that_a_shutdown_cut_off_is_ended_by_recovery() -> None:
    found = tries(told(("processing", 1, 1), ("aborted:shutdown", 1, 1), ("requeued:stale", 1, 1)))

    assert ends(found) == [(1, 1, "requeued:stale")]
