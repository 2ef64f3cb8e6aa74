"""The life of an endpoint: which states there are, and which may follow which (OR-13). The docs' diagram is drawn from here."""

from enum import StrEnum


class State(StrEnum):
    """Where an endpoint's synchronisation stands."""

    PENDING = "Pending"  # begun; waits for its turn
    RUNNING = "Running"
    WAITING_CURSOR = "WaitingCursorAdvance"  # somebody else moved the cursor; looks again
    BACKOFF = "Backoff"  # a run failed recoverably; the next one is due later
    PAUSED = "Paused"  # by an operator
    COMPLETED = "Completed"
    FAILED = "Failed"  # a person has to act
    CANCELLED = "Cancelled"


ENDS = frozenset({State.COMPLETED, State.FAILED, State.CANCELLED})

FOLLOWS: dict[State, frozenset[State]] = {
    State.PENDING: frozenset({State.RUNNING, State.PAUSED, State.CANCELLED}),
    State.RUNNING: frozenset({State.WAITING_CURSOR, State.BACKOFF, State.COMPLETED, State.FAILED, State.CANCELLED}),
    State.WAITING_CURSOR: frozenset({State.RUNNING, State.BACKOFF, State.FAILED, State.CANCELLED}),
    State.BACKOFF: frozenset({State.RUNNING, State.PENDING, State.PAUSED, State.CANCELLED}),
    State.PAUSED: frozenset({State.RUNNING, State.PENDING, State.CANCELLED}),
    State.COMPLETED: frozenset(),
    State.FAILED: frozenset(),
    State.CANCELLED: frozenset(),
}


def diagram() -> str:
    """The lifecycle as a state diagram (Mermaid)."""
    lines = ["stateDiagram-v2", "    [*] --> Pending"]
    lines += [f"    {before} --> {after}" for before, afters in FOLLOWS.items() for after in sorted(afters)]
    lines += [f"    {end} --> [*]" for end in sorted(ENDS)]
    return "\n".join(lines)
