"""Which number each request must have: told anew from how the lanes stood when it was made.

docs/explanation/protocol.md, "Requests that overlap": the number that was drawn, or one above the lowest floor of the lanes
that outrank this one; never below what the lane has brought itself.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.integration.harvest.orchard import Answer, Orchard

Row = dict[str, Any]


@dataclass
class Numbers:
    """`lanes` is through which lane each run asked."""

    orchard: Orchard
    lanes: dict[str, str]
    _known: dict[int, int] = field(default_factory=dict)

    def of(self, answer: Answer) -> int:
        """A snapshot counts as asked for with its first page; everything else by itself."""
        if answer.of_a_picture:
            return answer.drawn
        if answer.asked not in self._known:
            self._known[answer.asked] = self._found(answer)
        return self._known[answer.asked]

    def _found(self, answer: Answer) -> int:
        stood, lane = answer.request.lanes, self.lanes[answer.run_id]
        floors = [stood[each].floor for each in above(lane) if each in stood]
        due = min([answer.drawn, *(floor + 1 for floor in floors if floor is not None)])
        own = stood[lane].floor or 0  # a zombie may ask when its successor has ended: nothing will come of it
        before = [
            self.of(one) for one in self.orchard.answers if one.run_id == answer.run_id and one.asked < answer.asked
        ]
        return max([due, own, *before])

    def check_floors(self, answer: Answer) -> None:
        """A lane that is at work brings nothing older than it has brought, and whoever yields to it stands above that."""
        for name, lane in answer.request.lanes.items():
            if lane.floor is not None and lane.published is not None:
                assert lane.floor >= lane.published, f"{name} has published {lane.published}, its floor is {lane.floor}"

    def check_horizon(self, one: Row, first: Answer) -> None:
        """The lowest number that anybody can have who asks after the first page was asked for."""
        stood = first.request.lanes
        floors = [stood[each].floor for each in ("live", "events") if each in stood]
        due = min([one["generation"], *(floor + 1 for floor in floors if floor is not None)])
        assert one["horizon"] == due, f"{one} has not the horizon {due}"


def above(lane: str) -> list[str]:
    """The lanes that outrank it."""
    return {"live": [], "events": ["live"]}.get(lane, ["live", "events"])
