"""Runs: what each one read, and how it ended. The counts rise in the transactions of the pages that they count."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from psycopg.types.json import Jsonb

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.harvest.abridged import storable_text
from windrow.outbox.lane import Lane
from windrow.postgres import Transaction, load
from windrow.telemetry import redact

Q = load(__package__, "run.sql")


class Outcome(StrEnum):
    """How a slice, or a whole run, ended."""

    DONE = "done"  # the source has nothing more for now
    MORE = "more"  # the slice's time is over, there is more
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"  # somebody else has taken the lane over
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """fetched = published + repeats + quarantined, always."""

    pages: int = 0
    fetched: int = 0
    published: int = 0
    repeats: int = 0
    quarantined: int = 0
    bytes: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            pages=self.pages + other.pages,
            fetched=self.fetched + other.fetched,
            published=self.published + other.published,
            repeats=self.repeats + other.repeats,
            quarantined=self.quarantined + other.quarantined,
            bytes=self.bytes + other.bytes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as people see it."""

    run_id: str
    project_id: str
    endpoint_id: str
    lane: str
    state: str
    begun_at: datetime
    ended_at: datetime | None
    pages: int
    fetched: int
    published: int
    repeats: int
    quarantined: int
    bytes: int
    outcome: str | None
    error_class: str | None
    code: str | None
    message: str | None
    settled: dict[str, int] | None

    @property
    def standing(self) -> str:
        """How it ended, or that it runs."""
        return self.outcome or self.state


class Mark(NamedTuple):
    """Where a page of runs ends."""

    begun_at: datetime
    run_id: str

    @classmethod
    def at(cls, run: Run) -> "Mark":
        return cls(run.begun_at, run.run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What became of a run in the catalog. It is whole when every record that was fetched is accounted for."""

    batches: int
    pending: int
    created: int
    updated: int
    deleted: int
    unchanged: int
    outdated: int
    discarded: int

    def accounts_for(self, published: int) -> bool:
        settled = self.created + self.updated + self.deleted + self.unchanged + self.outdated + self.discarded
        return self.pending == 0 and settled == published


async def begin_run(tx: Transaction, lane: Lane, run_id: str) -> None:
    """A run begins, or goes on with its next slice."""
    await tx.execute(Q.begin, **lane.key, run_id=run_id)


async def stumble(tx: Transaction, run_id: str, error: WindrowError) -> None:
    """A step of it failed, and may be tried again: the run says why until it gets on, or ends."""
    await tx.execute(Q.stumble, run_id=run_id, **_told(error))


async def count(tx: Transaction, run_id: str, counts: Counts) -> Counts:
    """Add a page to its run, which has got on by that; the run's counts with it."""
    row = await tx.row(
        Q.count,
        run_id=run_id,
        pages=counts.pages,
        fetched=counts.fetched,
        published=counts.published,
        repeats=counts.repeats,
        quarantined=counts.quarantined,
        bytes=counts.bytes,
    )
    assert row, "a run is there from its first slice on"
    return Counts(**row)


async def counts_of(tx: Transaction, run_id: str) -> Counts:
    """What the run has read so far."""
    row = await tx.row(Q.counts, run_id=run_id)
    return Counts(**row) if row else Counts()


async def verify(tx: Transaction, run_id: str) -> Verified:
    """Look up in the outbox what became of the run's batches."""
    found = await tx.into(Verified, Q.verify, run_id=run_id)
    return found[0]


async def end_run(
    tx: Transaction,
    run_id: str,
    outcome: Outcome,
    *,
    error: WindrowError | None = None,
    settled: dict[str, int] | None = None,
) -> None:
    """The run is over."""
    await tx.execute(
        Q.end,
        run_id=run_id,
        outcome=outcome,
        settled=Jsonb(settled) if settled is not None else None,
        **_told(error),
    )


def _told(error: WindrowError | None) -> dict[str, str | None]:
    return {
        "error_class": error.error_class if error else None,
        "code": error.code if error else None,
        "message": storable_text(redact(error.message)[:2000]) if error else None,
    }


async def last_well(tx: Transaction, lane: Lane) -> datetime | None:
    """When a run of the lane's endpoint last ended well, in this lane or another; None if none did."""
    ended: datetime | None = await tx.value(Q.last_well, project=lane.scope.project_id, endpoint=lane.endpoint_id)
    return ended


async def page(
    tx: Transaction,
    project: str | None,
    *,
    endpoint: str | None = None,
    standing: str | None = None,
    after: Mark | None = None,
    limit: int,
) -> list[Run]:
    """The latest first, of one project or of all of them."""
    begun_at, run_id = after or (None, None)
    return await tx.into(
        Run,
        Q.page,
        project=project,
        endpoint=endpoint,
        standing=standing,
        begun_at=begun_at,
        run_id=run_id,
        limit=limit,
    )


async def run_of(tx: Transaction, project: str, run_id: str) -> Run | None:
    """The run of the project that has this whole id."""
    found = await tx.into(Run, Q.of_project, project=project, run_id=run_id)
    return found[0] if found else None


async def find_run(tx: Transaction, run_id: str) -> Run:
    """One run, by its id or the beginning of it."""
    found = await tx.into(Run, Q.find, run_id=run_id)
    if len(found) != 1 and not (found and found[0].run_id == run_id):
        raise ValidationFailure(
            f"{len(found) or 'no'} runs begin with {run_id[:60]!r}",
            code=Code.NOT_FOUND,
            hint="`windrow runs` shows their ids",
        )
    return found[0]


def as_document(value: Verified) -> dict[str, Any]:
    """For the run's row and for machines."""
    return {name: getattr(value, name) for name in Verified.__dataclass_fields__}
