"""The protocol as a model: harvesters, zombies, subscribers, backfills, webhooks, listings and operators, in any order.

Each of them is real code on real Postgres that stops before every statement (`puppets`). Hypothesis decides who moves,
who hangs and who dies; the source (`orchard`) changes meanwhile, and knows what it has answered. Whenever nothing is under
way, the tables must say what follows from the answers (`evidence`), and at the end the catalog is the source.
"""

import asyncio
import random
from collections.abc import Coroutine, Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from tests.integration.harvest.orchard import ANSWERED, ASKED, AT_ONCE, BLIGHT, NAMES, Way
from tests.integration.harvest.play import Play
from tests.integration.harvest.puppets import Crashed, Puppet, Stage, SteppedDatabase

from windrow.contracts.errors import Code, Conflict, RetryableTransient, ValidationFailure

MOST_PUPPETS = 7
FRUITS = ("apple", "plum", "cherry")
WAYS = {
    "live": (Way("listing"), Way("snapshot"), Way("listing", partial=True), Way("changes")),
    "events": tuple(Way("event", about=name) for name in NAMES),
    "backfill:1": (Way("backfill"),),
    "backfill:2": (Way("backfill"),),
}
ACTS = ("cursor", "filters", "approve", "refuse", "spoil", "retry", "discard", "quarantine")
Anybody = st.integers(0, 20)
THE_END = "its end"
PLACES = ("its first statement", THE_END, ASKED, ANSWERED)


