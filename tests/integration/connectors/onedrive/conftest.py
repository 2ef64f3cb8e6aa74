"""A drive of one's own behind a Graph of one's own, and a reader that keeps what a catalog would hold."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.onedrive import Drive, OneDrive

from windrow.connectors.configuration import configured
from windrow.connectors.onedrive import OneDriveConnector
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import MemoryNotes, standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret


@dataclass
class Reader:
    """Reads a fake from cursor to cursor. `held` is what a catalog would hold of it."""

    fake: OneDrive
    place: Path
    credential: str
    config: dict[str, Any]
    cursor: Any = None
    ahead: timedelta = timedelta(0)
    notes: MemoryNotes = field(default_factory=MemoryNotes)
    held: dict[str, Item] = field(default_factory=dict)
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    _listed: set[str] | None = None
    _published: list[tuple[Any, dict[str, Item], set[str] | None]] = field(default_factory=list)

    @asynccontextmanager
    async def opened(self, **config: Any) -> AsyncIterator[OneDriveConnector]:
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", ()),
            cache=self.place,
            credential=self._credential,
            http=lambda policy: HttpClient(replace(policy, allow=(self.fake.door,))),
            say=self._hear,
            notes=self.notes,
            now=lambda: datetime.now(UTC) + self.ahead,
        )
        # through the model as an endpoint's configuration goes
        made = configured(OneDriveConnector, {**self.fake.settings, **self.config, **config})
        connector = OneDriveConnector(made, context)
        try:
            yield connector
        finally:
            await connector.close()

    async def run(self, *, pages: int | None = None, size: int = 50, **config: Any) -> list[Page]:
        """A pass from where the last one ended, or so many pages of it."""
        read: list[Page] = []
        async with self.opened(**config) as connector, aclosing(connector.fetch_pages(self.cursor, size)) as given:
            async for page in given:
                read.append(page)
                self.take(connector, page)
                if len(read) == pages:
                    break
        return read

    def take(self, connector: OneDriveConnector, page: Page) -> None:
        """The page into what is held, as it would be persisted; its cursor with it."""
        turned = connector.transform(page)
        assert not turned.refused
        self.cursor = page.cursor
        if page.opens:
            self._listed = set()
        for item in turned.items:
            assert isinstance(item, Item)
            if self._listed is not None:
                self._listed.add(item.external_id)
            if item.deleted:
                self.held.pop(item.external_id, None)
            else:
                self.held[item.external_id] = item
        # a listing whose beginning was not seen says nothing
        if page.whole and self._listed is not None:
            self.held = {key: item for key, item in self.held.items() if key in self._listed}
        if page.whole or page.last:
            self._listed = None
        self._published.append((self.cursor, dict(self.held), self._listed and set(self._listed)))

    def lose(self, pages: int) -> None:
        """The last pages were never published: a crash came before."""
        del self._published[len(self._published) - pages :]
        self.cursor, held, self._listed = self._published[-1] if self._published else (None, {}, None)
        self.held = dict(held)

    def crash_elsewhere(self) -> None:
        """This machine is lost, and with it what it had to tell others: the next one knows the cursor alone."""
        shutil.rmtree(self.place)
        self.notes.kept.clear()

    @property
    def paths(self) -> dict[str, str | None]:
        return {key: item.canonical_path for key, item in self.held.items()}

    def reasons(self, event: str = "onedrive.relisted") -> list[str]:
        return [fields["reason"] for name, fields in self.said if name == event]

    async def _credential(self) -> Secret:
        return Secret(self.credential)

    def _hear(self, event: str, *, error: BaseException | None = None, **fields: Any) -> None:
        assert error is None
        self.said.append((event, fields))


def paths_of(*drives: Drive) -> dict[str, str]:
    """What there is, by external id."""
    return {f"{drive.id}/{key}": drive.path(key) for drive in drives for key in drive.nodes}


@pytest.fixture
def fake() -> Iterator[OneDrive]:
    with OneDrive() as running:
        yield running


@pytest.fixture
def drive(fake: OneDrive) -> Drive:
    """Three folders in a row with 40 files in each."""
    made = fake.add("Documents")
    parent = made.root
    for name in ("a", "b", "c"):
        parent = made.make(name, parent).id
        for number in range(40):
            made.put(f"{name}{number}.txt", parent)
    return made


@pytest.fixture
def reader(fake: OneDrive, drive: Drive, tmp_path: Path) -> Reader:
    return Reader(fake, tmp_path / "cache", fake.login.secret, {"drive": drive.id})


def named(drive: Drive, name: str) -> str:
    """The id of the thing with a name."""
    return next(node.id for node in drive.nodes.values() if node.name == name)
