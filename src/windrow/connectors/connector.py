"""The interface that every connector keeps (HV-1).

    class Shelf(Connector[ShelfConfig]):
        spec = ConnectorSpec(name="shelf", …, config=ShelfConfig)

        async def prepare(self) -> Findings: …
        def fetch_pages(self, cursor, page_size) -> AsyncIterator[Page]: …
        def item(self, record) -> Item | dict: …

A connector owns no state: all it needs to go on is in the cursor of the page before. It asks the source for a page only
when it is asked for one, and never ahead: the harvest numbers each request before it is sent, and that number decides
whose word is newer.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
from pydantic import BaseModel

from windrow.connectors.context import Context
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page, Refused, Transformed
from windrow.contracts.quarantine import Reason, Why

Config = TypeVar("Config", bound=BaseModel)

# what a mapping of foreign data runs into; anything else is a defect and ends the run
_MALFORMED = (
    ValidationFailure,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,  # a year 10^12, a number that no column holds
    RecursionError,  # a parser on JSON that is ten thousand levels deep
    msgspec.MsgspecError,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `prepare` looked at: whether it is well, and where it is not, what to do."""

    name: str
    well: bool
    detail: str
    hint: str | None = None


class Connector(ABC, Generic[Config]):
    """Reads one kind of source. Made for one endpoint and one run, and closed after it."""

    spec: ClassVar[ConnectorSpec]

    def __init__(self, config: Config, context: Context) -> None:
        self.config, self.context = config, context

    @classmethod
    def suited(cls, config: Config, context: Context) -> type[Self]:  # noqa: ARG003 - for those whose abilities differ
        """The connector as it is for one endpoint: where what it can do follows from its configuration, with that."""
        return cls

    @abstractmethod
    async def prepare(self) -> list[Finding]:
        """Look whether the source can be read with this configuration and credential. Raises what would stop a run."""

    @abstractmethod
    def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """The pages behind a cursor, each with the cursor from which the next one follows; ends with a `last` page."""

    def item(self, record: Any) -> Item | dict[str, Any]:
        """One record as an item. What it raises on malformed data is the reason why the record is refused."""
        raise NotImplementedError(f"{type(self).__name__} has neither `item` nor a `transform` of its own")

    def transform(self, page: Page) -> Transformed:
        """A page's records as items; one that is malformed does not keep the others."""
        items: list[Item | dict[str, Any]] = []
        places: list[int] = []
        refused: list[Refused] = []
        for index, record in enumerate(page.records):
            try:
                items.append(self.item(record))
                places.append(index)
            except _MALFORMED as error:
                refused.append(Refused(index=index, reasons=(_reason(error),)))
        return Transformed(items=items, places=places, refused=refused)

    async def samples(self, shown: Sequence[str]) -> Mapping[str, list[dict[str, Any]]]:  # noqa: ARG002 - for those with rows
        """For a preview: a few rows of what the items of these ids stand for, by id. They are harvested and kept nowhere."""
        return {}

    def progress(self, cursor: Cursor) -> int | None:  # noqa: ARG002 - for those whose cursor can be compared
        """How far a cursor is, as a number that never falls within a run; None where that cannot be told."""
        return None

    async def close(self) -> None:
        """Give back what was opened."""


def _reason(error: Exception) -> Reason:
    said = error.message if isinstance(error, ValidationFailure) else f"{type(error).__name__}: {error}"
    return Reason(why=Why.TRANSFORM, path="", message=said[:500])