class Protocol(RuleBasedStateMachine):
    """Rules that need somebody to be there do nothing when nobody is."""

    runner: asyncio.Runner
    database: SteppedDatabase
    stage: Stage
    tables: psycopg.Connection[Any]
    sequence: psycopg.Connection[Any]

    def __init__(self) -> None:
        super().__init__()
        self.stage.puppets.clear()
        self.play = Play(self.database, self.tables, self.latest_observation)

    def latest_observation(self) -> int:
        row = self.sequence.execute("SELECT last_value FROM observation_seq").fetchone()
        assert row
        return int(row[0])

    def enter(self, name: str, work: Coroutine[Any, Any, Any], *, upto: str = "its first statement") -> None:
        """If there is room for one more. It goes on to the given place, unless it is held up before."""
        if sum(not puppet.ended for puppet in self.stage.puppets) < MOST_PUPPETS:
            puppet = self.runner.run(self.stage.enter(name, work))
            if upto != "its first statement":
                self.runner.run(self._go_on(puppet, 500, 0, upto))
        else:
            work.close()

    def at_once(self, work: Coroutine[Any, Any, Any]) -> None:
        """From beginning to end, with nobody in between; then all that is published is persisted."""
        self.runner.run(work)
        self.runner.run(self.play.subscriber(20))

    # the world

    @initialize(
        reports=st.booleans(),
        planted=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(FRUITS)),
        known=st.sampled_from(["", "listing", "backfill"]),
    )
    def begin(self, reports: bool, planted: dict[str, str], known: str) -> None:
        """Some trees, of which the catalog may know already."""
        self.runner.run(self.play.open())
        self.play.orchard.reports = reports
        for name, fruit in planted.items():
            self.play.orchard.plant(name, fruit)
        if known:
            self.at_once(self.play.harvester("live" if known == "listing" else "backfill:1", Way(known)))

    @rule(name=st.sampled_from(NAMES), fruit=st.sampled_from((None, None, *FRUITS, *FRUITS, BLIGHT)))
    def grow(self, name: str, fruit: str | None) -> None:
        if fruit:
            self.play.orchard.plant(name, fruit)
        else:
            self.play.orchard.fell(name)

    # who begins, who moves, who dies

    @rule(
        lane=st.sampled_from(["live", "live", *WAYS]), way=Anybody, one_page=st.booleans(), upto=st.sampled_from(PLACES)
    )
    def harvest(self, lane: str, way: int, one_page: bool, upto: str) -> None:
        chosen = WAYS[lane][way % len(WAYS[lane])]
        self.enter(f"{lane} {chosen.kind}", self.play.harvester(lane, chosen, one_page=one_page), upto=upto)

    @rule(
        lane=st.sampled_from([None, "live", *WAYS]), batches=st.sampled_from([1, 20]), upto=st.sampled_from(PLACES[:2])
    )
    def subscribe(self, lane: str | None, batches: int, upto: str) -> None:
        self.enter(f"subscriber {lane}", self.play.subscriber(batches, lane=lane), upto=upto)

    # scenes that chance alone would seldom play

    @rule(lane=st.sampled_from([*WAYS][1:]), way=Anybody, name=st.sampled_from(NAMES))
    def one_asks_later_and_is_answered_earlier(self, lane: str, way: int, name: str) -> None:
        """Live asks, another lane asks and is answered, and then something changes."""
        for each, upto in (("live", ASKED), (lane, THE_END)):
            chosen = WAYS[each][way % len(WAYS[each])]
            self.enter(f"{each} {chosen.kind}", self.play.harvester(each, chosen), upto=upto)
        self.play.orchard.plant(name, "cherry")

    @rule(name=st.sampled_from(NAMES[:AT_ONCE]))
    def seen_unchanged_while_an_older_answer_is_under_way(self, name: str) -> None:
        """A backfill is told of a change that is taken back; live sees nothing new, and that is persisted first."""
        before = self.play.orchard.trees.get(name, "apple")
        self.play.orchard.plant(name, "plum" if before == "cherry" else "cherry")
        self.enter("backfill:2", self.play.harvester("backfill:2", Way("backfill")), upto=ANSWERED)
        self.play.orchard.plant(name, before)
        self.enter("live", self.play.harvester("live", Way("listing")), upto=THE_END)
        self.enter("subscriber live", self.play.subscriber(20, lane="live"), upto=THE_END)

    @rule(name=st.sampled_from(NAMES))
    def listed_while_news_of_it_wait(self, name: str) -> None:
        """An event sees a tree, which is felled and missed by a listing before that event is persisted."""
        self.play.orchard.plant(name, "plum")
        self.enter("events", self.play.harvester("events", Way("event", about=name)), upto=THE_END)
        self.play.orchard.fell(name)
        self.enter("live", self.play.harvester("live", Way("listing")), upto=THE_END)
        self.enter("subscriber live", self.play.subscriber(20, lane="live"), upto=THE_END)

    @rule(which=Anybody, choice=st.integers(0, 1))
    def one_moves(self, which: int, choice: int) -> None:
        self.runner.run(self._move(which, 1, choice))

    @rule(which=Anybody, times=st.sampled_from([2, 5, 10, 20]), choice=st.integers(0, 1))
    def one_goes_on(self, which: int, times: int, choice: int) -> None:
        self.runner.run(self._move(which, times, choice))

    @rule(which=Anybody, choice=st.integers(0, 1))
    def one_goes_on_to_the_end(self, which: int, choice: int) -> None:
        self.runner.run(self._move(which, 500, choice))

    async def _move(self, which: int, times: int, choice: int) -> None:
        movable = self.stage.movable()
        if movable:
            await self._go_on(movable[which % len(movable)], times, choice)

    async def _go_on(self, puppet: Puppet, times: int, choice: int, upto: str = "") -> None:
        while puppet.waiting and times and upto not in puppet.places:
            await self.stage.move(puppet, choice)
            times -= 1

    @rule(which=Anybody)
    def one_dies(self, which: int) -> None:
        alive = [puppet for puppet in self.stage.puppets if not puppet.ended]
        if alive:
            self.runner.run(self.stage.crash(alive[which % len(alive)]))

    # operators

    @rule(act=st.sampled_from(ACTS), which=Anybody)
    def operate(self, act: str, which: int) -> None:
        play, stopped = self.play, self.play.stopped()
        match act:
            case "cursor":
                self.enter(act, play.move_the_cursor(which % 4))
            case "filters" if not play.orchard.reports:
                self.enter(act, play.edit_the_filters())
            case "approve":
                self.enter(act, play.approve())
            case "refuse":
                self.enter(act, play.refuse())
            case "spoil":
                play.spoil_a_batch(which)
            case "retry" if stopped:
                play.mend_the_batches()
                self.enter(act, play.retry_a_lane(stopped[which % len(stopped)]))
            case "discard" if stopped:
                self.enter(act, play.discard_of_a_lane(stopped[which % len(stopped)]))
            case "quarantine":
                self.enter(act, play.retry_what_was_refused())

    # quiet

    @rule(seed=st.integers(0, 2**16))
    def everybody_comes_to_an_end(self, seed: int) -> None:
        self.quiet(random.Random(seed))
        self.play.evidence.check()

    def quiet(self, chance: random.Random) -> None:
        self.runner.run(self._quiet(chance))
        for puppet in self.stage.puppets:
            self.judge(puppet)
        self.stage.puppets.clear()

    async def _quiet(self, chance: random.Random) -> None:
        while True:
            while movable := self.stage.movable():
                await self.stage.move(chance.choice(movable), chance.randrange(2))
            unfinished = [puppet.task for puppet in self.stage.puppets if puppet.task and not puppet.ended]
            if unfinished:
                # a deadlock, which the database ends by itself after a while
                await asyncio.wait(unfinished, timeout=0.05)
                await self.stage.settle()
            elif lanes := self.play.waiting():
                lane = chance.choice(lanes)
                await self.stage.enter(f"subscriber {lane}", self.play.subscriber(chance.choice([1, 20]), lane=lane))
            else:
                return

    def judge(self, puppet: Puppet) -> None:
        """How it may end: well, killed, or by what a process is told when others were first."""
        assert puppet.task
        error = puppet.task.exception()
        if error is None or puppet.dead or isinstance(error, Crashed | Conflict):
            return
        told = isinstance(error, ValidationFailure) and error.code in (Code.INVALID, Code.NOT_FOUND)
        assert told or (isinstance(error, RetryableTransient) and error.code is Code.TIMEOUT), (puppet.name, error)

    def teardown(self) -> None:
        """In the end everything is mended and asked once more: then the catalog is the source."""
        try:
            if self.play.orchard.answers or self.stage.puppets:
                self.quiet(random.Random(0))
                self.play.evidence.check()
                self.mend()
                self.ask_once_more()
                self.play.evidence.check()
                self.play.evidence.the_catalog_is_the_source(self.play.endpoint.config["hide"])
        finally:
            self.runner.run(self._kill_all())
            self.play.sweep()

    def mend(self) -> None:
        play = self.play
        play.mend_the_batches()
        for lane in play.stopped():
            self.at_once(play.retry_a_lane(lane))
        for name, fruit in list(play.orchard.trees.items()):
            if fruit == BLIGHT:
                play.orchard.plant(name, "apple")

    def ask_once_more(self) -> None:
        way = Way("changes" if self.play.orchard.reports else "listing")
        for _ in range(2):  # the first may be the rest of a listing that began long ago
            self.at_once(self.play.harvester("live", way))
            if self.play.evidence.rows("SELECT FROM listings WHERE state = 'held'"):
                self.at_once(self.play.approve())

    async def _kill_all(self) -> None:
        for puppet in self.stage.puppets:
            if not puppet.ended:
                await self.stage.crash(puppet)
        self.stage.puppets.clear()


def looking(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url, autocommit=True, options="-c search_path=windrow")


async def opened(url: str) -> SteppedDatabase:
    database = SteppedDatabase(url, size=3 * MOST_PUPPETS)
    await database.__aenter__()
    # all at once: a connection that is made when it is first needed would be a wait that nobody sees
    await database._pool.resize(3 * MOST_PUPPETS)
    await database._pool.wait()
    return database


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as opened:
        yield opened


@pytest.mark.req("HV-22", "HV-24")
@pytest.mark.campaign
@pytest.mark.timeout(600)
def test_nothing_is_lost_or_doubled_whatever_the_order(runner: asyncio.Runner, database_url: str) -> None:
    Protocol.runner = runner
    Protocol.database = runner.run(opened(database_url))
    Protocol.stage = runner.run(Stage.open(database_url))
    try:
        with looking(database_url) as Protocol.tables, looking(database_url) as Protocol.sequence:
            Protocol.tables.execute("SET ROLE windrow_app")
            run_state_machine_as_test(
                Protocol,
                settings=settings(
                    max_examples=30,  # how far a campaign looks is said by its seeds
                    stateful_step_count=40,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
    finally:
        runner.run(Protocol.stage.close())
        runner.run(Protocol.database.__aexit__())
