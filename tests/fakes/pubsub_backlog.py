"""What a subscription of Pub/Sub still has to deliver: leases that run out, and order within a key where it is on."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from google.pubsub_v1.types import PubsubMessage, ReceivedMessage

_numbers = itertools.count(1)


@dataclass
class Copy:
    """A message for one subscription; with an ack id it is in somebody's hand until its deadline."""

    message: PubsubMessage
    ack_id: str = ""
    deadline: float = 0.0
    deliveries: int = 0


@dataclass
class Backlog:
    """Messages not yet acknowledged, in the order in which they were published."""

    topic: str
    ack_deadline: float = 10.0
    is_ordered: bool = False
    dead_letter_after: int | None = None
    copies: list[Copy] = field(default_factory=list)
    dead: list[PubsubMessage] = field(default_factory=list)

    def take(self, now: float, limit: int) -> list[ReceivedMessage]:
        """Lease what may be delivered: of a key whose earlier messages are in somebody's hand, nothing."""
        self._expire(now)
        busy = {copy.message.ordering_key for copy in self.copies if self.is_ordered and copy.ack_id} - {""}
        free = [copy for copy in self.copies if not copy.ack_id and copy.message.ordering_key not in busy]
        return [self._lease(copy, now) for copy in free[:limit]]

    def settle(self, ack_ids: Iterable[str]) -> None:
        """Acknowledged; an ack id that is not the last one of its message changes nothing."""
        gone = set(ack_ids)
        self.copies = [copy for copy in self.copies if not copy.ack_id or copy.ack_id not in gone]

    def extend(self, ack_ids: Iterable[str], now: float, seconds: float) -> None:
        """Theirs for so long from now on; 0 gives back."""
        self._expire(now)
        meant = set(ack_ids)
        for copy in [copy for copy in self.copies if copy.ack_id in meant]:
            copy.deadline = now + seconds
        self._expire(now)

    def next_deadline(self) -> float | None:
        return min((copy.deadline for copy in self.copies if copy.ack_id), default=None)

    def _lease(self, copy: Copy, now: float) -> ReceivedMessage:
        copy.ack_id, copy.deadline = f"ack-{next(_numbers)}", now + self.ack_deadline
        copy.deliveries += 1
        counted = copy.deliveries if self.dead_letter_after else 0
        return ReceivedMessage(ack_id=copy.ack_id, message=copy.message, delivery_attempt=counted)

    def _expire(self, now: float) -> None:
        late = [copy for copy in self.copies if copy.ack_id and copy.deadline <= now]
        keys = {copy.message.ordering_key for copy in late if self.is_ordered} - {""}
        for copy in self.copies:
            # with one of its key comes all that follows
            if copy in late or copy.message.ordering_key in keys:
                copy.ack_id = ""
        spent = [copy for copy in late if self.dead_letter_after and copy.deliveries >= self.dead_letter_after]
        self.dead += [copy.message for copy in spent]
        self.copies = [copy for copy in self.copies if copy not in spent]
