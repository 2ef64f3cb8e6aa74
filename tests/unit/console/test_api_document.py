"""The document tells of every operation what it needs, and an operation that says nobody is none."""

import pytest
from fastapi import APIRouter

from windrow.console.api.document import document
from windrow.console.api.operation import Operation
from windrow.console.api.operations import OPERATIONS
from windrow.web.principal import Role

DRAWN = document(OPERATIONS)
CALLS = [(path, method, call) for path, calls in DRAWN["paths"].items() for method, call in calls.items()]


def test_every_operation_is_in_the_document_under_a_name_of_its_own() -> None:
    names = [call["operationId"] for _, _, call in CALLS]

    assert len(set(names)) == len(names) == sum(each.include_in_schema for each in OPERATIONS)


def test_every_operation_says_who_may_and_how_it_fails() -> None:
    for path, method, call in CALLS:
        assert call["x-role"] in tuple(Role), (method, path)
        assert "application/problem+json" in call["responses"]["default"]["content"], (method, path)
        assert "422" not in call["responses"], "the framework's own error shape"
        assert call["description"], (method, path)


def test_every_write_takes_an_idempotency_key_or_can_be_repeated_as_it_is() -> None:
    # trials and previews write nothing, a trigger has an id of its own, a blob is completed as often as one likes
    without = {
        "endpoints.tried",
        "endpoints.tried_before_it_is_added",
        "previews.taken",
        "schedules.triggered",
        "blobs.requested",
        "blobs.completed",
        "blobs.downloaded",
    }
    lacking = {
        call["operationId"]
        for _, method, call in CALLS
        if method != "get" and "idempotency-key" not in {each["name"] for each in call.get("parameters", ())}
    }

    assert lacking == without


def test_whatever_the_document_refers_to_is_in_it() -> None:
    def references(value: object) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            return own.union(*map(references, value.values()))
        return set().union(*map(references, value)) if isinstance(value, list) else set()

    known = {f"#/components/schemas/{name}" for name in DRAWN["components"]["schemas"]}
    assert references(DRAWN) <= known


def test_an_operation_that_does_not_say_who_may_call_it_cannot_be_made() -> None:
    router = APIRouter(route_class=Operation)

    async def open_to_all() -> str:
        return "anybody"

    with pytest.raises(TypeError, match="says once who may"):
        router.get("/open")(open_to_all)
