"""What a connector hands over: pages of the source's own records, and what they were turned into."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from windrow.contracts.item import Item
from windrow.contracts.quarantine import Reason

# How far a source has been read: JSON, made by the connector, understood by nobody else. None: nothing was read yet.
Cursor = Any


class Page(Struct, frozen=True, kw_only=True):
    """One answer of the source, and the cursor from which the next page follows.

    `last` says that the source has, for now, nothing behind this page. Where things that are gone are found by listing
    what is there, the listing's first page `opens` it and its last one makes it `whole`: all that the endpoint holds,
    nothing left out, nothing passed over because of an error. `calm` is False where the source asked for less (a limit
    nearly spent, a slow or refused answer): the harvest then takes smaller pages.

    `snapshot` is for a source whose pages all tell of one moment, however long it takes to read them (a commit, a database
    snapshot): its name, the same on each of them. They then count as asked for when the first of them was.
    """

    records: Sequence[Any]
    cursor: Cursor
    position: str
    last: bool = False
    opens: bool = False
    whole: bool = False
    calm: bool = True
    snapshot: str | None = None


class Refused(Struct, frozen=True, kw_only=True):
    """A record that could not be made an item: its place in the page, every reason, and its external id if that is known."""

    index: int
    reasons: tuple[Reason, ...]
    external_id: str | None = None


class Transformed(Struct, frozen=True, kw_only=True):
    """A page's records as items, each with the place of its record; what could not be one; and what else there is to tell.

    Items may be plain mappings: they are validated against the contract in any case, a whole page at a time.
    """

    items: Sequence[Item | dict[str, Any]]
    places: Sequence[int]
    refused: Sequence[Refused] = ()
    metadata: dict[str, Any] = {}
