"""A pass over a server: which databases are read, and their pages, one database after the other."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from fnmatch import fnmatchcase

from msgspec.structs import replace

from windrow.connectors.context import Context
from windrow.connectors.postgres.catalogue import Catalogue
from windrow.connectors.postgres.failures import Shut
from windrow.connectors.postgres.naming import external_id
from windrow.connectors.postgres.place import END, At, Place, fingerprint, short
from windrow.connectors.postgres.session import Server, Session
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.page import Page
from windrow.postgres.queries import load

Q = load(__package__)

# so many fingerprints fit a cursor
MOST_DATABASES = 1000
# how a database looks that we may not enter: once we may, it looks different
SHUT = "shut"
# what an item says, and how: another version of it is another configuration
_SHAPE = 1
_STEPS = ("from its beginning", "schemas", "tables and views", "at its end")

# by name, in the order of the names' bytes: whether we may enter it
Found = dict[str, bool]


async def databases(server: Server) -> Found:
    """The databases that are harvested."""
    globs = server.config.databases
    async with server.enter(server.config.database) as session:
        rows = await session.rows(Q.databases)
    found = {row["name"]: row["open"] for row in rows if not globs or any(fnmatchcase(row["name"], g) for g in globs)}
    if not found:
        raise ValidationFailure(
            "the server has no database that is to be harvested", code=Code.NOT_FOUND, hint="check `databases`"
        )
    if len(found) > MOST_DATABASES:
        raise ValidationFailure(
            f"the server has more than {MOST_DATABASES} databases",
            code=Code.TOO_LARGE,
            hint="harvest it by several endpoints, each with some of its `databases`",
        )
    return dict(sorted(found.items(), key=lambda each: each[0].encode()))


class Pass:
    """From one cursor to where the server has, for now, nothing behind it."""

    def __init__(self, server: Server, context: Context, place: Place) -> None:
        self._server, self._context = server, context
        self._config = fingerprint([_SHAPE, server.config.model_dump(mode="json", exclude={"preview_rows"})])
        # half of one listing and half of another would be no listing
        self._place = place.ended() if place.running and place.config != self._config else place
        self._opens = False

    async def pages(self, size: int) -> AsyncGenerator[Page, None]:
        """The rest of the pass that the cursor is in, or a new one."""
        found = await databases(self._server)
        if not self._place.running and not await self._begin(found):
            yield Page(records=(), cursor=self._place.cursor(), position="nothing has changed", last=True)
            return
        for name in _from(found, self._place.at):
            if not found[name]:
                self._skip(name, "the login may not enter this database")
                continue
            async with aclosing(self._pages_of(name, size)) as pages:
                async for page in pages:
                    yield page
        yield Page(
            records=(),
            cursor=self._place.ended().cursor(),
            position="the end",
            last=True,
            opens=self._opens,
            whole=self._place.whole and not self._place.missed,
        )

    async def _begin(self, found: Found) -> bool:
        """Whether there is a pass to begin: not where nothing has changed since the last one."""
        place, now = self._place, self._context.now()
        whole = place.config != self._config or place.is_due(now, self._server.config.relist_hours)
        if not whole:
            changed = [name for name in found if not place.knows(name, await self._print(name, found[name]))]
            gone = place.prints.keys() - {short(name) for name in found}
            # where all is read anyway, or a database is gone, it can as well be told what else is
            whole = bool(gone) or len(changed) == len(found)
            if not changed and not gone:
                return False
        self._place, self._opens = place.begin(now, self._config, whole=whole), whole
        return True

    async def _print(self, name: str, is_open: bool) -> str:
        if not is_open:
            return SHUT
        try:
            async with self._server.enter(name) as session:
                return await _printed(session)
        except Shut:
            return SHUT

    async def _pages_of(self, name: str, size: int) -> AsyncGenerator[Page, None]:
        try:
            async with self._server.enter(name) as session:
                if not await self._entered(name, session):
                    return
                catalogue = await Catalogue.open(session, self._server.config)
                self._tell_shut(name, catalogue.shut)
                while (at := self._place.at) is not None and at.step != END:
                    yield await self._page(catalogue, at, size)
        except Shut as shut:
            self._skip(name, shut.message)

    async def _entered(self, name: str, session: Session) -> bool:
        """Whether the database is to be read; from then on the cursor says that it is."""
        place = self._place
        if place.at is not None and place.at.database == name and place.at.step != END:
            return True
        # of the same moment as what is read: a change that comes later is found by the next pass
        printed = await _printed(session)
        if not place.whole and place.knows(name, printed):
            return False
        self._place = place.entering(name, printed)
        return True

    async def _page(self, catalogue: Catalogue, at: At, size: int) -> Page:
        records, behind = await catalogue.page(at, size)
        self._place = self._place.behind(behind, len(records))
        opens, self._opens = self._opens, False
        return Page(
            records=records,
            cursor=self._place.cursor(),
            position=f"database {external_id(at.database)}, {_STEPS[at.step]}",
            opens=opens,
            snapshot=f"{at.database}:{catalogue.moment}",
        )

    def _tell_shut(self, name: str, schemas: list[str]) -> None:
        if not schemas:
            return
        # a server for many customers may have thousands
        others = f", nor on {len(schemas) - 1} others" if len(schemas) > 1 else ""
        reason = f"the login has no USAGE on this schema{others}: grant it, or put them into `exclude`"
        self._context.say("connector.skipped", position=external_id(name, schemas[0]), reason=reason)
        self._place = replace(self._place, missed=True)

    def _skip(self, name: str, why: str) -> None:
        if not self._place.whole and self._place.knows(name, SHUT):
            return
        reason = f"{why}: grant CONNECT, or name in `databases` those that may be entered"
        self._context.say("connector.skipped", position=external_id(name), reason=reason)
        self._place = replace(self._place.entering(name, SHUT), missed=True, at=At(name, END))


async def _printed(session: Session) -> str:
    return str((await session.row(Q.fingerprint))["print"])[:16]


def _from(found: Found, at: At | None) -> list[str]:
    """The databases that a pass has still to look at."""
    if at is None:
        return list(found)
    behind = at.database.encode()
    return [name for name in found if name.encode() > behind or (name.encode() == behind and at.step != END)]
