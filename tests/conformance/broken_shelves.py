"""Connectors that are wrong in one way each; the suite has to tell which."""

# ruff: noqa: ARG002 - leaving an argument out of account is the fault of some of them

import asyncio
import itertools
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field
from tests.conformance.shelves import Book, ListedShelves, Shelves, ShelvesConfig, spec

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import Capabilities
from windrow.contracts.errors import RetryableTransient
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page, Transformed

BROKEN: dict[type[Connector[Any]], str] = {}
# what the untidy ones leave behind, for the test to put away
LEFT_TASKS: list[asyncio.Task[Any]] = []
LEFT_FILES: list[int] = []


def fails(check: str) -> Any:
    def remember(connector: type[Connector[Any]]) -> type[Connector[Any]]:
        BROKEN[connector] = check
        return connector

    return remember


class LaxConfig(BaseModel):
    library: str = Field(description="The library's name.")


class SilentConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    library: str


class TellingConfig(ShelvesConfig):
    api_token: str = Field("", description="What ought to be a credential_ref.")


@fails("spec")
class TakesUnknownFields(Shelves):
    spec = spec("shelves", config=LaxConfig)


@fails("spec")
class DescribesNothing(Shelves):
    spec = spec("shelves", config=SilentConfig)


@fails("spec")
class WantsASecretInItsConfiguration(Shelves):
    spec = spec("shelves", config=TellingConfig)


@fails("spec")
class KeepsItsCredentialPathToItself(Shelves):
    spec = spec("shelves", credential_help="")


@fails("spec")
class HasNoProperName(Shelves):
    spec = spec("shelves", source_system="The Library")


@fails("spec")
class NamesAPathThatIsNoField(Shelves):
    spec = spec("shelves", path_fields=("directory",))


@fails("prepare")
class FindsNothing(Shelves):
    async def prepare(self) -> list[Finding]:
        return []


@fails("prepare")
class HasNoAdvice(Shelves):
    async def prepare(self) -> list[Finding]:
        return [Finding("library", False, "closed")]


@fails("prepare")
class IsAway(Shelves):
    async def prepare(self) -> list[Finding]:
        raise RetryableTransient("the library is closed", hint="come back tomorrow")


