"""The state machine against a model of a few lines: any order of steps by several workers, zombies among them.

What they make is part of it: the row's artifact, and the bytes in a real store (`shelf`).
"""

import asyncio
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.integration.jobs.hands import Hands
from tests.integration.jobs.shelf import Shelf
from tests.integration.jobs.timeline import unlawful
from tests.integration.jobs.workshop import Note

from windrow import jobs
from windrow.contracts.errors import Conflict, Fatal, RetryableTransient
from windrow.contracts.scope import Actor, Scope
from windrow.jobs import Artifact, Cancelled, LeaseLost, Terms
from windrow.jobs.execution import Execution
from windrow.jobs.failure import End
from windrow.objects import Objects, open_objects
from windrow.postgres import Database

ADA = Actor("ada", "test")
WORKERS = ["one", "two", "three"]


@dataclass
class Modelled:
    """What is known of a job."""

    place: int
    priority: int
    most: int = 2
    status: str = "queued"
    attempt: int = 1
    epoch: int = 0
    asked: bool = False
    stale: bool = False
    artifact: Artifact | None = None
    named_by: int = 0
    worker: str | None = None

    def requeue(self, *, counted: bool) -> None:
        if self.asked:
            self.end("cancelled")
        elif counted and self.attempt >= self.most:
            self.end("failed")
        else:
            self.status, self.worker, self.stale = "queued", None, False
            self.attempt += counted

    def end(self, status: str) -> None:
        self.status, self.worker, self.asked, self.stale = status, None, False, False


