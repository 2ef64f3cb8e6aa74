"""Sources, as an operator handles them from a shell; read by a connector that another distribution offers."""

import json
from pathlib import Path
from typing import Any

from tests.integration.endpoints.shelf import KEY, build
from tests.stories.conftest import Up


def operate(running: Up, *words: str) -> Any:
    return running.machine.answer("endpoint", *words)


def test_a_source_is_added_tried_edited_removed_and_revived(running: Up, tmp_path: Path) -> None:
    shelf = build(tmp_path)
    running.machine.environment |= {"PYTHONPATH": str(tmp_path), "WINDROW_SECRET_SHELF": "open-sesame"}

    added = operate(running, "add", "library", "shelf", f"path={shelf}", "rooms=east,west", *KEY, "--schedule", "15m")
    assert added["config"] == {"path": str(shelf), "rooms": ["east", "west"]}
    (listed,) = operate(running, "list")
    assert listed == added | {"state": "new", "why": None}
    assert operate(running, "show", "library") == added

    trial = operate(running, "test", "library", "--preview", "1")
    assert [(finding["name"], finding["well"]) for finding in trial["findings"]] == [
        ("configuration", True),
        ("credential", True),
        ("shelf", True),
        ("key", True),
    ]
    assert (trial["well"], trial["records"], trial["refused"]) == (True, 3, 1)
    assert trial["items"] == [{"entity_type": "book", "external_id": "1", "display_name": "Harvest"}]

    edited = operate(running, "edit", "library", "depth=3", "--unset", "rooms", "--schedule", "", "--expect", "1")
    assert (edited["version"], edited["schedule"]) == (2, None)
    assert edited["config"] == {"path": str(shelf), "depth": 3}
    assert edited["filters"] != added["filters"]

    assert operate(running, "remove", "library", "--reason", "sold")["removed_at"]
    assert operate(running, "list") == []
    assert [gone["name"] for gone in operate(running, "list", "--removed")] == ["library"]
    revived = operate(running, "add", "library", "shelf", f"path={shelf}", *KEY)
    assert (revived["version"], revived["removed_at"]) == (4, None)

    trail = running.machine.answer("audit", "endpoints/default/library")
    assert [line["action"].removeprefix("endpoints.") for line in trail] == ["revive", "remove", "edit", "add"]
    assert str(shelf) not in json.dumps(trail)
