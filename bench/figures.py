"""What a benchmark is given, and what becomes of its figures."""

import json
import operator
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}


class Report(Protocol):
    """Tell one figure."""

    def __call__(self, name: str, value: float, unit: str, target: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the engines answer, and whom to tell."""

    report: Report
    database_url: str
    temporal_address: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of bench/results.json."""

    name: str
    value: float
    unit: str
    target: str | None
    holds: bool | None


def holds(value: float, target: str | None) -> bool | None:
    """Whether the value meets a target such as `>= 0.5`; None where there is no target."""
    if target is None:
        return None
    sign, bound = target.split()
    return COMPARE[sign](value, float(bound))


class Figures:
    """The figures of a run; those of areas that did not run this time stay as they were."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._told: dict[str, Figure] = {}

    def report(self, name: str, value: float, unit: str, target: str | None = None) -> None:
        rounded = float(f"{value:.4g}")
        figure = Figure(name, rounded, unit, target, holds(rounded, target))
        self._told[name] = figure
        verdict = "" if figure.holds is None else f"  (target {target}: {'holds' if figure.holds else 'MISSED'})"
        print(f"{name:<44} {rounded:>12g} {unit}{verdict}", flush=True)

    def missed(self) -> list[str]:
        return [figure.name for figure in self._told.values() if figure.holds is False]

    def write(self) -> None:
        before = (
            {figure["name"]: figure for figure in json.loads(self._file.read_text())} if self._file.exists() else {}
        )
        areas = {name.partition(".")[0] for name in self._told}
        kept = {name: figure for name, figure in before.items() if name.partition(".")[0] not in areas}
        merged = kept | {name: asdict(figure) for name, figure in self._told.items()}
        self._file.write_text(json.dumps([merged[name] for name in sorted(merged)], indent=2) + "\n")
