"""Figures that change all the time, made such that they seldom do; and lists, made such that they fit."""

from collections.abc import Sequence
from typing import Any

from windrow.contracts.identity import canonical


def about(number: float | None) -> int | None:
    """Rounded down to 1, 2 or 5 times a power of ten; None where nobody knows."""
    if number is None or number < 0:
        return None
    whole = int(number)
    if whole == 0:
        return 0
    power: int = 10 ** (len(str(whole)) - 1)
    first = whole // power
    return (5 if first >= 5 else 2 if first >= 2 else 1) * power


def fitting(entries: Sequence[Any], room: int) -> list[Any]:
    """As many of the first as JSON of so many bytes holds."""
    kept: list[Any] = []
    for entry in entries:
        room -= len(canonical(entry)) + 1
        if room < 0:
            break
        kept.append(entry)
    return kept
