"""Each letter that has come is handled, whichever way it came: pushed by HTTP, or pulled from a subscription."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field

from windrow.contracts.errors import classify
from windrow.contracts.scope import Scope
from windrow.events.envelope import Envelope
from windrow.events.letters import Finalized, JobMessage, Letter, Malformed, NotForUs
from windrow.events.subject import queued_object
from windrow.media.account import UNKNOWN, Account
from windrow.media.dead_letter import excerpt_of
from windrow.media.errors import DecodeMessageError
from windrow.media.handled import Found, Handled, Outcome
from windrow.media.handling import Handler
from windrow.media.job import from_bytes
from windrow.media.places import Places
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import media as telemetry

# letters in hand at once, of all that come: more only wait for the database
_AT_ONCE = 64
_CORRELATION = re.compile(r"[!-~]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose a letter is: by its bucket, or by the subscription that brought it; else the installation's own."""

    places: Places
    own: Scope
    subscriptions: Mapping[str, Scope] = field(default_factory=dict)

    def of_subscription(self, name: str | None) -> Scope:
        """By the whole name (`projects/…/subscriptions/NAME`) or its last part."""
        known = self.subscriptions
        return known.get(name or "") or known.get((name or "").rpartition("/")[2]) or self.own


class Opener:
    """Opens letters. Nothing that is in one makes it raise."""

    def __init__(self, handler: Handler, owners: Owners) -> None:
        self._handler, self._owners = handler, owners
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def opened(self, envelope: Envelope) -> list[Handled]:
        """What became of each letter, in their order."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._open(envelope, letter)) for letter in envelope.letters]
        return [task.result() for task in tasks]

    async def _open(self, envelope: Envelope, letter: Letter) -> Handled:
        # what is not for us waits for nobody: providers that are slow hold up their own jobs alone
        turn = self._turns if isinstance(letter, Finalized | JobMessage) else nullcontext()
        async with turn:
            try:
                return await self._handled(envelope, letter)
            except Exception as raised:
                # the handler answers for what it does; this is a fault of ours, and no caller is to see it as its own
                error = classify(raised)
                emit("letter.failed", error_class=error.error_class, code=error.code, error=raised)
                return Handled(outcome=Outcome.ERROR, reason=type(raised).__name__, retryable=True)

    async def _handled(self, envelope: Envelope, letter: Letter) -> Handled:
        match letter:
            case Finalized():
                return await self._written(envelope, letter)
            case JobMessage():
                return await self._sent(envelope, letter)
            case NotForUs():
                return _pass_over(envelope, letter)
            case Malformed():
                scope = self._owners.of_subscription(envelope.subscription)
                return await self._bury(envelope, scope, letter.error, letter.excerpt)

    async def _written(self, envelope: Envelope, letter: Finalized) -> Handled:
        """An object: whose it is, then which job's."""
        placed = self._owners.places.find(letter.bucket, letter.name)
        if placed is None:
            return _pass_over(envelope, NotForUs("an object of nobody that is known here"))
        try:
            named = queued_object(placed.key)
        except DecodeMessageError as error:
            return await self._bury(envelope, placed.scope, error, letter.name)
        if isinstance(named, NotForUs):
            return _pass_over(envelope, named)
        return await self._handler.handle(
            Found(
                scope=placed.scope,
                job_id=named.job_id,
                attempt=envelope.attempt,
                message_id=letter.event_id,
                generation=letter.generation,
            )
        )

    async def _sent(self, envelope: Envelope, letter: JobMessage) -> Handled:
        """A job that came by message."""
        scope = self._owners.of_subscription(envelope.subscription)
        try:
            job = from_bytes(letter.data)
        except DecodeMessageError as error:
            return await self._bury(envelope, scope, error, excerpt_of(letter.data))
        return await self._handler.handle(
            Found(
                scope=scope,
                job_id=job.job_id,
                attempt=envelope.attempt,
                message_id=envelope.message_id,
                correlation_id=_sane(job.correlation_id),
                job=job,
            )
        )

    async def _bury(self, envelope: Envelope, scope: Scope, error: DecodeMessageError, excerpt: str) -> Handled:
        return await self._handler.undecodable(
            scope, error, excerpt, attempt=envelope.attempt, message_id=envelope.message_id
        )


def _sane(correlation_id: str | None) -> str | None:
    """A stranger's word, if it can stand in every line of the log."""
    return correlation_id if correlation_id and _CORRELATION.fullmatch(correlation_id) else None


def _pass_over(envelope: Envelope, letter: NotForUs) -> Handled:
    """In order, and for somebody else: said, traced and counted like all that comes."""
    with span(
        "metadata.worker.handle", job_id=UNKNOWN, request_id=UNKNOWN, attempt=envelope.attempt, outcome=Outcome.SKIPPED
    ) as traced:
        account = Account(None, UNKNOWN, traced)
        account.receive(envelope.attempt, message_id=envelope.message_id)
        account.say("metadata.worker.skipped", reason=letter.reason)
        if envelope.attempt > 1:
            telemetry.REDELIVERIES.add(1)
        telemetry.MESSAGES.add(1, result=Outcome.SKIPPED.result)
        telemetry.DURATION.record(account.milliseconds, result=Outcome.SKIPPED.result)
    return Handled(outcome=Outcome.SKIPPED, reason=letter.reason)
