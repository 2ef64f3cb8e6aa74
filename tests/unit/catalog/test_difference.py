"""What is different between two revisions."""

from typing import Any

import pytest

from windrow.catalog.difference import Difference, Kind, differences, kind


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({}, {}, []),
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": 1}, {}, [("a", 1, None)]),
        ({}, {"a": [1]}, [("a", None, [1])]),
        ({"a": None}, {}, [("a", None, None)]),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": 1}, {"a": 1.0}, [("a", 1, 1.0)]),
        (
            {"attributes": {"x": 1, "y": {"z": 1}}},
            {"attributes": {"y": {"z": 2}}},
            [("attributes.x", 1, None), ("attributes.y", {"z": 1}, {"z": 2})],
        ),
        ({}, {"attributes": {"x": 1}}, [("attributes.x", None, 1)]),
    ],
)
def test_fields_are_compared_one_by_one(
    before: dict[str, Any], after: dict[str, Any], found: list[tuple[str, Any, Any]]
) -> None:
    assert differences(before, after) == tuple(Difference(*each) for each in found)


@pytest.mark.parametrize(
    ("before", "after", "made"),
    [
        ({}, {}, Kind.CHANGED),
        ({"deleted": False}, {"deleted": True}, Kind.DELETED),
        ({"deleted": True}, {"deleted": False}, Kind.RESTORED),
        ({"deleted": True}, {"deleted": True}, Kind.CHANGED),
    ],
)
def test_a_tombstone_is_told_from_a_change(before: dict[str, Any], after: dict[str, Any], made: Kind) -> None:
    assert kind(before, after) is made
