"""What can be done about dead letters: put them back, or give them up. One, or what a filter shows, some at a time."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from windrow import messages
from windrow.console.pages.desk import Desk
from windrow.console.pages.queues.lanes import needed
from windrow.console.pages.queues.letter import named
from windrow.console.pages.queues.sieve import address, sieve_of
from windrow.console.pages.reasons import reason_of
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.messages import DeadLetter, LastLetter
from windrow.postgres import Transaction

LETTER_ACTS = ("replay", "discard")
# as many as the API takes in one call
MOST_AT_ONCE = 1000
DONE = {
    "replay": "Put back. Each is delivered again with a fresh budget, behind what its key already has in line.",
    "discard": "Given up for good. The audit trail keeps who did it, and why.",
    "nothing": "There was nothing left to do: somebody was faster.",
}
_DO = {"replay": messages.replay_dead_letters, "discard": messages.discard_dead_letters}


class LetterActs:
    """Each goes on to the list, which says what was done."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    def one(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """The letter of one message for one subscription."""

        async def do(visit: Visit) -> str:
            message_id, subscription = named(visit), visit.form.get("subscription", "")
            reason = _said(visit, act)
            async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
                count = await _each(tx, act, visit, {subscription: [message_id]}, reason)
            return address({}, did=act if count else "nothing")

        return do

    def several(self, act: str) -> Callable[[Visit], Awaitable[str]]:
        """What the filter of the address shows, of what was there when the page was drawn: nothing that nobody has seen."""

        async def do(visit: Visit) -> str:
            sieve = sieve_of(visit)
            reason, seen = _said(visit, act), _seen(visit)
            async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
                found = await messages.dead_letters(tx, **sieve, after=LastLetter(seen), limit=MOST_AT_ONCE)
                count = await _each(tx, act, visit, _by_subscription(found), reason)
            return address(sieve, did=act if count else "nothing")

        return do


async def _each(tx: Transaction, act: str, visit: Visit, chosen: dict[str, list[UUID]], reason: str | None) -> int:
    """By subscription: the same message may have died for another, of something else."""
    done = 0
    for subscription, message_ids in chosen.items():
        done += len(
            await _DO[act](
                tx,
                actor=visit.principal.actor,
                message_ids=message_ids,
                subscription=subscription,
                reason=reason,
            )
        )
    return done


def _by_subscription(letters: Sequence[DeadLetter]) -> dict[str, list[UUID]]:
    name = attrgetter("subscription")
    return {key: [letter.message_id for letter in group] for key, group in groupby(sorted(letters, key=name), name)}


def _said(visit: Visit, act: str) -> str | None:
    reason = reason_of(visit)
    return needed(reason) if act == "discard" else reason


def _seen(visit: Visit) -> datetime:
    try:
        seen = datetime.fromisoformat(visit.form.get("seen", ""))
    except ValueError:
        seen = None
    if seen is None or seen.tzinfo is None:
        raise ValidationFailure(
            "the form does not say when its page was drawn", code=Code.INVALID_VALUE, hint="load the page again"
        )
    return seen
