"""Many quarantined records at once: those with the same thing wrong are tried again, some at a time."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import attrgetter

from windrow.console.ports import Ports
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Actor, Scope
from windrow.harvest import quarantine
from windrow.harvest.quarantine import Mark, Quarantined
from windrow.harvest.retrying import AT_ONCE, Attempt, Verdict, Witness
from windrow.postgres import Database, Transaction
from windrow.telemetry import emit

# somebody waits for the answer
MOST = 2 * AT_ONCE


@dataclass(slots=True)
class Cleared:
    """What became of how many; how many could not be tried at all, and why, by endpoint. What is `left` comes after the mark
    `onward`."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    untried: int = 0
    troubles: dict[str, WindrowError] = field(default_factory=dict)
    onward: Mark | None = None
    left: int = 0


@dataclass(frozen=True, slots=True)
class Clearing:
    """Retries for one person, in one project. The witness is told, in each transaction that does something, what is done by
    then; while some of it is under way, `onward` is in front of that."""

    database: Database
    ports: Ports
    scope: Scope
    actor: Actor
    witness: Callable[[Transaction, Cleared], Awaitable[None]] | None = None

    async def retry(
        self, key: str, *, endpoint: str | None = None, after: Mark | None = None, reason: str | None, most: int = MOST
    ) -> Cleared:
        """Try those of the group again that come after the mark, the latest first, at most so many.

        What is refused again stays where it is: whoever goes on does so from `onward`, and tries none of them twice.
        """
        cleared = Cleared(onward=after)
        for _ in range(0, most, AT_ONCE):
            entries = await self._next(key, endpoint, cleared.onward)
            cleared.onward = Mark.before(entries[0]) if entries else None
            await self._try(entries[:AT_ONCE], cleared, reason, partial(self._watched, key, endpoint, cleared))
            cleared.onward = Mark.at(entries[AT_ONCE - 1]) if len(entries) > AT_ONCE else None
            if cleared.onward is None:
                break
        if cleared.troubles and not cleared.verdicts and cleared.onward is None:
            raise next(iter(cleared.troubles.values()))
        if cleared.onward:
            cleared.left = await self._beyond(key, endpoint, cleared.onward)
        return cleared

    async def _next(self, key: str, endpoint: str | None, after: Mark | None) -> list[Quarantined]:
        async with self.database.tenant(self.scope.tenant_id) as tx:
            return await quarantine.of_group(
                tx, self.scope.project_id, key, endpoint=endpoint, after=after, limit=AT_ONCE + 1
            )

    async def _beyond(self, key: str, endpoint: str | None, after: Mark) -> int:
        async with self.database.tenant(self.scope.tenant_id) as tx:
            return await quarantine.waiting(tx, self.scope.project_id, key, endpoint=endpoint, after=after)

    async def _try(
        self,
        entries: list[Quarantined],
        cleared: Cleared,
        reason: str | None,
        watched: Callable[[list[Attempt]], Witness],
    ) -> None:
        whose = attrgetter("endpoint_id")
        for name, group in groupby(sorted(entries, key=whose), whose):
            theirs, stand = list(group), list[Attempt]()
            try:
                attempts = await self.ports.retry(self.scope, name, theirs, self.actor, reason, watched(stand))
            except WindrowError as error:
                # an endpoint that is gone, or cannot be opened, holds up nobody else's; what was committed before stands
                attempts, untried = stand, len(theirs) - len(stand)
                cleared.untried += untried
                cleared.troubles[name] = error
                emit(
                    "quarantine.left_untried",
                    endpoint_id=name,
                    entries=untried,
                    code=error.code,
                    message=error.message,
                )
            cleared.verdicts.update(attempt.verdict for attempt in attempts)

    def _watched(self, key: str, endpoint: str | None, cleared: Cleared, stand: list[Attempt]) -> Witness:
        """Whoever is told of each transaction learns all that is done by then; `stand` is what it has committed."""

        async def witness(tx: Transaction, attempts: list[Attempt]) -> None:
            tx.after_commit(lambda: stand.extend(attempts))
            if self.witness:
                verdicts = cleared.verdicts + Counter(attempt.verdict for attempt in attempts)
                left = await quarantine.waiting(tx, self.scope.project_id, key, endpoint=endpoint, after=cleared.onward)
                onward = cleared.onward if left else None
                await self.witness(tx, replace(cleared, verdicts=verdicts, left=left, onward=onward))

        return witness
