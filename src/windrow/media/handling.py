"""An event about a media job is handled: claim, enrich, ONE TRANSACTION { stage, snapshot, messages }.

The claim is a courtesy, so that one worker asks the provider and not twenty. What makes it once is the move, which names the
stage and the number of moves that were seen. Whatever goes wrong leaves the job queued, with the time of its next try, or
failed; the sweep takes up what nobody's event will. `handle` answers and does not raise, unless it is cancelled.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from windrow.contracts.errors import WindrowError, classify
from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.account import Account
from windrow.media.announcing import Topics
from windrow.media.asking import ask
from windrow.media.burying import Remains, bury
from windrow.media.dead_letter import kept
from windrow.media.enriching import Provider
from windrow.media.errors import DecodeMessageError, MediaError, PersistenceError, UnexpectedError
from windrow.media.finding import UnreadableJob
from windrow.media.handled import Found, Handled, Outcome
from windrow.media.job import MediaJob, is_job_id
from windrow.media.limits import MediaLimits
from windrow.media.mirror import astray
from windrow.media.moving import Change, move
from windrow.media.rows import Claimed, PutOff
from windrow.media.setback import Setbacks
from windrow.media.snapshot import Snapshot
from windrow.media.stage import Stage
from windrow.media.taking import Stores, Taker
from windrow.media.unreadable import Unreadable
from windrow.postgres import Database
from windrow.telemetry import bound, context, span
from windrow.telemetry.catalogue import media as telemetry

__all__ = ["Found", "Handled", "Handler", "Outcome"]

AGENT = "metadata-worker"
# to let go of a claim while the process ends; the claim ends by itself anyway
_PARTING = 2.0


class Handler:
    """Handles events for one process, any number at once."""

    def __init__(
        self,
        database: Database,
        enrichment: Provider,
        stores: Stores,
        *,
        topics: Topics,
        limits: MediaLimits,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database, self._enrichment, self._topics, self._limits = database, enrichment, topics, limits
        self._taker = Taker(database, stores, topics, limits)
        self._setbacks = Setbacks(database, topics, limits, jitter)
        self.unreadable = Unreadable()

    async def handle(self, found: Found) -> Handled:
        """Do what the event asks for, once, however often it comes."""
        with (
            _about(found.scope, found.correlation_id),
            span("metadata.worker.handle", job_id=found.job_id, request_id="unknown", attempt=found.attempt) as traced,
        ):
            account = Account(found.job_id, Stage.QUEUED, traced)
            account.receive(found.attempt, message_id=found.message_id, generation=found.generation)
            if found.attempt > 1:
                telemetry.REDELIVERIES.add(1)
            return await _measured(account, self._handle(found, account))

    async def undecodable(
        self,
        scope: Scope,
        error: DecodeMessageError,
        excerpt: str,
        *,
        attempt: int = 1,
        message_id: str | None = None,
        correlation_id: str | None = None,
    ) -> Handled:
        """Something came that is no job: told, counted, and in the dead letter topic."""
        with (
            _about(scope, correlation_id),
            span("metadata.worker.handle", job_id="unknown", request_id="unknown", attempt=attempt) as traced,
        ):
            account = Account(None, "unknown", traced)
            account.receive(attempt, message_id=message_id)
            if attempt > 1:
                telemetry.REDELIVERIES.add(1)
            remains = Remains(scope=scope, error=error, excerpt=excerpt, about=message_id or "", message_id=message_id)
            return await _measured(account, self._bury(remains, account))

    async def _handle(self, found: Found, account: Account) -> Handled:
        if found.job is not None and found.job.status is not Stage.QUEUED:
            account.learn(found.job)
            return account.skip("not_queued", found.job.status)
        try:
            taken = await self._take(found)
        except UnreadableJob as error:
            # whichever event tells of an object, the object is one
            about = found.job_id if found.job is None else found.message_id or found.job_id
            remains = Remains(
                scope=found.scope, error=error, excerpt=error.excerpt, about=about, message_id=found.message_id
            )
            handled = await self._bury(remains, account)
            if error.etag:
                self.unreadable.note(found.scope, found.job_id, error.etag)
            return handled
        match taken:
            case Claimed():
                account.learn(taken.job.job)
                with bound(correlation_id=taken.job.job.correlation_id):
                    return await self._work(taken, found, account)
            case MediaJob():
                return await self._pass_over(taken, found, account)
            case None:
                return account.skip("gone")

    async def _take(self, found: Found) -> Claimed | MediaJob | None:
        if not is_job_id(found.job_id) or (found.job is not None and found.job.job_id != found.job_id):
            raise UnreadableJob(DecodeMessageError("the event names no job that there could be"), found.job_id)
        try:
            return await self._taker.take(found.scope, found.job_id, found.job)
        except MediaError:
            raise
        except WindrowError as error:
            raise _unwritten(error) from error

    async def _work(self, claimed: Claimed, found: Found, account: Account) -> Handled:
        try:
            snapshot = await ask(self._enrichment, claimed.job, self._limits, account)
            moved = await self._persist(claimed.job, snapshot, account)
        except asyncio.CancelledError:
            await self._let_go(claimed)
            raise
        except Exception as raised:
            return await self._settle(claimed, raised, account)
        if moved is None:
            async with self._database.tenant(found.scope.tenant_id) as tx:
                job = await rows.get(tx, found.job_id)
            return await self._pass_over(job, found, account)
        return Handled(outcome=Outcome.PROCESSED, job_id=found.job_id, stage=moved.stage)

    async def _persist(self, seen: MediaJob, snapshot: Snapshot, account: Account) -> MediaJob | None:
        try:
            async with self._database.tenant(seen.tenant_id) as tx:
                moved = await move(tx, self._topics, seen, Change(Stage.METADATA_READY, snapshot=snapshot))
                if moved:
                    tx.after_commit(partial(_say_moved, account, moved))
                return moved
        except MediaError:
            raise
        except WindrowError as error:
            raise _unwritten(error) from error

    async def _settle(self, claimed: Claimed, raised: Exception, account: Account) -> Handled:
        error = classify(raised)
        try:
            settled = await self._setbacks.settle(claimed, error)
        except WindrowError as away:
            # not even that could be written: the claim ends by itself, and the sweep goes on from there
            account.fail(error, retryable=True)
            raise _unwritten(away) from away
        match settled:
            case MediaJob():
                account.fail(error, retryable=False, attempts=settled.attempts + 1)
                account.learn(settled.job)
                return account.give_up(settled.job.error or kept(error), error.error_class, settled.stage)
            case PutOff(seconds=seconds):
                account.fail(
                    error, retryable=True, attempts=claimed.job.attempts + 1, retry_in_seconds=round(seconds, 3)
                )
                return account.trouble(error)
            case None:
                account.fail(error, retryable=True)
                return account.skip("in_hand", claimed.job.stage)

    async def _pass_over(self, job: MediaJob, found: Found, account: Account) -> Handled:
        """A job that is not to be had: it is in another's hand, waits, or has left its stage."""
        account.learn(job.job)
        if job.stage is Stage.QUEUED:
            return account.skip("in_hand" if job.claimed_until else "waiting", job.stage)
        account.say("metadata.worker.stage_mismatch", expected=Stage.QUEUED)
        # its objects are said to be in order, and yet there was one among the queued
        if found.job is None and job.mirrored >= job.moves:
            async with self._database.tenant(found.scope.tenant_id) as tx:
                await astray(tx, found.job_id)
        return account.skip("stage_mismatch", job.stage)

    async def _bury(self, remains: Remains, account: Account) -> Handled:
        account.fail(remains.error, retryable=False)
        await bury(self._database, self._topics, remains)
        error = remains.error
        return account.give_up(kept(error), error.error_class, excerpt=remains.excerpt, message_id=remains.message_id)

    async def _let_go(self, claimed: Claimed) -> None:
        with suppress(WindrowError, TimeoutError):
            async with asyncio.timeout(_PARTING), self._database.tenant(claimed.job.tenant_id) as tx:
                await rows.release(tx, claimed)


