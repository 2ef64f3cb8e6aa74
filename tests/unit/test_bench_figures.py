"""Figures: one line each, written with whether they hold."""

import json
from pathlib import Path

import pytest
from bench.figures import Figures, holds


@pytest.mark.parametrize(
    ("value", "target", "verdict"),
    [(0.5, ">= 0.5", True), (0.49, ">= 0.5", False), (2.0, "<= 2.0", True), (2.1, "<= 2.0", False), (1, None, None)],
)
def test_a_figure_holds_or_not(value: float, target: str | None, verdict: bool | None) -> None:
    assert holds(value, target) is verdict


def test_results_of_other_areas_stay_and_those_of_this_one_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    first = Figures(file)
    first.report("kv.old", 1, "x")
    first.report("jobs.rate", 2, "x", ">= 3")
    first.write()

    second = Figures(file)
    second.report("kv.new", 3.14159, "x", ">= 3")
    second.write()

    assert json.loads(file.read_text()) == [
        {"name": "jobs.rate", "value": 2.0, "unit": "x", "target": ">= 3", "holds": False},
        {"name": "kv.new", "value": 3.142, "unit": "x", "target": ">= 3", "holds": True},
    ]
    assert first.missed() == ["jobs.rate"]
