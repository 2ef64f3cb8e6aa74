"""Kinds, and the terms on which jobs are taken."""

from datetime import datetime, timedelta

import pytest
from pydantic import BaseModel

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.jobs import Kind, Kinds, Running, Terms, WorkerLimits


class Nothing(BaseModel):
    """No payload at all."""


async def rest(running: Running, payload: Nothing) -> None:
    """Does nothing."""


def test_a_kind_is_found_by_its_name() -> None:
    kind = Kind("rest", Nothing, rest)

    assert Kinds(kind).find("rest") is kind


def test_an_unknown_kind_names_those_that_are_known() -> None:
    with pytest.raises(Fatal) as refused:
        Kinds(Kind("rest", Nothing, rest)).find("work")

    assert "rest" in (refused.value.hint or "")


def test_a_name_twice_is_a_mistake() -> None:
    kind = Kind("rest", Nothing, rest)

    with pytest.raises(ValueError, match="twice"):
        Kinds(kind, kind)


@pytest.mark.parametrize("wrong", [{"most": 0}, {"timeout": timedelta(0)}])
def test_a_limit_under_which_nothing_could_run_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Kind("rest", Nothing, rest, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [{"priority": 101}, {"max_attempts": 0}, {"run_at": datetime(2026, 1, 1)}],  # noqa: DTZ001 - the point
    ids=lambda wrong: next(iter(wrong)),
)
def test_terms_that_mean_nothing_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationFailure):
        Terms(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"concurrency": 0}, {"heartbeat": timedelta(seconds=20)}], ids=lambda wrong: next(iter(wrong))
)
def test_a_worker_that_could_not_keep_a_job_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        WorkerLimits(**wrong)  # type: ignore[arg-type]
