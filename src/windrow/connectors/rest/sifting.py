"""Which records of an answer are wanted: those that the definition chooses, and of a later pass those that changed."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windrow.connectors.rest.cursor import Frame, Journey
from windrow.connectors.rest.definition import Stream
from windrow.connectors.rest.functions import moment
from windrow.connectors.rest.mapping import enveloped, is_deleted, is_true, scope_of
from windrow.connectors.rest.requests import Api
from windrow.connectors.rest.scope import Scope
from windrow.connectors.rest.templates import template
from windrow.contracts.errors import ValidationFailure


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a record is wanted, whether it `ends` the list (all that follows is older), and whether it has lists below
    it: what is gone has none.
    """

    wanted: bool
    ends: bool = False
    leads_on: bool = True


class Sieve:
    """Judges the records of one pass."""

    def __init__(self, api: Api, journey: Journey) -> None:
        self._api, self._journey = api, journey

    def judge(self, frame: Frame, record: Any) -> Verdict:
        """What becomes of a record. One that cannot be judged is wanted: it is then refused with the reason."""
        stream = self._api.definition.streams[frame.stream]
        scope = scope_of(enveloped(frame.stream, record, frame.parent, frame.grandparent), self._api.values)
        try:
            if self._is_older(stream, scope):
                assert stream.incremental
                return Verdict(False, ends=stream.incremental.newest_first)
            gone = stream.item is not None and is_deleted(stream.item, scope)
            return Verdict(stream.when is None or is_true(stream.when, scope), leads_on=not gone)
        except ValidationFailure:
            return Verdict(True)

    def _is_older(self, stream: Stream, scope: Scope) -> bool:
        rules, since = stream.incremental, self._journey.since
        if rules is None or rules.field is None or since is None:
            return False
        changed = template(rules.field).value(scope)
        return changed is not None and moment(changed) < since - timedelta(seconds=rules.overlap_seconds)
