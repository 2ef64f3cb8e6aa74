"""Several consumers, zombies, crashes, late commits, retries, dead letters and replays, against a model, on real Postgres."""

import asyncio
import itertools
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from windrow.contracts.errors import RetryableTransient, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Actor
from windrow.messages import (
    Delivery,
    Outcome,
    Subscription,
    ack,
    claim,
    dead_letters,
    nack,
    publish,
    release,
    replay,
    replay_dead_letters,
    route,
    subscribe,
)
from windrow.postgres import Database

BUDGET = 2
POLICY = RetryPolicy(timedelta(hours=1), timedelta(hours=1), attempts=BUDGET)
SUBSCRIPTIONS = ("one", "two")
KEYS = ("a", "b", "c")
OPERATOR = Actor("olga", "model")
_tenants = itertools.count(1)


@dataclass(frozen=True)
class Line:
    """A line of the log, as the model has it."""

    number: int
    message_id: UUID
    key: str
    only: str | None = None


@dataclass
class Strand:
    """How far one subscription is with one key."""

    done: int = 0
    claim: UUID | None = None
    attempts: int = 0
    due: bool = True


@dataclass
class Model:
    """What should be so."""

    unrouted: list[Line] = field(default_factory=list)
    log: list[Line] = field(default_factory=list)
    strands: dict[tuple[str, str], Strand] = field(
        default_factory=lambda: {(name, key): Strand() for name in SUBSCRIPTIONS for key in KEYS}
    )
    letters: dict[tuple[str, UUID], int] = field(default_factory=dict)

    def following(self, name: str, key: str) -> tuple[int, Line] | None:
        """The next line of a strand, with its position."""
        done = self.strands[name, key].done
        lines = enumerate(self.log, start=1)
        return next(
            ((n, line) for n, line in lines if n > done and line.key == key and line.only in (None, name)), None
        )

    def settle(self, name: str, key: str, position: int) -> None:
        self.strands[name, key] = Strand(done=position)


