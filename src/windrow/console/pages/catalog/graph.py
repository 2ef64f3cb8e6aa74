"""What stands around an item, drawn: those that name it on the left, those that it names on the right, type by type."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width
from uuid import UUID

from windrow.catalog import Related, Tie

# on either side
MOST = 12
# of the drawing, in its own units, which are pixels where there is room
BOX, TALL, GAP, HEADING, ROOM = 216, 26, 6, 24, 92
_LETTERS = 27


@dataclass(frozen=True, slots=True)
class Node:
    """One of the others. Without an id nobody has harvested it, and there is nowhere to go."""

    x: float
    y: float
    text: str
    title: str
    item_id: UUID | None
    gone: bool
    path: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a relation above those who have it, or how many more there are beneath them."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Graph:
    """The drawing: where the item stands, and what stands around it."""

    width: float
    height: float
    x: float
    y: float
    text: str
    nodes: tuple[Node, ...]
    headings: tuple[Heading, ...]


def drawn(name: str, ties: Sequence[Tie]) -> Graph | None:
    """The item in the middle, and at most so many around it; None if it stands alone."""
    sides = [_shared([tie for tie in ties if tie.outgoing is outgoing]) for outgoing in (False, True)]
    height = max((_height(side) for side in sides), default=0)
    if not height:
        return None
    middle = BOX + ROOM if sides[0] else 0
    nodes: list[Node] = []
    headings: list[Heading] = []
    for left, side in zip((0, middle + BOX + ROOM), sides, strict=True):
        y = (height - _height(side)) / 2
        joint = (middle, left + BOX) if left < middle else (middle + BOX, left)
        for tie, share in side:
            headings.append(Heading(left + 4, y + HEADING - 8, cut(tie.type)))
            y += HEADING
            for other in tie.others[:share]:
                nodes.append(_node(other, left, y, joint, height / 2))
                y += TALL + GAP
            if tie.count > share:
                headings.append(Heading(left + 4, y + TALL - 9, more(tie, share)))
                y += TALL
    width = middle + BOX + (ROOM + BOX if sides[1] else 0)
    return Graph(width, height, middle, height / 2 - TALL / 2 - 4, cut(name), tuple(nodes), tuple(headings))


def more(tie: Tie, shown: int) -> str:
    """How many there are beside those that are shown."""
    return f"and {'more than ' if not tie.is_all else ''}{tie.count - shown} more"


def cut(text: str) -> str:
    """As much of a text as there is room for; letters of some scripts are twice as wide as others."""
    plain = " ".join(text.split())
    room = _LETTERS
    for place, letter in enumerate(plain):
        room -= 2 if east_asian_width(letter) in "WF" else 1
        if room < 0:
            return plain[: max(place - 1, 1)] + "…"
    return plain


def _shared(ties: Sequence[Tie]) -> list[tuple[Tie, int]]:
    """How many of each are drawn: one of each in turn, so that a large one does not crowd out the others."""
    shares = [0] * len(ties)
    while sum(shares) < MOST:
        hungry = [place for place, tie in enumerate(ties) if shares[place] < len(tie.others)]
        if not hungry:
            break
        for place in hungry[: MOST - sum(shares)]:
            shares[place] += 1
    return list(zip(ties, shares, strict=True))


def _height(side: Sequence[tuple[Tie, int]]) -> float:
    return sum(HEADING + share * (TALL + GAP) + (TALL if tie.count > share else 0) for tie, share in side)


def _node(other: Related, x: float, y: float, joint: tuple[float, float], middle: float) -> Node:
    name = other.display_name or other.external_id
    start, end, level = joint[0], joint[1], y + TALL / 2
    half = (start + end) / 2
    return Node(
        x,
        y,
        cut(name),
        f"{name} ({other.entity_type or 'not harvested'})",
        other.item_id if other.in_catalog else None,
        bool(other.deleted),
        f"M{start:g} {middle:g}C{half:g} {middle:g} {half:g} {level:g} {end:g} {level:g}",
    )
