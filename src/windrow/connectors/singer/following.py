"""Follows a tap's messages: which records there are, and where one could go on. Values in, values out."""

from typing import Any

import msgspec

from windrow.connectors.context import Say
from windrow.connectors.singer.catalog import Chosen
from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.cursor import Place, Trail, goes_on
from windrow.connectors.singer.items import VOLATILE, taken, unread
from windrow.connectors.singer.messages import Bad, Batch, Message, Other, Record, Schema, State
from windrow.contracts.errors import Code, ValidationFailure

# their meaning is in the catalog already: a stream that is replaced as a whole is one that is listed as a whole
_WITHOUT_EFFECT = frozenset({"ACTIVATE_VERSION"})
_MOST_TOLD = 20
_MOST_STREAMS = 10_000


class Following:
    """One run of a tap: from a place on, message by message."""

    def __init__(self, place: Place, config: SingerConfig, chosen: Chosen | None, say: Say) -> None:
        self.place = place
        # what the tap said last, whether one can go on from there or not: at its end it is true
        self.final = place.state
        self.trail = Trail()
        # so many were given before: what the tap says among them is about a way that is not yet known to be the same
        self._known = place.skip
        self._config, self._chosen, self._say = config, chosen, say
        self._ignored = VOLATILE | frozenset(config.ignore)
        self._schemas: dict[str, Schema] = {}
        self._strange: set[str] = set()

    def hear(self, message: Message) -> tuple[dict[str, Any], int] | None:
        """A record, as a page holds it, and its size, if the message is one; else what it says is noted."""
        match message:
            case Record(stream=stream) | Schema(stream=stream) if not self._wants(stream):
                self._tell(f"stream {stream[:80]!r}", "it was not asked for")
            case Record(stream=stream, size=size):
                return taken(message, self._schemas.get(stream), self._ignored), size
            case Bad(size=size):
                return unread(message), min(size, len(message.text))
            case Schema(stream=stream):
                self._schemas[stream] = message
                self._note_stream(stream)
            case State(value=value):
                self._stand(value)
            case Batch(stream=stream):
                raise _in_files(stream)
            case Other(kind=kind) if kind not in _WITHOUT_EFFECT:
                self._pass_over(kind)
        return None

    def give(self, record: dict[str, Any]) -> None:
        """The record is on a page now."""
        self.trail.take(record)
        self.place = msgspec.structs.replace(self.place, skip=self.trail.length, given=self.place.given + 1)

    @property
    def whole(self) -> bool:
        """Whether all there is was shown, if the tap ends here."""
        listing, chosen = self.place.listing, self._chosen
        if listing is None or listing.missed:
            return False
        return chosen is None or all(any(map(listing.has, names)) for names in chosen.streams)

    def _wants(self, stream: str) -> bool:
        """Some taps call a stream otherwise in their messages than in their catalog: where all are wanted, any name is good."""
        return self._config.wants(stream) or (self._chosen is not None and stream in self._chosen.names)

    def _stand(self, state: dict[str, Any]) -> None:
        """One that says the same as that before it leads to the same place, and is none to go on from."""
        self.final = state
        if self.trail.length >= self._known and state != self.place.state and goes_on(state):
            self.place = msgspec.structs.replace(self.place, state=state, skip=0)
            self.trail, self._known = Trail(), 0

    def _note_stream(self, stream: str) -> None:
        if len(self._schemas) > _MOST_STREAMS:
            raise ValidationFailure(
                f"the tap gives more than {_MOST_STREAMS} streams", code=Code.INVALID, hint="select some of them"
            )
        listing = self.place.listing
        if listing is not None and self._chosen is not None and stream in self._chosen.names:
            self.place = msgspec.structs.replace(self.place, listing=listing.with_stream(stream))

    def _pass_over(self, kind: str) -> None:
        """A message of a kind that nobody knows may have held anything."""
        if self.place.listing is not None:
            missed = msgspec.structs.replace(self.place.listing, missed=True)
            self.place = msgspec.structs.replace(self.place, listing=missed)
        self._tell(f"message {kind!r}", "a type that Singer does not have")

    def _tell(self, what: str, reason: str) -> None:
        if what not in self._strange and len(self._strange) < _MOST_TOLD:
            self._strange.add(what)
            self._say("connector.skipped", position=what, reason=reason)


def _in_files(stream: str) -> ValidationFailure:
    return ValidationFailure(
        f"the tap gives the records of {stream[:80]!r} in files of its own (BATCH)",
        code=Code.INVALID,
        hint="leave `batch_config` out of tap_config: then it gives them one by one",
    )
