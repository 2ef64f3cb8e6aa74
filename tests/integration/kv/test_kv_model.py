"""The store against a model of a few lines: any sequence of writes, replays, deletions, expiries and sweeps."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.integration.kv.desk import CURSOR, FLEETING, delete, put, run_out

from windrow import kv
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.kv import Outcome, Replayed, Stale, Stored
from windrow.postgres import Database

DELETED = object()
REUSED = object()
VALUES = st.sampled_from([None, 1, 1.0, True, "a", {"token": "t"}])


@dataclass
class Model:
    """What one key should answer."""

    version: int = 0
    value: Any = DELETED
    fleeting: bool = False
    ledger: dict[str, tuple[int, Any]] = field(default_factory=dict)

    def seen(self) -> tuple[int, Any]:
        return (0, None) if self.value is DELETED else (self.version, self.value)

    def write(self, value: Any, expected: int, request: str, fleeting: bool) -> Outcome | object:
        if request in self.ledger:
            made, written = self.ledger[request]
            return Replayed(made) if alike(written, value) else REUSED
        version, found = self.seen()
        if version != expected:
            return Stale(version, found)
        self.version, self.value, self.fleeting = self.version + 1, value, fleeting
        self.ledger[request] = (self.version, value)
        return Stored(self.version)


def alike(one: Any, other: Any) -> bool:
    """Equal and of the same types: 1 is neither 1.0 nor True."""
    return (one is DELETED) == (other is DELETED) and (one is DELETED or json.dumps(one) == json.dumps(other))


class Store(RuleBasedStateMachine):
    """The real store and the model, asked the same."""

    runner: asyncio.Runner
    database: Database
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).examples += 1
        self.key = Key(Scope(f"t{self.examples}", "main"), "x")
        self.model = Model()

    def ask(self, asked: Any) -> Any:
        try:
            return self.runner.run(asked)
        except ValidationFailure as refused:
            return REUSED if refused.code is Code.REQUEST_REUSED else refused

    def guess(self, offset: int) -> int:
        return max(0, self.model.seen()[0] + offset)

    @rule(value=VALUES, offset=st.sampled_from([0, 0, 0, -1, 1]), request=st.integers(0, 30), fleeting=st.booleans())
    def put(self, value: Any, offset: int, request: int, fleeting: bool) -> None:
        expected, name = self.guess(offset), f"r{request}"
        semantics = FLEETING if fleeting else CURSOR

        answer = self.ask(put(self.database, value, expected, name, key=self.key, semantics=semantics))

        assert answer == self.model.write(value, expected, name, fleeting)

    @precondition(lambda self: self.model.ledger)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.model.ledger)))
        made, value = self.model.ledger[name]
        again = (
            delete(self.database, 1, name, key=self.key)
            if value is DELETED
            else put(self.database, value, data.draw(st.integers(0, 3)), name, key=self.key)
        )

        assert self.ask(again) == Replayed(made)

    @rule(offset=st.sampled_from([0, 0, 1]), request=st.integers(0, 30))
    def delete(self, offset: int, request: int) -> None:
        expected, name = max(1, self.guess(offset)), f"r{request}"

        answer = self.ask(delete(self.database, expected, name, key=self.key))

        assert answer == self.model.write(DELETED, expected, name, False)

    @rule()
    def time_passes(self) -> None:
        self.ask(run_out(self.database, self.key))
        if self.model.fleeting:
            self.model.value, self.model.fleeting = DELETED, False

    @rule()
    def sweep(self) -> None:
        self.ask(kv.sweep(self.database))

    @invariant()
    def it_reads_as_the_model_says(self) -> None:
        found = self.ask(kv.get(self.database, self.key))
        assert ((found.version, found.value) if found else (0, None)) == self.model.seen()
        assert not found or alike(found.value, self.model.value)


@pytest.fixture
def runner() -> Any:
    with asyncio.Runner() as opened:
        yield opened


@pytest.mark.req("KV-3", "KV-4", "KV-5", "KV-9")
@pytest.mark.campaign
def test_the_store_answers_as_its_model(runner: asyncio.Runner, database_url: str) -> None:
    Store.runner, Store.database = runner, Database(database_url, size=1)
    runner.run(Store.database.__aenter__())
    try:
        run_state_machine_as_test(
            Store,
            settings=settings(
                max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
            ),
        )
    finally:
        runner.run(Store.database.__aexit__())


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=15,
)


@pytest.mark.campaign
def test_what_is_put_is_what_is_got(runner: asyncio.Runner, database_url: str) -> None:
    database = Database(database_url, size=1)
    runner.run(database.__aenter__())
    turns = iter(range(10_000))

    @settings(max_examples=150, deadline=None)
    @given(JSON)
    def round_trip(value: Any) -> None:
        key = Key(Scope("acme", "main"), f"x/{next(turns)}")
        runner.run(put(database, value, 0, "r", key=key))
        found = runner.run(kv.get(database, key))
        stale = runner.run(put(database, "other", 9, "r2", key=key))
        assert repr_sorted(found.value) == repr_sorted(value)
        assert repr_sorted(stale.value) == repr_sorted(value)

    try:
        round_trip()
    finally:
        runner.run(database.__aexit__())


def repr_sorted(value: Any) -> str:
    """Tells 1 from 1.0 and from True, and 0.0 from -0.0."""
    return json.dumps(value, sort_keys=True)
