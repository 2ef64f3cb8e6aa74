"""Who is next: tenants take turns, and within a tenant the highest priority comes first, then the oldest job."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Queue:
    """Jobs of one kind and priority of one tenant. Nothing below the floor is waiting, as far as is known."""

    tenant_id: str
    kind: str
    priority: int
    floor: int

    @property
    def key(self) -> tuple[str, str, int]:
        return self.tenant_id, self.kind, self.priority


@dataclass(frozen=True, slots=True)
class Take:
    """So many from the head of a queue."""

    queue: Queue
    most: int


@dataclass
class Headroom:
    """How many more may run at once; what is not named has no limit."""

    kinds: dict[str, int] = field(default_factory=dict)
    tenants: dict[str, int] = field(default_factory=dict)

    def grant(self, queue: Queue, wanted: int) -> int:
        """As many of the wanted as the limits leave, counted as running from here on."""
        granted = max(0, min(wanted, self.kinds.get(queue.kind, wanted), self.tenants.get(queue.tenant_id, wanted)))
        if queue.kind in self.kinds:
            self.kinds[queue.kind] -= granted
        if queue.tenant_id in self.tenants:
            self.tenants[queue.tenant_id] -= granted
        return granted


def plan(queues: Iterable[Queue], room: int, after: str, headroom: Headroom) -> list[Take]:
    """What to take: an equal share for every tenant, beginning behind the one that was served last.

    How long a queue is, is not known: the first queue of a tenant is asked for its whole share, and only what a limit
    leaves over goes to the next one.
    """
    lines = _lines(queues)
    turn = sorted(lines, key=lambda tenant: (tenant <= after, tenant))
    taken: dict[Queue, int] = defaultdict(int)
    while room and turn:
        share, more = divmod(room, len(turn))
        waiting: list[str] = []
        fed: list[str] = []
        for place, tenant in enumerate(turn):
            wanted = share + (place < more)
            granted = _serve(lines[tenant], wanted, headroom, taken)
            room -= granted
            if granted == wanted:  # whom a limit stops is out; what it may not have is shared among the others
                (fed if wanted else waiting).append(tenant)
        turn = waiting + fed
    return [Take(queue, most) for queue, most in taken.items()]


def _lines(queues: Iterable[Queue]) -> dict[str, list[Queue]]:
    lines: dict[str, list[Queue]] = defaultdict(list)
    for queue in sorted(queues, key=lambda queue: (-queue.priority, queue.floor)):
        lines[queue.tenant_id].append(queue)
    return lines


def _serve(line: list[Queue], wanted: int, headroom: Headroom, taken: dict[Queue, int]) -> int:
    served = 0
    for queue in line:
        granted = headroom.grant(queue, wanted - served)
        if granted:
            taken[queue] += granted
            served += granted
        if served == wanted:
            break
    return served