class Jobs(RuleBasedStateMachine):
    """Real jobs and the model, told the same."""

    runner: asyncio.Runner
    database: Database
    objects: Objects
    scratch: Path
    examples = 0
    held = Bundle("held")

    def __init__(self) -> None:
        super().__init__()
        type(self).examples += 1
        self.scope = Scope(f"t{self.examples}", "main")
        self.hands = {name: Hands(self.database, name) for name in WORKERS}
        self.shelf = Shelf(self.objects.for_tenant(self.scope.tenant_id), self.scratch)
        self.model: dict[str, Modelled] = {}

    def do(self, asked: Any) -> Any:
        return self.runner.run(asked)

    def teardown(self) -> None:
        async def clear() -> None:
            async with self.database.system() as tx:
                await tx.connection.execute("DELETE FROM jobs")

        self.do(clear())

    def holds(self, execution: Execution) -> bool:
        job = self.model[execution.job_id]
        return (job.status, job.epoch) == ("processing", execution.epoch)

    @initialize(target=held, worker=st.sampled_from(WORKERS))
    def begin(self, worker: str) -> Any:
        self.enqueue(0)
        self.enqueue(0)
        return self.acquire(worker, 2)

    # few at a time: the same job must pass through several hands
    @precondition(lambda self: sum(job.status in {"queued", "processing"} for job in self.model.values()) < 3)
    @rule(priority=st.sampled_from([0, 0, 5]))
    def enqueue(self, priority: int) -> None:
        async def enqueue() -> str:
            async with self.database.tenant(self.scope.tenant_id) as tx:
                terms = Terms(priority=priority, max_attempts=2)
                return (await jobs.enqueue(tx, self.scope, "note", Note(), terms=terms)).job_id

        self.model[self.do(enqueue())] = Modelled(len(self.model), priority)

    @rule(target=held, worker=st.sampled_from(WORKERS), room=st.integers(1, 3))
    def acquire(self, worker: str, room: int) -> Any:
        hands = self.hands[worker]
        hands.intake.forget()
        waiting = [job_id for job_id, job in self.model.items() if job.status == "queued"]
        waiting.sort(key=lambda job_id: (-self.model[job_id].priority, self.model[job_id].place))
        # a pass takes from the most urgent line only
        expected = [one for one in waiting if self.model[one].priority == self.model[waiting[0]].priority][:room]

        taken = self.do(hands.acquire(room))

        assert sorted(one.job_id for one in taken) == sorted(expected)
        for one in taken:
            job = self.model[one.job_id]
            job.status, job.worker, job.epoch, job.stale = "processing", worker, job.epoch + 1, False
            assert (one.epoch, one.attempt) == (job.epoch, job.attempt)
            assert one.earlier == job.artifact
        return multiple(*taken)

    @rule(execution=held, worker=st.sampled_from(WORKERS))
    def beat(self, execution: Execution, worker: str) -> None:
        answered = self.do(self.hands[worker].beat(execution))

        job = self.model[execution.job_id]
        if self.holds(execution):
            assert answered == {(execution.job_id, execution.epoch): job.asked}
            job.stale = False
        else:
            assert answered == {}

    @rule(execution=held, word=st.sampled_from(["source", "progress"]))
    def say(self, execution: Execution, word: str) -> None:
        job = self.model[execution.job_id]
        if self.holds(execution) and job.named_by == execution.epoch:
            return  # nothing comes after it from a handler that keeps to the order
        fresh = self.hands["one"].execution(execution.claim)
        self.told(execution, fresh.source_ready() if word == "source" else fresh.progress(1))
        if self.holds(execution) and word == "source":
            job.stale = False

    @rule(execution=held)
    def make(self, execution: Execution) -> None:
        self.do(self.shelf.make(execution))

    @rule(execution=held)
    def make_and_name(self, execution: Execution) -> None:
        artifact = self.do(self.shelf.make(execution))
        if artifact is None:
            return
        stopped = self.told(execution, self.hands["one"].execution(execution.claim).upload(artifact))
        if self.holds(execution):
            job = self.model[execution.job_id]
            job.artifact, job.named_by = artifact, execution.epoch
            self.shelf.name(execution, artifact, stopped=stopped)

    @rule(execution=held)
    def publish(self, execution: Execution) -> None:
        self.do(self.shelf.publish(execution))

    @rule(execution=held)
    def tidy(self, execution: Execution) -> None:
        self.do(self.shelf.tidy(execution))

    @rule(execution=held)
    def what_the_row_names_is_damaged(self, execution: Execution) -> None:
        artifact = self.model[execution.job_id].artifact
        if artifact:
            self.do(self.shelf.damage(artifact))

    def told(self, execution: Execution, word: Any) -> bool:
        """A word of an execution about its job; whether that was told to stop."""
        job = self.model[execution.job_id]
        raised = LeaseLost if not self.holds(execution) else Cancelled if job.asked else None
        with pytest.raises(raised) if raised else nullcontext():
            self.do(word)
        return raised is not None

    @rule(execution=held, end=st.sampled_from([End.DONE, End.HANDED_BACK, End.CANCELLED]))
    def settle(self, execution: Execution, end: End) -> None:
        holds = self.holds(execution)
        self.do(self.hands["one"].end(execution, end))
        job = self.model[execution.job_id]
        if holds and end is End.HANDED_BACK:
            job.requeue(counted=False)
        elif holds:
            job.end(str(end))

    @rule(execution=held, error=st.sampled_from([RetryableTransient("x"), Conflict("x"), Fatal("x")]))
    def fail(self, execution: Execution, error: Any) -> None:
        holds = self.holds(execution)
        self.do(self.hands["two"].end(execution, error=error))
        job = self.model[execution.job_id]
        if holds and isinstance(error, Fatal):
            job.end("cancelled" if job.asked else "failed")
        elif holds:
            job.requeue(counted=True)

    @rule(execution=held)
    def time_passes(self, execution: Execution) -> None:
        async def age() -> None:
            async with self.database.system() as tx:
                await tx.connection.execute(
                    "UPDATE jobs SET last_heartbeat_at = last_heartbeat_at - interval '1 hour'"
                    " WHERE id = %s AND status = 'processing'",
                    [execution.job_id],
                )

        self.do(age())
        job = self.model[execution.job_id]
        job.stale = job.status == "processing"

    @rule(target=held, execution=held, worker=st.sampled_from(WORKERS))
    def a_successor_takes_over(self, execution: Execution, worker: str) -> Any:
        self.time_passes(execution)
        self.recover()
        return self.acquire(worker, 3)

    # scenes that chance alone would seldom play

    @rule(target=held, execution=held, worker=st.sampled_from(WORKERS))
    def a_slow_one_stores_what_it_made_when_its_successor_has_named_another(
        self, execution: Execution, worker: str
    ) -> Any:
        taken = self.a_successor_takes_over(execution, worker)
        for one in taken.values:
            self.make_and_name(one)
        self.make(execution)
        return taken

    @rule(execution=held)
    def what_was_named_is_damaged_before_it_is_published(self, execution: Execution) -> None:
        self.make_and_name(execution)
        self.what_the_row_names_is_damaged(execution)
        self.publish(execution)

    @rule(target=held, execution=held, worker=st.sampled_from(WORKERS))
    def one_falls_asleep_before_it_tidies_up(self, execution: Execution, worker: str) -> Any:
        self.make_and_name(execution)
        self.publish(execution)
        self.what_the_row_names_is_damaged(execution)
        taken = self.a_slow_one_stores_what_it_made_when_its_successor_has_named_another(execution, worker)
        self.tidy(execution)
        return taken

    @rule()
    def recover(self) -> None:
        stale = [job for job in self.model.values() if job.stale]
        assert self.do(jobs.recover(self.database)) == len(stale)
        for job in stale:
            job.requeue(counted=True)

    @rule(number=st.integers(0, 9), what=st.sampled_from(["cancel", "cancel", "retry"]))
    def a_person_acts(self, number: int, what: str) -> None:
        if number >= len(self.model):
            return
        job_id, job = list(self.model.items())[number]

        async def act() -> None:
            async with self.database.tenant(self.scope.tenant_id) as tx:
                await (jobs.cancel if what == "cancel" else jobs.retry)(tx, job_id, actor=ADA)

        late = {"done", "failed"} if what == "cancel" else {"queued", "processing", "done"}
        try:
            self.do(act())
        except Conflict:
            assert job.status in late
            return
        assert job.status not in late
        if what == "retry":
            job.status, job.attempt, job.most = "queued", job.attempt + 1, job.attempt + 3
        elif job.status == "processing":
            job.asked = True
        else:
            job.end("cancelled")

    @invariant()
    def the_rows_are_those_of_the_model(self) -> None:
        async def read() -> list[jobs.Job]:
            async with self.database.tenant(self.scope.tenant_id) as tx:
                return await jobs.listed(tx, limit=1000)

        rows = {
            row.job_id: (
                row.status,
                row.attempt_count,
                row.lease_epoch,
                row.worker,
                row.cancel_requested_at is not None,
                row.artifact,
            )
            for row in self.do(read())
        }
        assert rows == {
            job_id: (
                job.status,
                job.attempt,
                job.epoch,
                job.worker,
                job.asked,
                asdict(job.artifact) if job.artifact else None,
            )
            for job_id, job in self.model.items()
        }

    @invariant()
    def the_store_holds_what_the_rows_name(self) -> None:
        assert self.do(self.shelf.wrongs()) == []

    @invariant()
    def the_timelines_are_lawful(self) -> None:
        async def read() -> list[str | None]:
            async with self.database.tenant(self.scope.tenant_id) as tx:
                return [unlawful(await jobs.events(tx, job_id)) for job_id in self.model]

        assert [wrong for wrong in self.do(read()) if wrong] == []


@pytest.mark.req("RR-2", "RR-6", "RR-12")
@pytest.mark.campaign
def test_jobs_answer_as_their_model(database_url: str, tmp_path: Path) -> None:
    Jobs.objects, Jobs.scratch = open_objects("memory:"), tmp_path
    with asyncio.Runner() as runner:
        Jobs.runner, Jobs.database = runner, Database(database_url, size=2)
        runner.run(Jobs.database.__aenter__())
        try:
            run_state_machine_as_test(
                Jobs,
                settings=settings(
                    max_examples=25,
                    stateful_step_count=30,
                    deadline=None,
                    suppress_health_check=[HealthCheck.too_slow],
                ),
            )
        finally:
            runner.run(Jobs.database.__aexit__())
