"""Writes down what is said about runs, beside the work and never in its way.

Every line of the process passes by; those that name a run are held in memory and written about once a second. Whoever
speaks never waits: while the database is away lines are held within a bound, and beyond it the oldest go, the serious last.
"""

import asyncio
import heapq
import random
import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from psycopg.types.json import Json

from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.harvest.abridged import abridged
from windrow.postgres import Database, Transaction, load
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.telemetry import bound, emit
from windrow.telemetry.catalogue import run_log as told
from windrow.telemetry.declare import Level
from windrow.telemetry.log import UNKNOWN

Q = load(__package__, "lines.sql")

LONGEST_ID = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLimits:
    """How many lines are kept of a run; how many are held for all runs, how long, and how long the last ones may take."""

    first: int = 400
    latest: int = 100
    serious: int = 500
    held: int = 4000
    pause: timedelta = timedelta(seconds=1)
    finish: timedelta = timedelta(seconds=3)


class Log(NamedTuple):
    """Of which run."""

    tenant_id: str
    project_id: str
    run_id: str


class Heard(NamedTuple):
    """A line that is not written down yet."""

    at: str
    level: str
    event: str
    fields: dict[str, Any]

    @property
    def is_serious(self) -> bool:
        return self.level != Level.INFO

    @property
    def worth(self) -> tuple[bool, str]:
        """Of which the least goes first."""
        return self.is_serious, self.at


@dataclass(slots=True)
class Sheet:
    """What is to be added to a log: the lines, behind so many that were missed."""

    lines: list[Heard] = field(default_factory=list)
    missed: int = 0


class Scribe:
    """One of a process: told every line (`telemetry.log.listening`), it writes down those about runs."""

    def __init__(self, database: Database, limits: LogLimits | None = None) -> None:
        self._database, self._limits = database, limits or LogLimits()
        # lines are said by any thread
        self._lock = threading.Lock()
        self._sheets: defaultdict[Log, Sheet] = defaultdict(Sheet)
        self._held = 0

    def hear(self, said: dict[str, Any]) -> None:
        """Hold the line if it is about a run."""
        run_id, tenant_id = said.get("run_id"), said["tenant_id"]
        if not run_id or tenant_id == UNKNOWN or len(run_id) > LONGEST_ID:
            return
        heard = Heard(said["timestamp"], said["level"], said["event"], abridged(said))
        with self._lock:
            self._sheets[Log(tenant_id, said["project_id"], run_id)].lines.append(heard)
            self._held += 1
            dropped = self._shrink()
        _count_dropped(dropped)

    async def run(self) -> None:
        """Write until cancelled."""
        with _nobodys_run():
            await keep_on(self.write, Wakeup(), self._limits.pause, random.random, _stalled)

    async def finish(self) -> None:
        """Write what is left, within a bound of time; what cannot be written now is dropped."""
        with _nobodys_run():
            try:
                with suppress(WindrowError, TimeoutError):
                    async with asyncio.timeout(self._limits.finish.total_seconds()):
                        await self.write()
            finally:
                _tell_dropped(self._take(), "the process ends")

    async def write(self) -> None:
        """Write down all that is held, tenant by tenant; what cannot be written yet is held again."""
        waiting = self._take()
        try:
            for tenant_id in {log.tenant_id for log in waiting}:
                # in order: who adds to the same logs from another process locks them as we do
                theirs = {log: waiting[log] for log in sorted(waiting) if log.tenant_id == tenant_id}
                await self._write(tenant_id, theirs)
                for log in theirs:
                    del waiting[log]
        finally:
            self._hold_again(waiting)

    async def _write(self, tenant_id: str, sheets: dict[Log, Sheet]) -> None:
        try:
            async with self._database.tenant(tenant_id) as tx:
                for log, sheet in sheets.items():
                    await self._add(tx, log, sheet)
        except WindrowError as error:
            if not _is_in_the_lines(error):
                raise
            _tell_dropped(sheets, error.message)
        else:
            told.LINES.add(_count(sheets), result="written")

    async def _add(self, tx: Transaction, log: Log, sheet: Sheet) -> None:
        lines, limits = sheet.lines, self._limits
        await tx.execute(
            Q.write,
            project=log.project_id,
            run_id=log.run_id,
            missed=sheet.missed,
            serious=sum(one.is_serious for one in lines),
            ats=[one.at for one in lines],
            levels=[one.level for one in lines],
            events=[one.event for one in lines],
            fields=[Json(one.fields) for one in lines],
            first=limits.first,
            latest=limits.latest,
            most_serious=limits.serious,
        )

    def _take(self) -> dict[Log, Sheet]:
        with self._lock:
            taken, self._sheets, self._held = self._sheets, defaultdict(Sheet), 0
        return taken

    def _hold_again(self, older: dict[Log, Sheet]) -> None:
        with self._lock:
            for log, sheet in older.items():
                newer = self._sheets[log]
                newer.lines[:0] = sheet.lines
                newer.missed += sheet.missed
            self._held += _count(older)
            dropped = self._shrink()
        _count_dropped(dropped)

    def _shrink(self) -> int:
        """Beyond the bound a quarter goes, so that the next line need not do this again; how many went."""
        before = self._held
        if before <= self._limits.held:
            return 0
        worths = (one.worth for sheet in self._sheets.values() for one in sheet.lines)
        least = heapq.nsmallest(before - self._limits.held * 3 // 4, worths)[-1]
        for sheet in self._sheets.values():
            kept = [one for one in sheet.lines if one.worth > least]
            sheet.missed += len(sheet.lines) - len(kept)
            sheet.lines = kept
        self._held = _count(self._sheets)
        return before - self._held


def _nobodys_run() -> bound:
    """What writing makes others say is not written down in turn."""
    return bound(agent="meta-worker", directive="run-log", run_id="")


def _is_in_the_lines(error: WindrowError) -> bool:
    """Whether these lines can never be written; anything else is the state of the database, and passes."""
    return isinstance(error, ValidationFailure) or error.code is Code.UNKNOWN


def _count(sheets: dict[Log, Sheet]) -> int:
    return sum(len(sheet.lines) for sheet in sheets.values())


def _count_dropped(lines: int) -> None:
    if lines:
        told.LINES.add(lines, result="dropped")


def _tell_dropped(sheets: dict[Log, Sheet], reason: str) -> None:
    if lines := _count(sheets):
        _count_dropped(lines)
        emit("run_log.dropped", lines=lines, reason=reason)


def _stalled(error: WindrowError, delay: timedelta) -> None:
    emit(
        "run_log.stalled",
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        retry_in_seconds=delay.total_seconds(),
    )
