"""Looks on while a connector works: the calls it makes, what it says, what it notes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from windrow.connectors.context import Context
from windrow.connectors.standalone import MemoryNotes


class Witness:
    """Stands in a connector's context and counts. `cancelled` is what the connector is told of the run."""

    def __init__(self, notes: MemoryNotes | None = None) -> None:
        self.notes = MemoryNotes() if notes is None else notes
        self.cancelled = False
        self.calls = self.at_once = self.most_at_once = 0
        # done as soon as a call has begun
        self.when_called: Callable[[], object] = bool
        self.said: list[tuple[str, dict[str, Any]]] = []

    def within(self, context: Context) -> Context:
        """The context with this witness in it."""
        return replace(context, notes=self.notes, say=self._say, watch=self._watch, cancelled=lambda: self.cancelled)

    def _say(self, event: str, *, error: BaseException | None = None, **fields: Any) -> None:
        self.said.append((event, {**fields, "error": repr(error)} if error else fields))

    @contextmanager
    def _watch(self, _: str) -> Iterator[None]:
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.when_called()
        try:
            yield
        finally:
            self.at_once -= 1
