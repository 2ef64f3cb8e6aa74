"""Small charts, as shapes that a template draws. Their sizes are those of the drawing, not of the screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of one kind, which decides its colour."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn, and what it says in words for those who do not see it."""

    width: float
    height: float
    blocks: tuple[Block, ...]
    words: str


def columns(series: Sequence[Mapping[str, float]], words: str, *, width: float = 240, height: float = 56) -> Chart:
    """A column for each step of time, its kinds one upon the other. Something is never drawn as nothing."""
    tallest = max((sum(step.values()) for step in series), default=0) or 1
    pitch = width / max(len(series), 1)
    blocks = []
    for index, step in enumerate(series):
        top = height
        for kind, value in step.items():
            tall = max(value / tallest * (height - 2), 1.5) if value else 0
            if tall:
                top -= tall
                blocks.append(_block(kind, index * pitch + pitch * 0.1, max(top, 0), pitch * 0.8, tall))
        if top == height:
            blocks.append(_block("nothing", index * pitch + pitch * 0.1, height - 1, pitch * 0.8, 1))
    return Chart(width, height, tuple(blocks), words)


def shares(counts: Mapping[str, int], words: str, *, width: float = 480, height: float = 14) -> Chart:
    """One bar, divided as the counts are; the smallest share can still be seen."""
    present = {kind: count for kind, count in counts.items() if count}
    whole, left = sum(present.values()), 0.0
    room = width - 6 * len(present)
    blocks = []
    for kind, count in present.items():
        wide = 6 + room * count / whole
        blocks.append(_block(kind, left, 0, max(wide - 2, 1), height))
        left += wide
    return Chart(width, height, tuple(blocks), words)


def _block(kind: str, x: float, y: float, width: float, height: float) -> Block:
    return Block(kind, round(x, 2), round(y, 2), round(width, 2), round(height, 2))
