"""What is examined: a connector with one endpoint's configuration, and a source that stands still."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Any

from pydantic import BaseModel

from windrow.connectors.conformance.reading import Read, read, state
from windrow.connectors.conformance.result import Skipped
from windrow.connectors.conformance.witness import Witness
from windrow.connectors.connector import Connector
from windrow.connectors.context import Context
from windrow.connectors.spec import ConnectorSpec
from windrow.connectors.standalone import MemoryNotes
from windrow.contracts.page import Cursor


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an examination goes: pages in a pass, cursors that are resumed from, seconds that a check may take."""

    pages: int = 200
    resumes: int = 12
    seconds: float = 120.0
    # how long one waits for something that must not happen
    quiet: float = 0.03
    # how soon a cancelled call has to end
    prompt: float = 10.0


class Compared(Enum):
    """By what two passes are compared."""

    HASHES = "hashes"
    IDS = "ids"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Opened:
    """A fresh connector, and who looks on."""

    connector: Connector[Any]
    witness: Witness


@dataclass(kw_only=True)
class Candidate:
    """Gives fresh connectors for the same endpoint, and keeps what several checks look at."""

    connector: type[Connector[Any]]
    config: BaseModel
    context: Context
    # changes the source: one thing is changed, one deleted
    mutate: Callable[[], None] | None = None
    limits: Limits = field(default_factory=Limits)
    # the first pass, by the check that looks at pagination; its witness
    first: list[Read] = field(default_factory=list, init=False)
    first_witness: Witness = field(default_factory=Witness, init=False)
    # less than hashes once the check for determinism has failed: it tells that fault, and no other check does again
    compared: Compared = field(default=Compared.HASHES, init=False)
    _after: "After | None" = field(default=None, init=False)

    @property
    def spec(self) -> ConnectorSpec:
        return self.connector.spec

    @property
    def size(self) -> int:
        """The size of the pages: the smallest, for the most cursors."""
        return self.spec.page_sizes.smallest

    @asynccontextmanager
    async def open(self, notes: MemoryNotes | None = None, *, at: datetime | None = None) -> AsyncIterator[Opened]:
        """A connector as a run would have it, closed in the end; `at` is a moment at which its clock stands still."""
        witness = Witness(notes)
        context = replace(self.context, now=lambda: at) if at else self.context
        connector = self.connector(self.config, witness.within(context))
        try:
            yield Opened(connector, witness)
        finally:
            # one that cannot be closed is told once, by the check for it
            with suppress(Exception):
                await connector.close()

    async def read(self, cursor: Cursor = None, size: int | None = None) -> list[Read]:
        """A pass of a fresh connector."""
        async with self.open() as opened:
            return await read(opened.connector, cursor, size or self.size, most=self.limits.pages)

    def state(self, reads: list[Read]) -> dict[str, str]:
        """What a pass leaves, in as far as it can be compared with another."""
        if self.compared is Compared.NOTHING:
            raise Skipped("makes sense only when ids stay the same from pass to pass")
        left = state(reads)
        return left if self.compared is Compared.HASHES else dict.fromkeys(left, "")

    async def after(self) -> "After":
        """The source changed, read on from the last cursor and read anew; once for all checks that ask."""
        if self.mutate is None:
            raise Skipped("nobody said how the source is changed (`mutate`)")
        if self._after is None:
            await asyncio.to_thread(self.mutate)
            self._after = After(later=await self.read(self.first[-1].page.cursor), fresh=await self.read())
        return self._after


@dataclass(frozen=True, slots=True)
class After:
    """Two passes over a source that was changed: on from where the first pass ended, and from the beginning."""

    later: list[Read]
    fresh: list[Read]
