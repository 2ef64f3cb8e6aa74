"""A source in memory, and two connectors that read it well: one by what changed, one by listing all there is."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from tests.conformance.subjects import Subject

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page


@dataclass(frozen=True)
class Book:
    number: str
    title: str
    revision: int
    gone: bool = False


@dataclass
class Library:
    """The outside world: books, each with the number of its latest change."""

    books: dict[str, Book] = field(default_factory=dict)
    revision: int = 0

    def put(self, number: str, title: str, *, gone: bool = False) -> None:
        self.revision += 1
        self.books[number] = Book(number, title, self.revision, gone)

    async def changed(self, since: int, limit: int) -> list[Book]:
        """The books changed after a revision, the oldest change first."""
        await asyncio.sleep(0)
        later = [book for book in self.books.values() if book.revision > since]
        return sorted(later, key=lambda book: book.revision)[:limit]

    async def listed(self, after: str, limit: int) -> list[Book]:
        """The books that are there, by number."""
        await asyncio.sleep(0)
        there = [book for book in self.books.values() if not book.gone and book.number > after]
        return sorted(there, key=lambda book: book.number)[:limit]


LIBRARIES: dict[str, Library] = {}


class ShelvesConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    library: str = Field(description="The library's name.")


def spec(name: str, **changed: Any) -> ConnectorSpec:
    known = {
        "version": "1.0.0",
        "title": "Shelves of a library",
        "source_system": "library",
        "config": ShelvesConfig,
        "capabilities": Capabilities(deletes=Deletes.REPORTED, incremental=True),
        "credential": Credential.OPTIONAL,
        "credential_help": "A reader's card.",
    }
    return ConnectorSpec(name=name, **(known | changed))


class Shelves(Connector[ShelvesConfig]):
    """Reads what changed since a revision, and tells what is gone."""

    spec = spec("shelves")

    def __init__(self, config: ShelvesConfig, context: Context) -> None:
        super().__init__(config, context)
        self.tool = ExecutionTool("shelves", context, concurrency=self.spec.max_concurrency)

    @property
    def library(self) -> Library:
        try:
            return LIBRARIES[self.config.library]
        except KeyError:
            raise ValidationFailure(f"there is no library {self.config.library!r}", code=Code.NOT_FOUND) from None

    async def prepare(self) -> list[Finding]:
        card = await self.context.credential()
        return [Finding("library", True, f"{len(self.library.books)} books, {'a' if card else 'no'} card")]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        since, last = (cursor or {"revision": 0})["revision"], False
        while not last:
            # one more than fits tells whether there is another page
            books = await self.ask(since, page_size + 1)
            last, books = len(books) <= page_size, books[:page_size]
            since = books[-1].revision if books else since
            yield self.page(books, since, last)

    async def ask(self, since: int, limit: int) -> list[Book]:
        return await self.tool.call("changed", lambda: self.library.changed(since, limit))

    def page(self, books: list[Book], since: int, last: bool) -> Page:
        return Page(records=books, cursor={"revision": since}, position=f"revision {since}", last=last)

    def progress(self, cursor: Cursor) -> int | None:
        return int(cursor["revision"])

    def item(self, record: Book) -> Item | dict[str, Any]:
        if not record.number:
            raise ValidationFailure("a book without a number")
        return Item(entity_type="book", external_id=record.number, display_name=record.title, deleted=record.gone)


class ListedShelves(Shelves):
    """Lists all there is, each time anew."""

    spec = spec("listed-shelves", capabilities=Capabilities(deletes=Deletes.LISTED))

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        # the cursor of a whole listing says so, and behind it the next one begins
        after, last = (cursor or {}).get("after", ""), False
        opens = not after
        while not last:
            books = await self.list(after, page_size + 1)
            last, books = len(books) <= page_size, books[:page_size]
            after = books[-1].number if books else after
            yield self.listing(books, after, opens, last)
            opens = False

    async def list(self, after: str, limit: int) -> list[Book]:
        return await self.tool.call("listed", lambda: self.library.listed(after, limit))

    def listing(self, books: "list[Book]", after: str, opens: bool, last: bool) -> Page:
        cursor = {"whole": after} if last else {"after": after}
        return Page(records=books, cursor=cursor, position=f"after {after}", last=last, opens=opens, whole=last)

    def progress(self, cursor: Cursor) -> int | None:  # noqa: ARG002 - places in a list of names are no numbers
        return None


def subject(connector: type[Connector[Any]], root: Path, **changed: Any) -> Subject:
    """A library of 130 books, read by a connector."""
    library = LIBRARIES[str(root)] = Library()
    for number in range(130):
        library.put(f"b{number:03}", f"Volume {number}")

    def mutate() -> None:
        library.put("b007", "Volume 7, revised")
        library.put("b042", "Volume 42", gone=True)

    known = Subject(
        name=connector.spec.name,
        connector=connector,
        config={"library": str(root)},
        permits_root=root,
        mutate=mutate,
    )
    return replace(known, **changed)
