"""Kinds of jobs: a name, the payload that it takes, and what runs it.

    kinds = Kinds()
    kinds.register(Kind("clip", ClipRequest, Cutter(objects).cut, most=4, timeout=timedelta(minutes=30)))

A worker takes only jobs whose kind it knows; those of others stay for a process that does.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import checked_name
from windrow.jobs.running import Running

P = TypeVar("P", bound=BaseModel)


@dataclass(frozen=True)
class Kind(Generic[P]):
    """`most` is how many jobs of the kind run at once over all workers; `timeout` ends an attempt, which counts as failed.

    `forget` removes what a job (tenant, id) has left outside of the database, before its row is pruned; it may be asked again.
    """

    name: str
    payload: type[P]
    run: Callable[[Running, P], Awaitable[None]]
    most: int | None = None
    timeout: timedelta | None = None
    forget: Callable[[str, str], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        checked_name("kind", self.name)
        if self.most is not None and self.most < 1:
            raise ValueError(f"kind {self.name}: at most {self.most} at once would mean never")
        if self.timeout is not None and self.timeout <= timedelta(0):
            raise ValueError(f"kind {self.name}: a timeout of {self.timeout} leaves no time at all")


class Kinds:
    """What this process knows how to run."""

    def __init__(self, *kinds: Kind[Any]) -> None:
        self._kinds: dict[str, Kind[Any]] = {}
        for kind in kinds:
            self.register(kind)

    def register(self, kind: Kind[Any]) -> None:
        """Add a kind; a name twice is a mistake of whoever wired this."""
        if kind.name in self._kinds:
            raise ValueError(f"kind {kind.name} is registered twice")
        self._kinds[kind.name] = kind

    def find(self, name: str) -> Kind[Any]:
        """The kind of that name, or Fatal: this process cannot run it."""
        if name not in self._kinds:
            raise Fatal(
                f"no handler for jobs of the kind {name[:80]!r} here",
                code=Code.CONFIGURATION,
                hint=f"known here: {', '.join(sorted(self._kinds)) or 'none'}",
            )
        return self._kinds[name]

    def __iter__(self) -> Iterator[Kind[Any]]:
        return iter(self._kinds.values())