def _about(scope: Scope, correlation_id: str | None) -> bound:
    return bound(
        agent=AGENT,
        tenant_id=scope.tenant_id,
        project_id=scope.project_id,
        correlation_id=correlation_id or context.correlation_id(),
    )


async def _measured(account: Account, work: Awaitable[Handled]) -> Handled:
    """Every handling is counted, however it ends; what nobody has foreseen is an error like any other."""
    result = "failure"
    try:
        handled = await work
        result = handled.outcome.result
    except Exception as raised:
        error = raised if isinstance(raised, MediaError) else _unexpected(raised)
        account.fail(error, retryable=True)
        handled = account.trouble(error)
    finally:
        telemetry.MESSAGES.add(1, result=result)
        telemetry.DURATION.record(account.milliseconds, result=result)
    account.conclude(handled.outcome)
    return handled


def _say_moved(account: Account, moved: MediaJob) -> None:
    account.learn(moved.job)
    account.say("metadata.worker.persist_success", metadata_version=moved.job.metadata_version, number=moved.moves)
    account.say("metadata.worker.publish_success", number=moved.moves)


def _unexpected(raised: Exception) -> UnexpectedError:
    error = classify(raised)
    unexpected = UnexpectedError(error.message, code=error.code, hint=error.hint)
    unexpected.__cause__ = raised
    return unexpected


def _unwritten(error: WindrowError) -> PersistenceError:
    return PersistenceError(error.message, code=error.code, hint=error.hint)
