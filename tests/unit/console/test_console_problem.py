"""Which number an error is, what is told of it; and which causes are taken over."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.contracts.scope import Scope
from windrow.web.edge import correlation_of
from windrow.web.principal import Principal, Role
from windrow.web.problem import answer, problem, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValidationFailure("x"), 400),
        (ValidationFailure("x", code=Code.INVALID_KEY), 400),
        (ValidationFailure("x", code=Code.INVALID_VALUE), 422),
        (ValidationFailure("x", code=Code.TOO_LARGE), 413),
        (ValidationFailure("x", code=Code.NOT_FOUND), 404),
        (ValidationFailure("x", code=Code.GONE), 410),
        (ValidationFailure("x", code=Code.CONTENT_TYPE), 415),
        (ValidationFailure("x", code=Code.REQUEST_REUSED), 409),
        (Conflict("x"), 409),
        (Conflict("x", code=Code.GONE), 409),
        (RetryableTransient("x"), 503),
        (RateLimited("x", retry_after=7), 503),
        (classify(KeyError("nobody mapped this")), 500),
        (Fatal("x"), 500),
        # an engine that refuses us is no refusal of the caller
        (Fatal("x", code=Code.UNAUTHORIZED), 500),
        (Fatal("x", code=Code.FORBIDDEN), 500),
        (classify(HTTPException(405)), 405),
    ],
)
def test_every_class_has_its_number(error: WindrowError, status: int) -> None:
    assert status_of(error) == status


def test_every_code_of_every_class_is_an_error_of_http() -> None:
    for kind in (ValidationFailure, Conflict, RetryableTransient, Fatal):
        for code in Code:
            assert 400 <= status_of(kind("x", code=code)) < 600


def test_who_is_to_come_back_is_told_when() -> None:
    wait = answer(RateLimited("x", retry_after=7), correlation_id="c", request_id="r")

    assert wait.headers["retry-after"] == "7"
    assert "retry-after" in answer(RetryableTransient("x"), correlation_id="c", request_id="r").headers


def test_a_problem_of_the_callers_is_told_in_full_and_redacted() -> None:
    error = ValidationFailure("cannot use postgresql://me:hunter22@db/x", hint="write another")

    told = problem(error, correlation_id="c", request_id="r")

    assert (told["title"], told["code"], told["hint"]) == ("ValidationFailure", "INVALID", "write another")
    assert "hunter22" not in json.dumps(told)


def test_a_problem_of_ours_is_told_by_its_code_alone() -> None:
    told = problem(Fatal("the disk /dev/sda1 is full", code=Code.DISK_FULL), correlation_id="c", request_id="r")

    assert (told["status"], told["code"]) == (500, "DISK_FULL")
    assert "sda1" not in json.dumps(told)
    assert told["hint"].endswith("r")


@given(st.text(st.characters(codec="latin-1"), max_size=80))
def test_what_is_taken_over_as_a_cause_can_stand_anywhere(given_id: str) -> None:
    taken = correlation_of(Headers({"x-correlation-id": given_id}))

    assert 0 < len(taken) <= 64
    assert all(char.isascii() and (char.isalnum() or char in "._-") for char in taken)


@pytest.mark.parametrize(
    "malformed",
    [
        "",
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
        "00-xyz-1-1",
    ],
)
def test_a_malformed_trace_is_none(malformed: str) -> None:
    taken = correlation_of(Headers({"traceparent": malformed}))

    assert taken not in malformed or not malformed


@pytest.mark.parametrize(
    ("held", "may"), [(Role.READER, [True, False, False]), (Role.WRITER, [True, True, False]), (Role.ADMIN, [True] * 3)]
)
def test_each_role_may_what_those_below_it_may(held: Role, may: list[bool]) -> None:
    principal = Principal(Scope("acme", "main"), (held,), "anna", "test")

    assert [principal.may(role) for role in Role] == may


def test_without_a_role_nothing_is_allowed() -> None:
    assert not Principal(Scope("acme", "main"), (), "anna", "test").may(Role.READER)
