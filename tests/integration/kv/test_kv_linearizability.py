"""A recorded concurrent history of gets and puts has an order that one register could have gone through."""

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Any

import pytest
from tests.integration.kv.desk import KEY, put

from windrow import kv
from windrow.kv import Stale, Stored
from windrow.postgres import Database

State = tuple[int, Any]
NOTHING: State = (0, None)


@dataclass(frozen=True)
class Operation:
    """What a client asked and was answered, and between which moments. A get expects and writes nothing."""

    called: int
    returned: int
    answer: State
    stored: bool = False
    expected: int | None = None
    value: Any = None

    def after(self, state: State) -> State | None:
        """The register after this operation, or None where it could not have been answered so."""
        if self.stored:
            legal = state[0] == self.expected and self.answer[0] == state[0] + 1
            return (self.answer[0], self.value) if legal else None
        return state if self.answer == state and self.expected != state[0] else None


def linearizable(history: list[Operation]) -> bool:
    """Search for an order that keeps real time: the next one is any that was called before all others had returned."""
    everything = frozenset(range(len(history)))
    seen: set[tuple[frozenset[int], State]] = set()
    open_ends = [(everything, NOTHING)]
    while open_ends:
        left, state = open_ends.pop()
        if not left:
            return True
        if (left, state) in seen:
            continue
        seen.add((left, state))
        first_return = min(history[number].returned for number in left)
        for number in sorted(left, key=lambda number: history[number].stored):
            if history[number].called > first_return:
                continue
            after = history[number].after(state)
            if after is None:
                continue
            if not history[number].stored:
                # it changes nothing and fits here: if any order is right, one with it here is
                open_ends.append((left - {number}, state))
                break
            open_ends.append((left - {number}, after))
    return False


def got(called: int, returned: int, version: int, value: Any) -> Operation:
    return Operation(called, returned, (version, value))


def wrote(called: int, returned: int, expected: int, value: Any) -> Operation:
    return Operation(called, returned, (expected + 1, None), stored=True, expected=expected, value=value)


def refused(called: int, returned: int, expected: int, version: int, value: Any) -> Operation:
    return Operation(called, returned, (version, value), expected=expected)


@pytest.mark.parametrize(
    "history",
    [
        [wrote(0, 1, 0, "a"), got(2, 3, 1, "a")],
        [wrote(0, 9, 0, "a"), got(1, 2, 0, None), got(3, 4, 1, "a")],
        [wrote(0, 9, 1, "b"), wrote(1, 8, 0, "a"), got(2, 3, 1, "a")],
        [wrote(0, 5, 0, "a"), refused(1, 4, 0, 1, "a")],
    ],
    ids=["one after the other", "a read before and after it takes effect", "in the other order", "the loser is told"],
)
def test_the_checker_accepts_what_one_register_could_have_answered(history: list[Operation]) -> None:
    assert linearizable(history)


@pytest.mark.parametrize(
    "history",
    [
        [wrote(0, 1, 0, "a"), got(2, 3, 0, None)],
        [wrote(0, 9, 0, "a"), got(1, 2, 1, "a"), got(3, 4, 0, None)],
        [wrote(0, 5, 0, "a"), wrote(1, 4, 0, "b")],
        [wrote(0, 1, 0, "a"), got(2, 3, 1, "b")],
        [wrote(0, 1, 0, "a"), refused(2, 3, 1, 1, "a")],
        [wrote(0, 1, 1, "b"), wrote(2, 3, 0, "a")],
    ],
    ids=[
        "stale read",
        "read goes back",
        "lost update",
        "value of nobody",
        "refused without reason",
        "before its cause",
    ],
)
def test_the_checker_rejects_what_no_register_could_have_answered(history: list[Operation]) -> None:
    assert not linearizable(history)


async def client(database: Database, name: int, seed: int, turns: int) -> list[Operation]:
    dice, version, record = random.Random(f"{seed}/{name}"), 0, []
    for turn in range(turns):
        called = time.monotonic_ns()
        if dice.random() < 0.4:
            found = await kv.get(database, KEY)
            answer = (found.version, found.value) if found else NOTHING
            record.append(Operation(called, time.monotonic_ns(), answer))
            version = answer[0]
        else:
            value = f"{name}-{turn}"
            outcome = await put(database, value, version, value)
            returned = time.monotonic_ns()
            match outcome:
                case Stored(made):
                    record.append(Operation(called, returned, (made, None), True, version, value))
                case Stale(found_version, found_value):
                    record.append(Operation(called, returned, (found_version, found_value), False, version))
            version = outcome.version
    return record


@pytest.mark.req("KV-9")
@pytest.mark.campaign
async def test_what_concurrent_clients_were_answered_is_linearizable(database: Database, seed: int) -> None:
    records = await asyncio.gather(*(client(database, name, seed, 40) for name in range(8)))

    history = [operation for record in records for operation in record]
    assert sum(operation.stored for operation in history) > 20
    assert sum(not operation.stored and operation.expected is not None for operation in history) > 20
    assert linearizable(history)