@fails("pagination")
class HasNoEnd(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        for number in itertools.count():
            yield self.page(await self.ask(0, page_size), number, last=False)


@fails("pagination")
class HasNoPage(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        for page in ():
            yield page


@fails("pagination")
class GivesNoPages(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Any]:
        yield await self.ask(0, page_size)


@fails("last")
class NeverSaysLast(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            yield msgspec.structs.replace(page, last=False)


@fails("last")
class GoesOnAfterTheLast(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            yield page
        yield self.page([], page.cursor["revision"] + 1000, last=False)


@fails("contract")
class NamesKindsBadly(Shelves):
    def item(self, record: Book) -> dict[str, Any]:
        return msgspec.to_builtins(super().item(record)) | {"entity_type": "A Book", "color": "red"}


@fails("contract")
class PutsContentIntoItems(Shelves):
    def item(self, record: Book) -> Item:
        return msgspec.structs.replace(super().item(record), attributes={"text": "x" * 70_000})


@fails("contract")
class CountsBeyondSixtyFourBits(Shelves):
    def item(self, record: Book) -> Item:
        return msgspec.structs.replace(super().item(record), attributes={"atoms": 10**30})


@fails("contract")
class NamesThingsWithWhatIsNoCharacter(Shelves):
    def item(self, record: Book) -> Item:
        return msgspec.structs.replace(super().item(record), external_id=f"{record.number}\0")


@fails("contract")
class NestsTooDeeply(Shelves):
    def item(self, record: Book) -> Item:
        attributes: dict[str, Any] = {}
        for _ in range(20):
            attributes = {"in": attributes}
        return msgspec.structs.replace(super().item(record), attributes=attributes)


@fails("deterministic")
class SaysWhenItAsked(Shelves):
    asked = itertools.count()

    def item(self, record: Book) -> Item:
        return msgspec.structs.replace(super().item(record), attributes={"asked": next(self.asked)})


@fails("deterministic")
class NamesThingsByChance(Shelves):
    drawn = itertools.count()

    def item(self, record: Book) -> Item:
        return msgspec.structs.replace(super().item(record), external_id=f"{record.number}-{next(self.drawn)}")


@fails("cursor")
class HasACursorThatIsNoJson(Shelves):
    def page(self, books: list[Book], since: int, last: bool) -> Page:
        return msgspec.structs.replace(super().page(books, since, last), cursor=(since,))

    def progress(self, cursor: Cursor) -> int | None:
        return None


@fails("cursor")
class StandsStill(Shelves):
    def page(self, books: list[Book], since: int, last: bool) -> Page:
        return msgspec.structs.replace(super().page(books, since, last), cursor={"revision": 0})


@fails("cursor")
class GoesBackwards(Shelves):
    def progress(self, cursor: Cursor) -> int | None:
        return -int(cursor["revision"])


@fails("cursor")
class DoesNotSayWhereItIs(Shelves):
    def page(self, books: list[Book], since: int, last: bool) -> Page:
        return msgspec.structs.replace(super().page(books, since, last), position="")


@fails("page-size")
class GivesMoreThanAsked(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size + 10):
            yield page


@fails("page-size")
class LosesSomeOnLargePages(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        return [book for book in await super().ask(since, limit) if limit < 100 or book.number != "b099"]


@fails("resume")
class SkipsOneWhenResumed(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        resumed = cursor and {"revision": cursor["revision"] + 1}
        async for page in super().fetch_pages(resumed, page_size):
            yield page


@fails("resume")
class KnowsItsPlaceOnlyInMemory(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        # as though the cursor were of this connector and not of the source
        async for page in super().fetch_pages(None, page_size):
            yield page


@fails("resume")
class EndsWithoutAWordWhereNothingIsNew(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            if page.records:
                yield page


@fails("replay")
class RemembersWhatItGave(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            given = await self.context.notes.get("given") or []
            await self.context.notes.put("given", [*given, *(book.number for book in page.records)])
            fresh = [book for book in page.records if book.number not in given]
            yield msgspec.structs.replace(page, records=fresh)


@fails("incremental")
class ReadsEverythingAgain(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        # as a source does that forgets a cursor once its last page was given
        done = cursor and cursor["revision"] >= 130
        async for page in super().fetch_pages(None if done else cursor, page_size):
            yield page


@fails("transform")
class LosesThePage(Shelves):
    def transform(self, page: Page) -> Transformed:
        items = [self.item(record) for record in page.records]
        return Transformed(items=items, places=range(len(items)))


@fails("transform")
class DropsQuietly(Shelves):
    def transform(self, page: Page) -> Transformed:
        return msgspec.structs.replace(super().transform(page), refused=())


@fails("transform")
class RefusesWithoutAReason(Shelves):
    def transform(self, page: Page) -> Transformed:
        turned = super().transform(page)
        silent = [msgspec.structs.replace(one, reasons=()) for one in turned.refused]
        return msgspec.structs.replace(turned, refused=silent)


@fails("transform")
class LooksAtTheRecordBefore(Shelves):
    def transform(self, page: Page) -> Transformed:
        turned = super().transform(page)
        if not turned.refused:
            return turned
        return msgspec.structs.replace(
            turned, items=[msgspec.structs.replace(item, display_name="?") for item in turned.items]
        )


@fails("on-demand")
class FetchesAhead(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        pages = super().fetch_pages(cursor, page_size)
        ahead = asyncio.ensure_future(anext(pages))
        try:
            while True:
                page = await ahead
                if page.last:
                    yield page
                    return
                ahead = asyncio.ensure_future(anext(pages))
                yield page
        finally:
            ahead.cancel()
            await asyncio.gather(ahead, return_exceptions=True)
            await pages.aclose()


@fails("concurrency")
class CallsTooManyAtOnce(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        calls = [self.elsewhere(since, limit) for _ in range(3)]
        return (await asyncio.gather(*calls))[0]

    async def elsewhere(self, since: int, limit: int) -> list[Book]:
        from windrow.connectors.tool import ExecutionTool

        tool = ExecutionTool("shelves", self.context)
        return await tool.call("changed", lambda: self.library.changed(since, limit))


@fails("concurrency")
class CallsBesideTheTool(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        return await self.library.changed(since, limit)


@fails("cancellation")
class DoesNotListen(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        with self.context.watch("changed"):
            return await self.library.changed(since, limit)


@fails("cancellation")
class CallsACancellationAnEnd(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        try:
            async for page in super().fetch_pages(cursor, page_size):
                yield page
        except asyncio.CancelledError:
            if not self.context.cancelled():
                raise
            yield msgspec.structs.replace(page, records=[], last=True)


@fails("cancellation")
class TurnsACancellationIntoAPage(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        try:
            return await super().ask(since, limit)
        except asyncio.CancelledError:
            if self.context.cancelled():
                raise
            return await self.library.changed(since, limit)


class Tells(Shelves):
    async def secret(self) -> str:
        card = await self.context.credential()
        assert card
        return card.reveal()


@fails("secrets")
class TellsInAnItem(Tells):
    async def ask(self, since: int, limit: int) -> list[Book]:
        card = await self.secret()
        return [replace(book, title=f"{book.title} for {card}") for book in await super().ask(since, limit)]


@fails("secrets")
class TellsInACursor(Tells):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            yield msgspec.structs.replace(page, cursor=page.cursor | {"card": await self.secret()})


@fails("secrets")
class TellsInAPosition(Tells):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            yield msgspec.structs.replace(page, position=f"{page.position}?card={await self.secret()}")


@fails("secrets")
class TellsInAFinding(Tells):
    async def prepare(self) -> list[Finding]:
        return [Finding("card", True, await self.secret())]


@fails("secrets")
class TellsInALogLine(Tells):
    async def prepare(self) -> list[Finding]:
        self.context.say("connector.skipped", position="door", reason=f"card {await self.secret()}")
        return await super().prepare()


@fails("secrets")
class TellsInANote(Tells):
    async def prepare(self) -> list[Finding]:
        await self.context.notes.put("card", await self.secret())
        return await super().prepare()


@fails("close")
class LeavesATask(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        LEFT_TASKS.append(asyncio.create_task(asyncio.Event().wait()))
        return await super().ask(since, limit)


@fails("close")
class LeavesAFileOpen(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        LEFT_FILES.append(os.open(os.devnull, os.O_RDONLY))
        return await super().ask(since, limit)


@fails("close")
class ClosesOnlyOnce(Shelves):
    closed = False

    async def close(self) -> None:
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


@fails("close")
class DoesNotLetItselfBeLeft(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            try:
                yield page
            except GeneratorExit:
                yield page
                return


@fails("listing")
class NeverOpensItsListing(ListedShelves):
    def listing(self, books: list[Book], after: str, opens: bool, last: bool) -> Page:
        return super().listing(books, after, False, last)


@fails("listing")
class IsAlwaysWhole(ListedShelves):
    def listing(self, books: list[Book], after: str, opens: bool, last: bool) -> Page:
        return msgspec.structs.replace(super().listing(books, after, opens, last), whole=True)


@fails("listing")
class OpensAgainWhenResumed(ListedShelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        first = True
        async for page in super().fetch_pages(cursor, page_size):
            yield msgspec.structs.replace(page, opens=first)
            first = False


@fails("listing")
class ListsWithoutSayingSo(ListedShelves):
    spec = spec("listed-shelves", capabilities=Capabilities())


@fails("deletes")
class KeepsSilentAboutTheGone(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        return [book for book in await super().ask(since, limit) if not book.gone]


@fails("deletes")
class TellsThatAllIsGone(Shelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        async for page in super().fetch_pages(cursor, page_size):
            gone = [replace(book, gone=True) for book in page.records] if self.library.revision > 130 and cursor else []
            yield msgspec.structs.replace(page, records=[*page.records, *gone])


@fails("deletes")
class ListsOnlyOnce(ListedShelves):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        if cursor and "whole" in cursor:
            yield msgspec.structs.replace(self.listing([], "", False, True), whole=False, cursor=cursor)
            changed = await self.library.changed(130, page_size)
            yield Page(
                records=[book for book in changed if not book.gone], cursor={"whole": "z"}, position="end", last=True
            )
            return
        async for page in super().fetch_pages(cursor, page_size):
            yield page


@fails("changes")
class MissesWhatChanged(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        found = await super().ask(since, limit)
        return [book for book in found if since < 130 or book.gone]


@fails("changes")
class TellsChangesDifferently(Shelves):
    async def ask(self, since: int, limit: int) -> list[Book]:
        found = await super().ask(since, limit)
        return [book if since < 130 else replace(book, title=f"{book.title} (changed)") for book in found]
