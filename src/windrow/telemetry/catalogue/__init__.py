"""Everything the system can say, by area. One module an area; the reference pages are drawn from here."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

from windrow.telemetry.declare import Event, Metric, Span

Declared = TypeVar("Declared", Event, Metric, Span)


@cache
def areas() -> tuple[ModuleType, ...]:
    """Every area's module, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)


def _unique(found: list[Declared]) -> dict[str, Declared]:
    by_name = {declared.name: declared for declared in found}
    if len(by_name) != len(found):
        names = [declared.name for declared in found]
        raise ValueError(f"declared twice: {sorted({name for name in names if names.count(name) > 1})}")
    return by_name


@cache
def events() -> dict[str, Event]:
    """Every log event by name."""
    return _unique([event for area in areas() for event in area.EVENTS])


@cache
def metrics() -> dict[str, Metric]:
    """Every metric by name."""
    return _unique([value for area in areas() for value in vars(area).values() if isinstance(value, Metric)])


@cache
def spans() -> dict[str, Span]:
    """Every span by name."""
    return _unique([span for area in areas() for span in getattr(area, "SPANS", ())])
