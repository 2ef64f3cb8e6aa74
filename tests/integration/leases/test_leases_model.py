"""Leases against a model of a few lines: any sequence of holders, expiries, releases, and zombies that come back."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test
from tests.integration.leases.holders import acquire, run_out

from windrow import leases
from windrow.contracts.errors import Conflict
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.leases import Held, Lease, Lost
from windrow.postgres import Database


@dataclass
class Slot:
    """What is known of one slot; its holder is None once it is free, in whichever way."""

    epoch: int = 0
    holder: str | None = None


class Model:
    """What one key should answer."""

    def __init__(self) -> None:
        self.slots: dict[int, Slot] = {}

    def live(self) -> dict[int, Slot]:
        return {number: slot for number, slot in self.slots.items() if slot.holder}

    def acquire(self, holder: str, allowed: int) -> tuple[int, int] | None:
        mine = [number for number, slot in self.live().items() if slot.holder == holder]
        chosen = mine or self.free(allowed)
        if not chosen:
            return None
        slot = self.slots.setdefault(chosen[0], Slot())
        slot.epoch, slot.holder = slot.epoch + 1, holder
        return chosen[0], slot.epoch

    def free(self, allowed: int) -> list[int]:
        """Slots that can be given without exceeding what is allowed, those used before first."""
        bounds = [b for b in range(allowed + 1) if b + sum(number >= b for number in self.live()) <= allowed]
        open_slots = [number for number in range(max(bounds, default=0)) if number not in self.live()]
        return sorted(open_slots, key=lambda number: (number not in self.slots, number))

    def holds(self, lease: Lease) -> bool:
        slot = self.slots[lease.slot]
        return (slot.epoch, slot.holder) == (lease.epoch, lease.holder)


class Slots(RuleBasedStateMachine):
    """Real leases and the model, asked the same."""

    runner: asyncio.Runner
    database: Database
    examples = 0
    given = Bundle("given")

    def __init__(self) -> None:
        super().__init__()
        type(self).examples += 1
        self.key = Key(Scope(f"t{self.examples}", "main"), "x")
        self.model = Model()

    def ask(self, asked: Any) -> Any:
        return self.runner.run(asked)

    @rule(target=given, holder=st.sampled_from(["ada", "bob", "eve", "kay"]), allowed=st.sampled_from([1, 2, 2, 3]))
    def acquire(self, holder: str, allowed: int) -> Any:
        before = len(self.model.live())
        expected = self.model.acquire(holder, allowed)

        answer = self.ask(acquire(self.database, holder, slots=allowed, key=self.key))

        if expected is None:
            assert isinstance(answer, Held)
            return multiple()
        assert (answer.slot, answer.epoch) == expected
        assert len(self.model.live()) <= max(before, allowed)
        return answer

    @rule(lease=given)
    def renew(self, lease: Lease) -> None:
        answer = self.ask(leases.renew(self.database, lease))

        assert isinstance(answer, Lease if self.model.holds(lease) else Lost)

    @rule(lease=given)
    def release(self, lease: Lease) -> None:
        held = self.model.holds(lease)

        assert self.ask(leases.release(self.database, lease)) == held
        if held:
            self.model.slots[lease.slot].holder = None

    @rule(lease=given)
    def write_behind_the_fence(self, lease: Lease) -> None:
        async def write() -> bool:
            try:
                async with self.database.tenant(self.key.scope.tenant_id) as tx:
                    await leases.check(tx, lease)
            except Conflict:
                return False
            return True

        assert self.ask(write()) == self.model.holds(lease)

    @rule(slot=st.sampled_from([None, 0, 1, 2]))
    def time_passes(self, slot: int | None) -> None:
        self.ask(run_out(self.database, self.key, slot))
        for number in self.model.slots:
            if slot in (None, number):
                self.model.slots[number].holder = None

    @invariant()
    def the_live_ones_are_those_of_the_model(self) -> None:
        async def live() -> list[Lease]:
            async with self.database.tenant(self.key.scope.tenant_id) as tx:
                return await leases.live(tx, self.key)

        found = {lease.slot: Slot(lease.epoch, lease.holder) for lease in self.ask(live())}
        assert found == self.model.live()


@pytest.mark.req("KV-6")
@pytest.mark.campaign
def test_leases_answer_as_their_model(database_url: str) -> None:
    with asyncio.Runner() as runner:
        Slots.runner, Slots.database = runner, Database(database_url, size=1)
        runner.run(Slots.database.__aenter__())
        try:
            run_state_machine_as_test(
                Slots,
                settings=settings(
                    max_examples=25,
                    stateful_step_count=30,
                    deadline=None,
                    suppress_health_check=[HealthCheck.too_slow],
                ),
            )
        finally:
            runner.run(Slots.database.__aexit__())