class Messages(RuleBasedStateMachine):
    """One tenant's topic, and everything that can happen to it."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.tenant = f"tenant-{next(_tenants)}"
        self.model = Model()
        self.numbers = itertools.count(1)
        self.given: list[Delivery] = []
        self.late: list[tuple[AsyncExitStack, Line]] = []
        self.database = Database(self.url, size=6)
        self.runner.run(self._open())

    async def _open(self) -> None:
        await self.database.__aenter__()
        async with self.database.tenant(self.tenant) as tx:
            for name in SUBSCRIPTIONS:
                await subscribe(tx, Subscription(name=name, topic="topic", policy=POLICY))

    def teardown(self) -> None:
        self.runner.run(self._end())
        self.runner.close()

    async def _end(self) -> None:
        for _ in list(self.late):
            await self._commit()
        await self._route()
        await self._drain()
        await self.database.__aexit__()

    @rule(key=st.sampled_from(KEYS))
    def publish(self, key: str) -> None:
        self.runner.run(self._publish(key))
        self.runner.run(self._commit(-1))

    @precondition(lambda self: len(self.late) < 3)
    @rule(key=st.sampled_from(KEYS))
    def publish_and_commit_later(self, key: str) -> None:
        self.runner.run(self._publish(key))

    @precondition(lambda self: self.late)
    @rule(choice=st.integers(0, 2))
    def commit(self, choice: int) -> None:
        self.runner.run(self._commit(choice % len(self.late)))

    @rule()
    def route(self) -> None:
        self.runner.run(self._route())

    @rule(name=st.sampled_from(SUBSCRIPTIONS))
    def claim(self, name: str) -> None:
        self.runner.run(self._claim(name))

    @precondition(lambda self: self.given)
    @rule(choice=st.integers(0, 100), how=st.sampled_from(["ack", "fail", "refuse", "release", "roll back"]))
    def settle(self, choice: int, how: str) -> None:
        """By whoever was ever given something: the holder, or a zombie."""
        self.runner.run(self._settle(self.given[-1 - choice % len(self.given)], how))

    @rule()
    def time_passes(self) -> None:
        """Delays end and claims run out; who holds one has crashed, or is a zombie now."""
        self.runner.run(self._time_passes())

    @precondition(lambda self: self.model.log)
    @rule(name=st.sampled_from(SUBSCRIPTIONS), choice=st.integers(0, 100))
    def replay(self, name: str, choice: int) -> None:
        self.runner.run(self._replay(name, 1 + choice % len(self.model.log)))

    @rule(name=st.sampled_from(SUBSCRIPTIONS))
    def put_letters_back(self, name: str) -> None:
        self.runner.run(self._put_letters_back(name))

    async def _publish(self, key: str) -> None:
        kept = AsyncExitStack()
        tx = await kept.enter_async_context(self.database.tenant(self.tenant))
        message_id = await publish(tx, "topic", None, key=key)
        self.late.append((kept, Line(next(self.numbers), message_id, key)))

    async def _commit(self, choice: int = 0) -> None:
        kept, line = self.late.pop(choice)
        await kept.aclose()
        self.model.unrouted.append(line)

    async def _route(self) -> None:
        while await route(self.database, batch=3):
            pass
        self.model.log += sorted(self.model.unrouted, key=lambda line: line.number)
        self.model.unrouted.clear()

    async def _claim(self, name: str) -> None:
        async with self.database.tenant(self.tenant) as tx:
            taken = await claim(tx, name, by="consumer", limit=10)
        expected = {}
        for key in KEYS:
            strand, following = self.model.strands[name, key], self.model.following(name, key)
            if following is None or not strand.due:
                continue
            position, line = following
            if strand.attempts == BUDGET:
                self._dies(name, position, line)
                continue
            strand.attempts += 1
            strand.due = False
            expected[key] = (position, line.message_id, strand.attempts)
        found = {one.message.key: (one.position, one.message.message_id, one.attempt) for one in taken}
        assert found == expected
        for delivery in taken:
            self.model.strands[name, delivery.message.key].claim = delivery.claim
        self.given += taken

    async def _settle(self, delivery: Delivery, how: str) -> None:
        name, key = delivery.subscription, delivery.message.key
        strand = self.model.strands[name, key]
        held = strand.claim == delivery.claim
        if how == "roll back":
            await self._roll_back(delivery, held)
            return
        async with self.database.tenant(self.tenant) as tx:
            answer = await self._answer(tx, delivery, how)
        line = self.model.log[delivery.position - 1]
        if not held:
            assert answer in (False, Outcome.LOST)
        elif how == "ack":
            assert answer is True
            self.model.settle(name, key, delivery.position)
        elif how == "release":
            assert answer is True
            strand.claim, strand.due, strand.attempts = None, True, strand.attempts - 1
        elif how == "refuse" or delivery.attempt == BUDGET:
            assert answer is Outcome.DEAD_LETTERED
            self._dies(name, delivery.position, line)
        else:
            assert answer is Outcome.RETRIED
            # also where the claim had run out: the delay begins with the failure
            strand.claim, strand.due = None, False

    async def _answer(self, tx: Any, delivery: Delivery, how: str) -> bool | Outcome:
        if how == "ack":
            return await ack(tx, delivery)
        if how == "release":
            return await release(tx, delivery)
        return await nack(tx, delivery, ValidationFailure("no") if how == "refuse" else RetryableTransient("away"))

    async def _roll_back(self, delivery: Delivery, held: bool) -> None:
        try:
            async with self.database.tenant(self.tenant) as tx:
                assert await ack(tx, delivery) is held
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass

    async def _time_passes(self) -> None:
        async with self.database.tenant(self.tenant) as tx:
            await tx.connection.execute("UPDATE strands SET due_at = now() - interval '1 second'")
        for strand in self.model.strands.values():
            strand.due = True

    async def _replay(self, name: str, position: int) -> None:
        async with self.database.tenant(self.tenant) as tx:
            await replay(tx, name, since=position, actor=OPERATOR)
        for line in self.model.log[position - 1 :]:
            if line.only in (None, name):
                done = min(self.model.strands[name, line.key].done, position - 1)
                self.model.settle(name, line.key, done)
        self.model.letters = {
            letter: at for letter, at in self.model.letters.items() if letter[0] != name or at < position
        }

    async def _put_letters_back(self, name: str) -> None:
        async with self.database.tenant(self.tenant) as tx:
            back = await replay_dead_letters(tx, actor=OPERATOR, subscription=name)
        mine = sorted((at, letter) for letter, at in self.model.letters.items() if letter[0] == name)
        assert [letter.message_id for letter in back] == [message_id for _, (_, message_id) in mine]
        for at, letter in mine:
            del self.model.letters[letter]
            number = next(self.numbers)
            self.model.unrouted.append(Line(number, letter[1], self.model.log[at - 1].key, only=name))

    def _dies(self, name: str, position: int, line: Line) -> None:
        self.model.settle(name, line.key, position)
        self.model.letters[name, line.message_id] = position

    async def _drain(self) -> None:
        """In the end everything arrives, in order, or is a letter."""
        while any(self.model.following(name, key) for name in SUBSCRIPTIONS for key in KEYS):
            await self._time_passes()
            for name in SUBSCRIPTIONS:
                already = len(self.given)
                await self._claim(name)
                for delivery in self.given[already:]:
                    await self._settle(delivery, "ack")
        await self._route()
        async with self.database.tenant(self.tenant) as tx:
            found = {(letter.subscription, letter.message_id) for letter in await dead_letters(tx, limit=1000)}
            rest = await (await tx.connection.execute("SELECT count(*) AS strands FROM strands")).fetchone()
        assert found == set(self.model.letters)
        assert rest == {"strands": 0}


@pytest.mark.campaign
def test_no_sequence_of_events_loses_doubles_or_reorders_a_message(database_url: str) -> None:
    machine = type("OnThisDatabase", (Messages,), {"url": database_url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
