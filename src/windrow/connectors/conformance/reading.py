"""A pass over a source: its pages, and of every item the id and the hash."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from msgspec import Struct

from windrow.connectors.conformance.result import Failed
from windrow.connectors.connector import Connector
from windrow.contracts.identity import TOMBSTONE_HASH, canonical, content_hash
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page, Transformed


class Seen(Struct, frozen=True):
    """An item by what makes it the same one, unchanged."""

    external_id: str
    hash: str

    @property
    def gone(self) -> bool:
        return self.hash == TOMBSTONE_HASH


class Read(Struct, frozen=True):
    """A page, what it was turned into, and the items seen in it."""

    page: Page
    turned: Transformed
    items: tuple[Seen, ...]


@asynccontextmanager
async def pages(connector: Connector[Any], cursor: Cursor, size: int) -> AsyncIterator[AsyncIterator[Page]]:
    """The pages behind a cursor; what gives them is closed whichever way one leaves."""
    given = connector.fetch_pages(cursor, size)
    try:
        yield given
    finally:
        # a pass that cannot be left is told once, by the check for it
        with suppress(RuntimeError):
            await leave(given)


async def leave(given: AsyncIterator[Page]) -> None:
    """End a pass, wherever it is."""
    if close := getattr(given, "aclose", None):
        await close()


async def read(connector: Connector[Any], cursor: Cursor, size: int, *, most: int) -> list[Read]:
    """A whole pass from a cursor to where it ends by itself."""
    found: list[Read] = []
    async with pages(connector, cursor, size) as given:
        async for page in given:
            found.append(turned(connector, page))
            if len(found) > most:
                raise Failed(
                    f"there is no end after {most} pages of up to {size}",
                    "say `last` on the page behind which the source has nothing; or point the check at a smaller source",
                )
    return found


def turned(connector: Connector[Any], page: Page) -> Read:
    """A page with its items."""
    if not isinstance(page, Page):
        raise Failed(f"`fetch_pages` gave a {type(page).__name__}", "give `windrow.contracts.page.Page`")
    became = connector.transform(page)
    return Read(page, became, tuple(seen(item) for item in became.items))


def seen(item: Any) -> Seen:
    """An item's id and hash, in the form in which it would be kept; one that breaks the contract, as it is."""
    try:
        kept = msgspec.json.decode(msgspec.json.encode(item), type=Item)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        external_id = item.get("external_id") if isinstance(item, dict) else getattr(item, "external_id", None)
        return Seen(str(external_id), content_hash(repr(item).encode("utf-8", "backslashreplace")))
    return Seen(kept.external_id, TOMBSTONE_HASH if kept.deleted else content_hash(canonical(kept)))


def state(reads: Iterable[Read]) -> dict[str, str]:
    """What these pages leave behind, by id: the last word about each thing, and nothing about what is gone."""
    left: dict[str, str] = {}
    for each in reads:
        left.update({item.external_id: item.hash for item in each.items})
    return {external_id: kept for external_id, kept in left.items() if kept != TOMBSTONE_HASH}


def tombstones(reads: Iterable[Read]) -> set[str]:
    """The ids whose last word is that they are gone."""
    last = {item.external_id: item.gone for each in reads for item in each.items}
    return {external_id for external_id, gone in last.items() if gone}
